package io.ishbase.archetypes.queue;

import java.io.IOException;

/** What a queue refuses to do, and why. Nothing that a reader can see has changed. */
public final class QueueException extends IOException {
  private static final long serialVersionUID = 1;

  /** Why. */
  public enum Code {
    /** No queue has this name, or the table does not exist. */
    NO_SUCH_QUEUE,
    /** The queue has no such group. */
    NO_SUCH_GROUP,
    /** The queue has no such lane: it never had, or all that was in it is trimmed. */
    NO_SUCH_LANE,
    /** A queue or group has this name. */
    ALREADY_EXISTS,
    /** A name that is not 1 to 64 of {@code A-Z a-z 0-9 . _ -}. */
    BAD_NAME,
    /** A message without a byte. */
    EMPTY_BODY,
    /** A message of more bytes than the queue allows. */
    BODY_TOO_LARGE,
    /** A batch without a message, or of too many, or of too many bytes. */
    BAD_BATCH,
    /** A group of the other mode. */
    WRONG_MODE,
    /** The claim's time was over, or the group was sought elsewhere: somebody else may have it. */
    CLAIM_EXPIRED,
    /** The producer's lane was sealed: open another producer. */
    PRODUCER_FENCED,
    /** The outcome of the producer's last batch is unknown: {@link Producer#resume} it first. */
    BATCH_PENDING,
    /** The producer was closed. */
    CLOSED,
    /** A cell of the queue holds what this version cannot read. */
    DAMAGED
  }

  private final Code code;

  QueueException(Code code, String message) {
    super(code + ": " + message);
    this.code = code;
  }

  /** Why. */
  public Code code() {
    return code;
  }
}
