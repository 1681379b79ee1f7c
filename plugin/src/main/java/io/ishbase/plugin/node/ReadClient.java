package io.ishbase.plugin.node;

import io.ishbase.protocol.generated.IssnProtos.AggregateRequest;
import io.ishbase.protocol.generated.IssnProtos.AggregateResponse;
import io.ishbase.protocol.generated.IssnProtos.ReadRequest;
import java.io.IOException;
import org.apache.hadoop.hbase.ServerName;

/** Sends read requests to storage daemons. Thread safe. */
public interface ReadClient {
  /** Sends {@code request} and does not wait. */
  ReadCall read(ServerName daemon, ReadRequest request);

  /** How long a short line takes for so many bytes, in nanoseconds; 0: it is not short. */
  default long lineNanos(long bytes) {
    return 0;
  }

  /**
   * Sends {@code request}, with its checksum, and waits for the answer.
   *
   * @throws DaemonException if none came
   */
  AggregateResponse aggregate(ServerName daemon, AggregateRequest request) throws IOException;
}
