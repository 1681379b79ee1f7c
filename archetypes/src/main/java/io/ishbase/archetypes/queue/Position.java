package io.ishbase.archetypes.queue;

import io.ishbase.archetypes.queue.QueueException.Code;
import java.nio.ByteBuffer;

/**
 * How far an exactly-once group is in a lane.
 *
 * @param next the message whose effects come next
 * @param token of whoever wrote it, drawn anew for each write: who lost the answer to a write knows
 *     it again, and a position that was sought back is not taken for the one that it equals
 */
record Position(long next, long token) {
  byte[] encode() {
    return ByteBuffer.allocate(16).putLong(next).putLong(token).array();
  }

  static Position decode(byte[] bytes) throws QueueException {
    if (bytes.length != 16) {
      throw new QueueException(Code.DAMAGED, "a position of " + bytes.length + " bytes");
    }
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    return new Position(buffer.getLong(), buffer.getLong());
  }
}
