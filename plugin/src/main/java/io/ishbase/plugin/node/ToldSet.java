package io.ishbase.plugin.node;

import io.ishbase.protocol.ReadSet;
import io.ishbase.protocol.generated.IssnProtos.Code;
import io.ishbase.protocol.generated.IssnProtos.ReadRequest;
import io.ishbase.protocol.generated.IssnProtos.ReadResponse;
import org.jspecify.annotations.Nullable;

/**
 * What reads of a store have in common, and whether a daemon has been told. That it has been is
 * believed when it has answered a read that told it; that it no longer has it, it says. The read
 * point and the bytes of the read that told it are part of what a handle stands for; others say
 * theirs where they differ.
 *
 * <p>Thread safe without a lock: who believes too little tells it once more, who believes too much
 * is corrected by the daemon.
 */
final class ToldSet {
  /** What came back to a message. */
  enum Outcome {
    /** The daemon's answer to the read, whatever it says. */
    ANSWER,
    /** The daemon does not know the handle: the read is to be sent once more, in full. */
    UNKNOWN,
    /** The answer to something else. */
    OTHERS
  }

  private final int bytes;

  /** With which it was told the last time, so that others who tell it need not hash it again. */
  private volatile ReadSet telling;

  /** With which the daemon has it; null: it has not, as far as is known. */
  private volatile @Nullable ReadSet told;

  ToldSet(ReadSet set) {
    this.telling = set;
    this.bytes = set.bytes();
  }

  /** Encoded size of what it stands for, about. */
  int bytes() {
    return bytes;
  }

  /**
   * {@code full} as it is to be sent.
   *
   * @param set what it has in common with others; null: nothing
   * @param mayRefer whether what the daemon knows need not be told again
   */
  static ReadRequest message(@Nullable ToldSet set, ReadRequest full, boolean mayRefer) {
    if (set == null) {
      return full;
    }
    ReadSet known = set.told;
    return mayRefer && known != null ? known.shortened(full) : set.telling(full);
  }

  private ReadRequest telling(ReadRequest full) {
    ReadSet last = telling;
    if (!last.isOf(full)) {
      last = ReadSet.of(full);
      telling = last;
    }
    return last.taughtBy(full);
  }

  /**
   * Takes note of what came back.
   *
   * @param set with which the message was made
   * @param message as it was sent
   */
  static Outcome received(@Nullable ToldSet set, ReadRequest message, ReadResponse response) {
    return set == null ? Outcome.ANSWER : set.received(message, response);
  }

  private Outcome received(ReadRequest message, ReadResponse response) {
    if (response.getCode() == Code.UNKNOWN_HANDLE && ReadSet.isShort(message)) {
      forget(message);
      return Outcome.UNKNOWN;
    }
    if (!isItsOwn(message, response)) {
      forget(message);
      return Outcome.OTHERS;
    }
    if (response.getCode() == Code.OK && !ReadSet.isShort(message)) {
      ReadSet last = telling;
      told = last.handle() == message.getHandle() ? last : ReadSet.of(message);
    } else if (response.getCode() == Code.BAD_REQUEST) {
      // What the daemon has by that handle may be something else.
      forget(message);
    }
    return Outcome.ANSWER;
  }

  private void forget(ReadRequest message) {
    ReadSet known = told;
    if (known != null && known.handle() == message.getHandle()) {
      told = null;
    }
  }

  /** Whether that is said to be the answer to the read that {@code message} means. */
  static boolean isItsOwn(ReadRequest message, ReadResponse response) {
    // A daemon of another version may not say whose answer it is.
    return response.getCode() == Code.VERSION
        || response.hasAsked() && response.getAsked() == message.getCrc32C();
  }
}
