package io.ishbase.plugin.compaction;

import io.ishbase.core.compaction.LocalReason;
import io.ishbase.plugin.node.DaemonException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.util.ExceptionUtil;
import org.jspecify.annotations.Nullable;

/** Waiting by a thread that compacts a store, as long as the store is open. */
final class StoreWait {
  private static final long LOOK_UP_MILLIS = 100;

  private StoreWait() {}

  /**
   * Waits for an answer, as long as {@code store} takes writes.
   *
   * @throws OffloadException if the call failed
   * @throws InterruptedIOException if the store closes or the thread is interrupted
   */
  static <A> A await(CompletableFuture<A> answer, HStore store) throws IOException {
    while (true) {
      checkOpen(store);
      try {
        return answer.get(LOOK_UP_MILLIS, TimeUnit.MILLISECONDS);
      } catch (TimeoutException e) {
        // Look again whether the store is open.
      } catch (ExecutionException e) {
        throw new OffloadException(
            e.getCause() instanceof DaemonException known ? reason(known) : LocalReason.FAILED,
            e.getCause());
      } catch (InterruptedException e) {
        // As in HBase's compactor the thread's flag stays down: with it, HDFS would not delete.
        throw new InterruptedIOException("Compaction of " + store + " was interrupted");
      }
    }
  }

  /**
   * Looks whether {@code store} takes writes.
   *
   * @throws InterruptedIOException if it closes
   */
  static void checkOpen(HStore store) throws InterruptedIOException {
    if (!store.areWritesEnabled()) {
      throw new InterruptedIOException("Compaction of " + store + " ends: the store closes");
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

  /**
   * What a failed call of a file system says of its thread, or a cause of the failure, in which
   * HBase's scanners wrap it: that it was interrupted, as HBase does with compactions that are to
   * end. The thread's flag is down then: with it, HDFS would not delete. Null: it says something
   * else.
   */
  static @Nullable InterruptedIOException interruption(Exception failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      InterruptedIOException interruption = ExceptionUtil.asInterrupt(cause);
      if (interruption != null) {
        Thread.interrupted();
        return interruption;
      }
    }
    return null;
  }

  private static LocalReason reason(DaemonException e) {
    return switch (e.reason()) {
      case BUSY -> LocalReason.BUSY;
      case TIMEOUT -> LocalReason.TIMEOUT;
      case UNREACHABLE -> LocalReason.UNREACHABLE;
      case BAD_ANSWER -> LocalReason.BAD_ANSWER;
      default -> LocalReason.FAILED;
    };
  }
}
