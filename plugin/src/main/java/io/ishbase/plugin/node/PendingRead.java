package io.ishbase.plugin.node;

import io.ishbase.core.Sharing;
import io.ishbase.core.Wait;
import io.ishbase.protocol.Dictionary;
import io.ishbase.protocol.Spans;
import io.ishbase.protocol.generated.IssnProtos.ReadRequest;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.hbase.ipc.HBaseRpcController;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A read that waits to be sent to a daemon, or for its answer. */
final class PendingRead extends ReadCall implements Sharing.Read {
  private static final Logger LOG = LoggerFactory.getLogger(PendingRead.class);

  private final DaemonReads reads;
  private final ReadRequest request;
  private final @Nullable ToldSet set;
  private final @Nullable Dictionary dictionary;
  private final long startNanos = System.nanoTime();

  /** The reader's: others send the read as well. */
  private final Context trace = Context.current();

  /** Whether the one who sends it, or the reader who waits no longer for that, has it. */
  private final AtomicBoolean isTaken = new AtomicBoolean();

  /** Of the request that is for it alone. */
  private volatile @Nullable HBaseRpcController alone;

  private volatile @Nullable SharedRequest shared;

  /** Known to the reader's thread, like the next. */
  private boolean isLate;

  private boolean hasWaitedForLine;

  /**
   * @param request in full
   * @param set what it has in common with others, of which the daemon is told; null: nothing
   * @param dictionary with which the answer may be compressed; null: with none
   */
  PendingRead(
      DaemonReads reads,
      ReadRequest request,
      @Nullable ToldSet set,
      @Nullable Dictionary dictionary) {
    this.reads = reads;
    this.request = request;
    this.set = set;
    this.dictionary = dictionary;
  }

  /** In full, however it is sent. */
  ReadRequest request() {
    return request;
  }

  /** What it has in common with others; null: nothing of which the daemon is told. */
  @Nullable ToldSet set() {
    return set;
  }

  long startNanos() {
    return startNanos;
  }

  Context trace() {
    return trace;
  }

  /** What the thread sends until the result is closed belongs to the reader's trace. */
  Scope enterTrace() {
    return Spans.enter(trace);
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
    // Also if it never waited to be sent: from now on it cannot be withdrawn.
    isTaken.set(true);
    alone = controller;
  }

  void sentIn(SharedRequest request) {
    shared = request;
  }

  @Override
  public Wait beginWait() {
    return reads.waitFor(this);
  }

  @Override
  protected long answers() {
    return reads.answers();
  }

  @Override
  protected void askForSign() {
    reads.askForSign();
  }

  @Override
  protected void doubt() {
    reads.doubt();
  }

  @Override
  public boolean withdraw() {
    return begin();
  }

  @Override
  protected void silent() {
    completeExceptionally(reads.silent(this));
    cancelRequest();
  }

  @Override
  public boolean askAgain(Wait wait) {
    isLate = true;
    return reads.askAgain(this, wait);
  }

  @Override
  public boolean mayGoElsewhere() {
    isLate = true;
    return reads.takeExtra();
  }

  /**
   * Over a short line only when what else it may carry has had its time: a block would keep it busy
   * for longer than the answer.
   */
  @Override
  public boolean mayGoHome(Wait wait) {
    if (!hasWaitedForLine) {
      hasWaitedForLine = true;
      long lineNanos = reads.lineNanos();
      if (lineNanos > 0) {
        wait.again(lineNanos);
        return false;
      }
    }
    return mayGoElsewhere();
  }

  boolean isAlone() {
    return alone != null;
  }

  @Override
  public void abandon() {
    if (isDone()) {
      return;
    }
    if (isLate) {
      // It would have taken longer still: else a slow daemon's answers would never be usual.
      reads.observed(this, System.nanoTime() - startNanos);
    }
    super.abandon();
    cancelRequest();
  }

  private void cancelRequest() {
    HBaseRpcController ownRequest = alone;
    if (ownRequest != null) {
      cancel(ownRequest);
    }
    SharedRequest sharedRequest = shared;
    if (sharedRequest != null) {
      sharedRequest.abandoned();
    }
  }

  /** Tells the daemon's connection that nobody waits for a request; it may still be answered. */
  static void cancel(HBaseRpcController request) {
    try {
      request.startCancel();
    } catch (RuntimeException e) {
      // HBase (NettyRpcConnection) reads the connection's channel twice, and finds none the second
      // time if it ends just then: the request has ended as well. Who closes a scanner has more to
      // let go of.
      LOG.debug("A request ends while it is given up", e);
    }
  }
}
