package io.ishbase.plugin.regionserver.compaction;

import io.ishbase.core.compaction.LocalReason;
import io.ishbase.plugin.regionserver.DaemonClient;
import io.ishbase.plugin.regionserver.DaemonException;
import io.ishbase.protocol.generated.CompactionProtos.CompactRequest;
import io.ishbase.protocol.generated.CompactionProtos.CompactResponse;
import io.ishbase.protocol.generated.CompactionProtos.CompactionService;
import io.ishbase.protocol.generated.CompactionProtos.ProgressRequest;
import io.ishbase.protocol.generated.CompactionProtos.ProgressResponse;
import io.ishbase.protocol.generated.CompactionProtos.WorkRequest;
import io.ishbase.protocol.generated.CompactionProtos.WorkResponse;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.ipc.HBaseRpcController;
import org.apache.hadoop.hbase.ipc.HBaseRpcControllerImpl;
import org.apache.hbase.thirdparty.com.google.protobuf.Message;
import org.apache.hbase.thirdparty.com.google.protobuf.RpcCallback;

/** Calls a worker. A failed call completes with an {@link OffloadException}. */
public final class CompactionClient {
  private final CompactionService.Stub stub;
  private final int timeoutMillis;

  public CompactionClient(DaemonClient daemons, ServerName worker) {
    stub = CompactionService.newStub(daemons.channel(worker));
    timeoutMillis = daemons.timeoutMillis();
  }

  CompletableFuture<CompactResponse> compact(CompactRequest request) {
    HBaseRpcController controller = controller(request, timeoutMillis);
    CompletableFuture<CompactResponse> answer = new CompletableFuture<>();
    stub.compact(controller, request, completing(answer, controller));
    return answer;
  }

  /** How far an attempt is; cancels it if the request says so. */
  public CompletableFuture<ProgressResponse> progress(ProgressRequest request) {
    HBaseRpcController controller = controller(request, timeoutMillis + request.getWaitMillis());
    CompletableFuture<ProgressResponse> answer = new CompletableFuture<>();
    stub.progress(controller, request, completing(answer, controller));
    return answer;
  }

  /**
   * What the worker is at; with {@code drain} set, after it was told to take or refuse new ones.
   */
  public CompletableFuture<WorkResponse> work(WorkRequest request) {
    HBaseRpcController controller = controller(request, timeoutMillis);
    CompletableFuture<WorkResponse> answer = new CompletableFuture<>();
    stub.work(controller, request, completing(answer, controller));
    return answer;
  }

  private static HBaseRpcController controller(Message request, int timeoutMillis) {
    CompactionMetrics.get().exchanged(request.getSerializedSize());
    HBaseRpcController controller = new HBaseRpcControllerImpl();
    controller.setCallTimeout(timeoutMillis);
    return controller;
  }

  private static <R extends Message> RpcCallback<R> completing(
      CompletableFuture<R> answer, HBaseRpcController controller) {
    return response -> {
      if (controller.failed()) {
        answer.completeExceptionally(failure(DaemonClient.classified(controller.getFailed())));
      } else {
        CompactionMetrics.get().exchanged(response.getSerializedSize());
        answer.complete(response);
      }
    };
  }

  private static OffloadException failure(DaemonException e) {
    LocalReason reason =
        switch (e.reason()) {
          case BUSY -> LocalReason.BUSY;
          case TIMEOUT -> LocalReason.TIMEOUT;
          case UNREACHABLE -> LocalReason.UNREACHABLE;
          default -> LocalReason.FAILED;
        };
    return new OffloadException(reason, e);
  }
}
