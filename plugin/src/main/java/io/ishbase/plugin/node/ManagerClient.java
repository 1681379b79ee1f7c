package io.ishbase.plugin.node;

import io.ishbase.protocol.generated.CompactionProtos.ManagerService;
import io.ishbase.protocol.generated.CompactionProtos.PlaceRequest;
import io.ishbase.protocol.generated.CompactionProtos.PlaceResponse;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.hbase.ServerName;

/** Calls the compaction manager. */
public final class ManagerClient {
  private final ManagerService.Stub stub;
  private final int timeoutMillis;

  public ManagerClient(DaemonClient daemons, ServerName manager) {
    stub = ManagerService.newStub(daemons.channel(manager));
    timeoutMillis = daemons.timeoutMillis();
  }

  public CompletableFuture<PlaceResponse> place(PlaceRequest request) {
    return AsyncCall.of(stub::place, request, timeoutMillis);
  }
}
