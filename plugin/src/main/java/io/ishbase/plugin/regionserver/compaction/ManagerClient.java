package io.ishbase.plugin.regionserver.compaction;

import io.ishbase.plugin.regionserver.DaemonClient;
import io.ishbase.protocol.generated.CompactionProtos.ManagerService;
import io.ishbase.protocol.generated.CompactionProtos.PlaceRequest;
import io.ishbase.protocol.generated.CompactionProtos.PlaceResponse;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.hbase.ServerName;

/** Calls the compaction manager. */
final class ManagerClient {
  private final ManagerService.Stub stub;
  private final int timeoutMillis;

  ManagerClient(DaemonClient daemons, ServerName manager) {
    stub = ManagerService.newStub(daemons.channel(manager));
    timeoutMillis = daemons.timeoutMillis();
  }

  CompletableFuture<PlaceResponse> place(PlaceRequest request) {
    return AsyncCall.of(stub::place, request, timeoutMillis);
  }
}
