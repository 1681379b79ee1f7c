package io.ishbase.archetypes.queue;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.ishbase.archetypes.queue.QueueException.Code;
import java.nio.ByteBuffer;
import java.util.regex.Pattern;

/**
 * The row keys of a queue. All begin with a shard (a byte), the queue's name, a zero byte and a
 * kind; numbers are 8 bytes, big endian, so that their order is that of rows:
 *
 * <pre>
 *   00    queue 00 q                             the registry
 *   shard queue 00 m lane sequence               a message
 *   shard queue 00 g group 00 lane               how far a group is in a lane, and its results
 *   shard queue 00 d group 00 lane sequence      a dead letter
 * </pre>
 *
 * A lane's shard is its number modulo the queue's shards.
 */
final class Keys {
  /** Messages and dead letters. */
  static final byte[] MESSAGES = {'m'};

  /** Everything else. */
  static final byte[] STATE = {'s'};

  /** Of a message: its time, and which it is in its batch; of a dead letter the attempts, too. */
  static final byte[] HEADER = {'h'};

  static final byte[] BODY = {'b'};

  /** Where a message would be, that none ever is there. */
  static final byte[] SEAL = {'e'};

  static final byte[] REGISTRY = {'q'};

  /** How far a group is in a lane. */
  static final byte[] PROGRESS = {'p'};

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,64}");

  private final byte[] queue;
  private final int shards;

  Keys(String queue, int shards) {
    this.queue = queue.getBytes(US_ASCII);
    this.shards = shards;
  }

  static String checkName(String what, String name) throws QueueException {
    if (!NAME.matcher(name).matches()) {
      throw new QueueException(
          Code.BAD_NAME, what + " '" + name + "': 1 to 64 of letters, digits, '.', '_' and '-'");
    }
    return name;
  }

  static byte[] registry(String queue) {
    return new Keys(queue, 1).prefix(0, 'q', 0).array();
  }

  byte[] message(long lane, long sequence) {
    return prefix(shard(lane), 'm', 16).putLong(lane).putLong(sequence).array();
  }

  /** The first row behind all messages of {@code lane}. */
  byte[] laneEnd(long lane) {
    return message(lane, Long.MAX_VALUE);
  }

  static long sequence(byte[] message) {
    return lastLong(message);
  }

  byte[] progress(String group, long lane) {
    return group(shard(lane), 'g', group, 8).putLong(lane).array();
  }

  static long laneOfProgress(byte[] progress) {
    return lastLong(progress);
  }

  byte[] progressPrefix(int shard, String group) {
    return group(shard, 'g', group, 0).array();
  }

  byte[] dead(String group, long lane, long sequence) {
    return group(shard(lane), 'd', group, 16).putLong(lane).putLong(sequence).array();
  }

  static long laneOfDead(byte[] dead) {
    return ByteBuffer.wrap(dead).getLong(dead.length - 16);
  }

  byte[] deadPrefix(int shard, String group) {
    return group(shard, 'd', group, 0).array();
  }

  int shards() {
    return shards;
  }

  private int shard(long lane) {
    return (int) (lane % shards);
  }

  private static long lastLong(byte[] key) {
    return ByteBuffer.wrap(key).getLong(key.length - 8);
  }

  private ByteBuffer group(int shard, char kind, String group, int more) {
    byte[] name = group.getBytes(US_ASCII);
    return prefix(shard, kind, name.length + 1 + more).put(name).put((byte) 0);
  }

  private ByteBuffer prefix(int shard, char kind, int more) {
    return ByteBuffer.allocate(1 + queue.length + 2 + more)
        .put((byte) shard)
        .put(queue)
        .put((byte) 0)
        .put((byte) kind);
  }
}
