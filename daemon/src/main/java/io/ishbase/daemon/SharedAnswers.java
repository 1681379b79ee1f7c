package io.ishbase.daemon;

import io.ishbase.protocol.Checksums;
import io.ishbase.protocol.generated.IssnProtos.Code;
import io.ishbase.protocol.generated.IssnProtos.ReadRequest;
import io.ishbase.protocol.generated.IssnProtos.ReadResponse;
import io.ishbase.protocol.generated.IssnProtos.SharedReadRequest;
import io.ishbase.protocol.generated.IssnProtos.SharedReadResponse;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Answers the reads of a shared request one after the other, until what the first of them have
 * taken would keep their readers waiting: the others are put off, to be asked again. Thread safe.
 */
final class SharedAnswers {
  /** After which no further read is begun. */
  static final long NANOS = TimeUnit.MILLISECONDS.toNanos(4);

  /** Of cells after which no further read is begun. */
  static final int BYTES = 256 << 10;

  private static final ReadResponse LATER = ReadResponse.newBuilder().setCode(Code.LATER).build();

  /**
   * For one read. Most end by themselves long before; a scan over much that is deleted would keep
   * the others from answers that are there, and goes on in a request of its own.
   */
  static final long MOST_NANOS = 12 * NANOS;

  /** Answers a read, still without a checksum. */
  interface Reads {
    /**
     * @param mostNanos after which the answer ends, behind some progress
     */
    ReadResponse answer(ReadRequest read, long mostNanos);
  }

  private final Reads reads;
  private final Runnable putOff;
  private final LongSupplier nanoClock;

  /**
   * @param putOff is told of each read that is not begun
   */
  SharedAnswers(Reads reads, Runnable putOff, LongSupplier nanoClock) {
    this.reads = reads;
    this.putOff = putOff;
    this.nanoClock = nanoClock;
  }

  SharedReadResponse to(SharedReadRequest request) {
    long deadlineNanos = nanoClock.getAsLong() + NANOS;
    long mostNanos = request.getReadCount() > 1 ? MOST_NANOS : Long.MAX_VALUE;
    int bytes = 0;
    SharedReadResponse.Builder answers = SharedReadResponse.newBuilder();
    for (ReadRequest read : request.getReadList()) {
      boolean isOver =
          answers.getAnswerCount() > 0
              && (bytes >= BYTES || nanoClock.getAsLong() - deadlineNanos > 0);
      ReadResponse answer = isOver ? later() : reads.answer(read, mostNanos);
      bytes += answer.getCells().size();
      answers.addAnswer(Checksums.sealed(answer.toBuilder().setAsked(read.getCrc32C()).build()));
    }
    return answers.build();
  }

  private ReadResponse later() {
    putOff.run();
    return LATER;
  }
}
