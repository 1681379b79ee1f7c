package io.ishbase.archetypes.queue;

import java.util.Objects;

/**
 * A message as it was appended. Two are equal if they are the same message of the same queue.
 *
 * @param lane its producer's lane
 * @param sequence its number in the lane: 0, 1, 2 … without a gap
 * @param timeMillis when it was appended, by its producer's clock; never less than that of the
 *     message before it in the lane
 * @param body at least one byte; not to be changed
 */
public record Message(long lane, long sequence, long timeMillis, byte[] body) {
  @Override
  public boolean equals(Object other) {
    return other instanceof Message message && lane == message.lane && sequence == message.sequence;
  }

  @Override
  public int hashCode() {
    return Objects.hash(lane, sequence);
  }

  @Override
  public String toString() {
    return lane + "/" + sequence + " of " + body.length + " bytes";
  }
}
