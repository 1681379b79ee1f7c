package io.ishbase.plugin.node;

import io.ishbase.core.Reason;
import io.ishbase.protocol.generated.IssnProtos.Code;
import io.ishbase.protocol.generated.IssnProtos.ReadResponse;
import io.ishbase.protocol.generated.IssnProtos.SharedReadRequest;
import io.ishbase.protocol.generated.IssnProtos.SharedReadResponse;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.apache.hadoop.hbase.ipc.HBaseRpcController;
import org.jspecify.annotations.Nullable;

/**
 * A request of several readers to one daemon. Each of them gets its own answer or failure out of
 * it; which answer is whose, the daemon says with the checksum of the read that it answers.
 */
final class SharedRequest {
  private final List<PendingRead> reads;
  private final HBaseRpcController controller;

  SharedRequest(List<PendingRead> reads, HBaseRpcController controller) {
    this.reads = reads;
    this.controller = controller;
    reads.forEach(read -> read.sentIn(this));
  }

  SharedReadRequest message() {
    SharedReadRequest.Builder message = SharedReadRequest.newBuilder();
    reads.forEach(read -> message.addRead(read.request()));
    return message.build();
  }

  /** A reader has gone. Without any left nobody waits for the answer. */
  void abandoned() {
    if (reads.stream().allMatch(PendingRead::isDone)) {
      controller.startCancel();
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
   */
  void answered(
      SharedReadResponse response,
      BiConsumer<PendingRead, ReadResponse> arrived,
      Consumer<PendingRead> later) {
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
        answered(read, response.getAnswer(i), arrived, later);
      } catch (RuntimeException e) {
        // A defect: it must not keep the others from their answers.
        read.completeExceptionally(new DaemonException(Reason.BAD_ANSWER, e));
      }
    }
  }

  private static void answered(
      PendingRead read,
      ReadResponse answer,
      BiConsumer<PendingRead, ReadResponse> arrived,
      Consumer<PendingRead> later) {
    // A daemon of another version may not say whose answer it is.
    boolean isItsOwn =
        answer.getCode() == Code.VERSION
            || answer.hasAsked() && answer.getAsked() == read.request().getCrc32C();
    if (!isItsOwn) {
      read.completeExceptionally(
          new DaemonException(Reason.BAD_ANSWER, "The answer to another read"));
    } else if (answer.getCode() == Code.LATER) {
      later.accept(read);
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
