package io.ishbase.plugin.node;

import io.ishbase.protocol.generated.CompactionProtos.CompactRequest;
import io.ishbase.protocol.generated.CompactionProtos.CompactResponse;
import io.ishbase.protocol.generated.CompactionProtos.CompactionService;
import io.ishbase.protocol.generated.CompactionProtos.FetchRequest;
import io.ishbase.protocol.generated.CompactionProtos.FetchResponse;
import io.ishbase.protocol.generated.CompactionProtos.ProgressRequest;
import io.ishbase.protocol.generated.CompactionProtos.ProgressResponse;
import io.ishbase.protocol.generated.CompactionProtos.WorkRequest;
import io.ishbase.protocol.generated.CompactionProtos.WorkResponse;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.hbase.ServerName;

/** Calls a worker. */
public final class WorkerClient {
  private final CompactionService.Stub stub;
  private final int timeoutMillis;

  public WorkerClient(DaemonClient daemons, ServerName worker) {
    stub = CompactionService.newStub(daemons.channel(worker));
    timeoutMillis = daemons.timeoutMillis();
  }

  public CompletableFuture<CompactResponse> compact(CompactRequest request) {
    return AsyncCall.of(stub::compact, request, timeoutMillis);
  }

  /** How far an attempt is; cancels it if the request says so. */
  public CompletableFuture<ProgressResponse> progress(ProgressRequest request) {
    return AsyncCall.of(stub::progress, request, timeoutMillis + request.getWaitMillis());
  }

  /** A part of a file that the worker wrote. Does not count as control traffic. */
  public CompletableFuture<FetchResponse> fetch(FetchRequest request) {
    return AsyncCall.uncounted(stub::fetch, request, timeoutMillis);
  }

  /**
   * What the worker is at; with {@code drain} set, after it was told to take or refuse new ones.
   */
  public CompletableFuture<WorkResponse> work(WorkRequest request) {
    return AsyncCall.of(stub::work, request, timeoutMillis);
  }
}
