package io.ishbase.plugin.node;

import io.ishbase.core.Reason;
import io.ishbase.plugin.metrics.CompactionMetrics;
import io.ishbase.protocol.MessageChecksum;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.apache.hadoop.hbase.ipc.HBaseRpcController;
import org.apache.hadoop.hbase.ipc.HBaseRpcControllerImpl;
import org.apache.hbase.thirdparty.com.google.protobuf.Message;
import org.apache.hbase.thirdparty.com.google.protobuf.RpcCallback;
import org.apache.hbase.thirdparty.com.google.protobuf.RpcController;

/** A call of HBase's RPC as a future. A failed one completes with a {@link DaemonException}. */
final class AsyncCall {
  private AsyncCall() {}

  /** A method of a generated stub. */
  interface Method<Q extends Message, A extends Message> {
    void call(RpcController controller, Q request, RpcCallback<A> done);
  }

  static <Q extends Message, A extends Message> CompletableFuture<A> of(
      Method<Q, A> method, Q request, int timeoutMillis) {
    CompactionMetrics.get().exchanged(request.getSerializedSize());
    return AsyncCall.<Q, A>uncounted(method, request, timeoutMillis)
        .whenComplete(
            (answer, failure) -> {
              if (answer != null) {
                CompactionMetrics.get().exchanged(answer.getSerializedSize());
              }
            });
  }

  /** As {@link #of}, for data rather than control. */
  static <Q extends Message, A extends Message> CompletableFuture<A> uncounted(
      Method<Q, A> method, Q request, int timeoutMillis) {
    HBaseRpcController controller = new HBaseRpcControllerImpl();
    controller.setCallTimeout(timeoutMillis);
    CompletableFuture<A> answer = new CompletableFuture<>();
    method.call(
        controller,
        MessageChecksum.sealed(request),
        response -> {
          if (controller.failed()) {
            answer.completeExceptionally(DaemonClient.classified(controller.getFailed()));
          } else if (!MessageChecksum.isIntact(response)) {
            answer.completeExceptionally(
                new DaemonException(Reason.BAD_ANSWER, "The answer's checksum is wrong"));
          } else {
            answer.complete(response);
          }
        });
    return answer;
  }

  /**
   * Waits for the answer of such a call.
   *
   * @throws DaemonException if none came
   */
  static <A> A await(CompletableFuture<A> answer) throws IOException {
    try {
      return answer.get();
    } catch (ExecutionException e) {
      throw e.getCause() instanceof DaemonException known
          ? known
          : new DaemonException(Reason.NO_ANSWER, e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("Interrupted while waiting for a storage daemon");
    }
  }
}
