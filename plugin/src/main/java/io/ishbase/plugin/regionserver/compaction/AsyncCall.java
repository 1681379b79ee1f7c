package io.ishbase.plugin.regionserver.compaction;

import io.ishbase.core.compaction.LocalReason;
import io.ishbase.plugin.regionserver.DaemonClient;
import io.ishbase.plugin.regionserver.DaemonException;
import io.ishbase.protocol.MessageChecksum;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.hadoop.hbase.ipc.HBaseRpcController;
import org.apache.hadoop.hbase.ipc.HBaseRpcControllerImpl;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hbase.thirdparty.com.google.protobuf.Message;
import org.apache.hbase.thirdparty.com.google.protobuf.RpcCallback;
import org.apache.hbase.thirdparty.com.google.protobuf.RpcController;

/** A call of HBase's RPC as a future. A failed one completes with an {@link OffloadException}. */
final class AsyncCall {
  private static final long LOOK_UP_MILLIS = 100;

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
            answer.completeExceptionally(failure(DaemonClient.classified(controller.getFailed())));
          } else if (!MessageChecksum.isIntact(response)) {
            answer.completeExceptionally(
                new OffloadException(LocalReason.BAD_ANSWER, "The answer's checksum is wrong"));
          } else {
            answer.complete(response);
          }
        });
    return answer;
  }

  /**
   * Waits for an answer, as long as {@code store} takes writes.
   *
   * @throws OffloadException if the call failed
   * @throws InterruptedIOException if the store closes or the thread is interrupted
   */
  static <A> A await(CompletableFuture<A> answer, HStore store) throws IOException {
    while (true) {
      if (!store.areWritesEnabled()) {
        throw new InterruptedIOException("Compaction of " + store + " ends: the store closes");
      }
      try {
        return answer.get(LOOK_UP_MILLIS, TimeUnit.MILLISECONDS);
      } catch (TimeoutException e) {
        // Look again whether the store is open.
      } catch (ExecutionException e) {
        throw e.getCause() instanceof OffloadException known
            ? known
            : new OffloadException(LocalReason.FAILED, e.getCause());
      } catch (InterruptedException e) {
        // As in HBase's compactor the thread's flag stays down: with it, HDFS would not delete.
        throw new InterruptedIOException("Compaction of " + store + " was interrupted");
      }
    }
  }

  /**
   * Waits, as long as {@code store} takes writes.
   *
   * @throws InterruptedIOException if the store closes or the thread is interrupted
   */
  static void pause(long millis, HStore store) throws IOException {
    CompletableFuture<Void> never = new CompletableFuture<>();
    await(never.completeOnTimeout(null, Math.max(0, millis), TimeUnit.MILLISECONDS), store);
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
