package io.ishbase.archetypes.queue;

/** What a client of a queue writes, in the order in which it does. */
public enum Step {
  /** A queue, a group or a lane, in the registry. */
  REGISTER,
  /** A batch's messages but the first: nobody can see them. */
  APPEND_REST,
  /** A batch's first message: all of the batch can be seen. */
  APPEND_DOOR,
  /** A claim. */
  CLAIM,
  /** A dead letter, which is claimed. */
  BURY,
  /** An acknowledgement or release. */
  SETTLE,
  /** Effects and position. */
  COMMIT,
  /** The seal of a lane. */
  SEAL,
  /** The lane's end in the registry. */
  SEAL_NOTED,
  /** Positions of groups that are behind a retention. */
  TRIM_GROUPS,
  /** The lowest message that there is, in the registry. */
  TRIM_FLOOR,
  /** Deletes of messages below. */
  TRIM_DELETE,
  /** In the registry that they are deleted. */
  TRIM_NOTED
}
