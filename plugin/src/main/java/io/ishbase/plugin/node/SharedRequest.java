package io.ishbase.plugin.node;

import io.ishbase.core.Reason;
import io.ishbase.protocol.Spans;
import io.ishbase.protocol.generated.IssnProtos.Code;
import io.ishbase.protocol.generated.IssnProtos.ReadRequest;
import io.ishbase.protocol.generated.IssnProtos.ReadResponse;
import io.ishbase.protocol.generated.IssnProtos.SharedReadRequest;
import io.ishbase.protocol.generated.IssnProtos.SharedReadResponse;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import org.apache.hadoop.hbase.ipc.HBaseRpcController;
import org.jspecify.annotations.Nullable;

/**
 * A request of several readers to one daemon. Each of them gets its own answer or failure out of
 * it; which answer is whose, the daemon says with the checksum of the read that it answers.
 *
 * <p>A request has one trace. It belongs to that of the first reader whose read is recorded; its
 * span and those of all recorded reads are linked.
 */
final class SharedRequest {
  private final List<PendingRead> reads;
  private final SharedReadRequest message;
  private final HBaseRpcController controller;

  /** Its own, or invalid if no reader's is recorded. */
  private final Span span;

  /** That of the reader to whose trace it belongs. */
  private final Context trace;

  /**
   * @param form as what a read is sent
   */
  SharedRequest(
      List<PendingRead> reads,
      Function<PendingRead, ReadRequest> form,
      HBaseRpcController controller) {
    this.reads = reads;
    this.controller = controller;
    SharedReadRequest.Builder together = SharedReadRequest.newBuilder();
    reads.forEach(read -> together.addRead(form.apply(read)));
    this.message = together.build();
    PendingRead recorded = firstRecorded(reads);
    this.trace = recorded == null ? reads.get(0).trace() : recorded.trace();
    this.span = recorded == null ? Span.getInvalid() : begin(reads, trace);
    reads.forEach(read -> read.sentIn(this));
  }

  private static @Nullable PendingRead firstRecorded(List<PendingRead> reads) {
    for (PendingRead read : reads) {
      if (Span.fromContext(read.trace()).isRecording()) {
        return read;
      }
    }
    return null;
  }

  private static Span begin(List<PendingRead> reads, Context trace) {
    Span begun = Spans.builder("InStorage.sharedRead").setParent(trace).startSpan();
    begun.setAttribute(Spans.READS, reads.size());
    for (int i = 0; i < reads.size(); i++) {
      Span reader = Span.fromContext(reads.get(i).trace());
      if (reader.isRecording()) {
        reader.addLink(begun.getSpanContext()).setAttribute(Spans.INDEX, i);
        begun.addLink(reader.getSpanContext());
      }
    }
    return begun;
  }

  /** What the thread sends until the result is closed belongs to the request's trace. */
  @SuppressWarnings("MustBeClosedChecker") // by the caller
  Scope enterTrace() {
    return span.isRecording() ? trace.with(span).makeCurrent() : Spans.enter(trace);
  }

  /** The daemon has answered, or will not. */
  void ended() {
    span.end();
  }

  SharedReadRequest message() {
    return message;
  }

  /** A reader has gone. Without any left nobody waits for the answer. */
  void abandoned() {
    if (reads.stream().allMatch(PendingRead::isDone)) {
      PendingRead.cancel(controller);
    }
  }

  /** How many of the reads the daemon has begun; 0: there is no answer. */
  static int begun(@Nullable SharedReadResponse response) {
    int begun = 0;
    if (response != null) {
      for (ReadResponse answer : response.getAnswerList()) {
        begun += answer.getCode() == Code.LATER ? 0 : 1;
      }
    }
    return begun;
  }

  /**
   * Gives each reader what is its own of the answer.
   *
   * @param arrived takes an answer
   * @param later takes a read that the daemon has put off
   * @param unknown takes a read whose handle the daemon does not know
   */
  void answered(
      SharedReadResponse response,
      BiConsumer<PendingRead, ReadResponse> arrived,
      Consumer<PendingRead> later,
      Consumer<PendingRead> unknown) {
    if (response.getAnswerCount() != reads.size()) {
      failed(
          new DaemonException(
              Reason.BAD_ANSWER,
              response.getAnswerCount() + " answers to " + reads.size() + " reads"));
      return;
    }
    for (int i = 0; i < reads.size(); i++) {
      PendingRead read = reads.get(i);
      try {
        answered(read, message.getRead(i), response.getAnswer(i), arrived, later, unknown);
      } catch (RuntimeException e) {
        // A defect: it must not keep the others from their answers.
        read.completeExceptionally(new DaemonException(Reason.BAD_ANSWER, e));
      }
    }
  }

  private static void answered(
      PendingRead read,
      ReadRequest message,
      ReadResponse answer,
      BiConsumer<PendingRead, ReadResponse> arrived,
      Consumer<PendingRead> later,
      Consumer<PendingRead> unknown) {
    if (!ToldSet.isItsOwn(message, answer)) {
      ToldSet.received(read.set(), message, answer);
      read.completeExceptionally(
          new DaemonException(Reason.BAD_ANSWER, "The answer to another read"));
    } else if (answer.getCode() == Code.LATER) {
      later.accept(read);
    } else if (ToldSet.received(read.set(), message, answer) == ToldSet.Outcome.UNKNOWN) {
      unknown.accept(read);
    } else {
      arrived.accept(read, answer);
    }
  }

  /** There is no answer, for none of the readers. */
  void failed(DaemonException failure) {
    for (PendingRead read : reads) {
      read.completeExceptionally(new DaemonException(failure));
    }
  }
}
