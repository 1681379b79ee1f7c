package io.ishbase.plugin.node;

import io.ishbase.core.Sharing;
import io.ishbase.protocol.Dictionary;
import io.ishbase.protocol.generated.IssnProtos.ReadRequest;
import io.ishbase.protocol.generated.IssnProtos.ReadResponse;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.hbase.ipc.HBaseRpcController;
import org.jspecify.annotations.Nullable;

/** A read that waits to be sent to a daemon, or for its answer. */
final class PendingRead extends ReadCall implements Sharing.Read {
  private final DaemonReads reads;
  private final ReadRequest request;
  private final @Nullable Dictionary dictionary;
  private final long startNanos = System.nanoTime();

  /** Whether the one who sends it, or the reader who waits no longer for that, has it. */
  private final AtomicBoolean isTaken = new AtomicBoolean();

  /** Of the request that is for it alone. */
  private volatile @Nullable HBaseRpcController alone;

  private volatile @Nullable SharedRequest shared;

  /**
   * @param request as it is sent
   * @param dictionary with which the answer may be compressed; null: with none
   */
  PendingRead(DaemonReads reads, ReadRequest request, @Nullable Dictionary dictionary) {
    this.reads = reads;
    this.request = request;
    this.dictionary = dictionary;
  }

  ReadRequest request() {
    return request;
  }

  long startNanos() {
    return startNanos;
  }

  @Override
  public @Nullable Dictionary dictionary() {
    return dictionary;
  }

  @Override
  public boolean begin() {
    return !isDone() && isTaken.compareAndSet(false, true);
  }

  void sentAlone(HBaseRpcController controller) {
    alone = controller;
  }

  void sentIn(SharedRequest request) {
    shared = request;
  }

  @Override
  protected ReadResponse answer() throws ExecutionException, InterruptedException {
    if (alone == null) {
      try {
        return get(reads.patienceNanos(), TimeUnit.NANOSECONDS);
      } catch (TimeoutException e) {
        reads.waitedLong(this);
      }
    }
    return get();
  }

  boolean isAlone() {
    return alone != null;
  }

  @Override
  public void abandon() {
    if (isDone()) {
      return;
    }
    HBaseRpcController ownRequest = alone;
    if (ownRequest != null) {
      ownRequest.startCancel();
    }
    super.abandon();
    SharedRequest sharedRequest = shared;
    if (sharedRequest != null) {
      sharedRequest.abandoned();
    }
  }
}
