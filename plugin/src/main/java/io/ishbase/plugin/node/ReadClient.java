package io.ishbase.plugin.node;

import io.ishbase.protocol.generated.IssnProtos.ReadRequest;
import org.apache.hadoop.hbase.ServerName;

/** Sends read requests to storage daemons. Thread safe. */
@FunctionalInterface
public interface ReadClient {
  /** Sends {@code request} and does not wait. */
  ReadCall read(ServerName daemon, ReadRequest request);
}
