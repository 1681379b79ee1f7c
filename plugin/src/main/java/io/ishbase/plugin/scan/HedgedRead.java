package io.ishbase.plugin.scan;

import io.ishbase.core.Reason;
import io.ishbase.core.Wait;
import io.ishbase.core.metric.Metric;
import io.ishbase.plugin.metrics.InStorageMetrics;
import io.ishbase.plugin.node.DaemonException;
import io.ishbase.plugin.node.ReadCall;
import io.ishbase.plugin.node.StorageNode;
import io.ishbase.protocol.Spans;
import io.ishbase.protocol.generated.IssnProtos.Code;
import io.ishbase.protocol.generated.IssnProtos.ReadRequest;
import io.ishbase.protocol.generated.IssnProtos.ReadResponse;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.context.Scope;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.apache.hadoop.hbase.CellComparator;
import org.jspecify.annotations.Nullable;

/**
 * A request to a storage node, and to another one that holds the files if the first is late or
 * away. The answer that comes first is taken, the other call is abandoned. Used by one thread.
 *
 * <p>A late answer may be asked for elsewhere as long as such requests are few. Where no other node
 * holds the files a Get goes home, over a short line later; a scan, and the Gets of a call, wait
 * on, for going home is for good and for all of them. Whoever waits for a node that is away goes
 * elsewhere in any case.
 *
 * <p>In a trace it is one span, from the request until the answer is taken, whoever gives it.
 */
final class HedgedRead {
  private final ReadContext context;
  private final ReadRequest request;
  private final boolean mayGoHome;
  private final Span span = Spans.begin("InStorage.read");
  private StorageNode node;
  private ReadCall call;
  private @Nullable StorageNode otherNode;
  private @Nullable ReadCall other;

  /** Whether another than the first is waited for. */
  private boolean hasMoved;

  /**
   * Sends {@code request} to {@code node}.
   *
   * @param mayGoHome whether HBase's own path is worth while if the answer is merely late
   */
  HedgedRead(ReadContext context, StorageNode node, ReadRequest request, boolean mayGoHome) {
    this.context = context;
    this.node = node;
    this.request = request;
    this.mayGoHome = mayGoHome;
    if (span.isRecording()) {
      span.setAttribute(Spans.NODE, node.name()).setAttribute(Spans.FILES, request.getFileCount());
    }
    this.call = ask(node);
  }

  private ReadCall ask(StorageNode asked) {
    try (Scope ignored = Spans.enter(span)) {
      return context.client().read(asked.address(), request);
    }
  }

  /** The node whose answer was taken, or that failed. */
  StorageNode node() {
    return node;
  }

  /** When its answer came, or it failed. */
  long endedMillis() {
    return call.endedMillis();
  }

  /**
   * Waits for the answer.
   *
   * @throws DaemonException if none came, or it is no batch: the fault of {@link #node}
   */
  NodeBatch await(CellComparator comparator) throws IOException {
    try {
      ReadResponse answer = awaitAnswer(comparator);
      NodeBatch batch = NodeBatch.of(answer, request, call.dictionary(), comparator);
      took(answer, batch);
      return batch;
    } catch (DaemonException e) {
      if (span.isRecording()) {
        span.setAttribute(Spans.FALLBACK, Metric.word(e.reason()));
        Spans.failed(span, e);
      }
      throw e;
    } finally {
      span.end();
    }
  }

  /** Nobody waits for the answer yet. */
  void ahead() {
    span.setAttribute(Spans.AHEAD, true);
  }

  private void took(ReadResponse answer, NodeBatch batch) {
    if (span.isRecording()) {
      span.setAttribute(Spans.NODE, node.name())
          .setAttribute(Spans.CELLS, answer.getCellCount())
          .setAttribute(Spans.BYTES, answer.getCells().size())
          .setAttribute(Spans.BLOCK_BYTES, batch.blockBytes(0, Integer.MAX_VALUE));
    }
  }

  private ReadResponse awaitAnswer(CellComparator comparator) throws IOException {
    Wait wait = call.beginWait();
    while (true) {
      if (call.isDone()) {
        try {
          ReadResponse answer = call.answer();
          if (isRefusal(answer.getCode()) && goesOn(refusal(call, comparator))) {
            wait = call.beginWait();
            continue;
          }
          abandonOther();
          return answer;
        } catch (DaemonException e) {
          if (!goesOn(e)) {
            throw e;
          }
          wait = call.beginWait();
        }
      } else if (other != null && other.isDone()) {
        if (hasAnswered(other)) {
          InStorageMetrics.get().hedgeWon();
          giveUp(call, node);
          takeOther();
        } else {
          // Whatever it is, the first one has not failed.
          if (otherNode != null) {
            context.failed(otherNode, paths(), refusal(other, comparator));
          }
          abandonOther();
          // It was late already: what else can be done about it is asked again behind a step.
          wait = call.beginWait();
        }
      } else if (call.step(anyOf(), wait) && late(wait)) {
        wait = call.beginWait();
      }
    }
  }

  /** Whether another daemon may answer what this one does not. */
  private static boolean isRefusal(Code code) {
    return code != Code.OK && code != Code.FILTER && code != Code.FILTER_FAILED;
  }

  /** Why a call that is done was not answered: whom and which files that blames. */
  private DaemonException refusal(ReadCall done, CellComparator comparator) throws IOException {
    try {
      NodeBatch.of(done.answer(), request, done.dictionary(), comparator);
    } catch (DaemonException e) {
      return e;
    }
    throw new AssertionError("It was answered");
  }

  private Future<?> anyOf() {
    return other == null ? call : CompletableFuture.anyOf(call, other);
  }

  private static boolean hasAnswered(ReadCall done) {
    try {
      return done.answer().getCode() == Code.OK;
    } catch (DaemonException e) {
      return false;
    }
  }

  /** Whether another call is waited for now. */
  private boolean late(Wait wait) throws DaemonException {
    if (other != null) {
      return false;
    }
    StorageNode holder = otherHolder(false);
    if (holder == null) {
      if (!call.askAgain(wait) && mayGoHome && call.mayGoHome(wait)) {
        throw new DaemonException(Reason.LATE, "Late at " + node);
      }
      return false;
    }
    if (!context.health().admits(holder.name())) {
      return false;
    }
    if (call.withdraw()) {
      giveUp(call, node);
      send(holder);
      takeOther();
      return true;
    }
    if (call.mayGoElsewhere()) {
      InStorageMetrics.get().hedged();
      send(holder);
    } else {
      context.health().untried(holder);
    }
    return false;
  }

  /** Whether the answer may still come, although the call has failed. */
  private boolean goesOn(DaemonException failure) {
    if (failure.reason() == Reason.TIMEOUT
        && (other == null || !other.isDone() || !hasAnswered(other))) {
      // Its time is over, whoever else was asked, and its reader knows whose fault that is.
      abandonOther();
      return false;
    }
    StorageNode holder = null;
    if (other == null) {
      holder = failure.reason().isNodeAway() && !hasMoved ? otherHolder(true) : null;
      // After a failure of its own others may be trying.
      if (holder == null || !context.health().admits(holder.name())) {
        return false;
      }
      if (failure.reason() == Reason.SILENT) {
        // The first request may be under way still.
        InStorageMetrics.get().hedged();
      }
    }
    // Before the other is asked, who may be the same process begun again: the connection is cut.
    context.failed(node, paths(), failure, call.endedMillis());
    if (holder != null) {
      InStorageMetrics.get().moved();
      send(holder);
    }
    takeOther();
    return true;
  }

  private @Nullable StorageNode otherHolder(boolean isAway) {
    return context.locations().other(node, isAway, paths());
  }

  private void send(StorageNode holder) {
    otherNode = holder;
    if (span.isRecording()) {
      span.addEvent("hedge", Attributes.of(Spans.NODE, holder.name()));
    }
    other = ask(holder);
  }

  private void takeOther() {
    if (other != null && otherNode != null) {
      hasMoved = true;
      call = other;
      node = otherNode;
      other = null;
      otherNode = null;
    }
  }

  private List<String> paths() {
    return Guards.paths(request.getDirectory(), request.getFileList());
  }

  /** Gives up on the answer. */
  void abandon() {
    if (span.isRecording()) {
      span.setAttribute(Spans.ABANDONED, true);
      span.end();
    }
    if (isUntold(call)) {
      context.health().untried(node, this::paths);
    }
    call.abandon();
    abandonOther();
  }

  /** The files are read by another. */
  private void giveUp(ReadCall given, StorageNode of) {
    if (isUntold(given)) {
      context.health().untried(of);
    }
    given.abandon();
  }

  /**
   * Whether nobody will say how it ended: if it was the one try after a failure, another is due.
   */
  private static boolean isUntold(ReadCall given) {
    return !given.isDone() || hasAnswered(given);
  }

  private void abandonOther() {
    if (other != null && otherNode != null) {
      giveUp(other, otherNode);
      other = null;
      otherNode = null;
    }
  }
}
