package io.ishbase.archetypes.queue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;
import org.jspecify.annotations.Nullable;

/**
 * The messages of all lanes, a row for each.
 *
 * <p>A batch is written from its second message on, and its first, the <em>door</em>, last. As
 * nobody reads past a number that is missing, a batch is there as a whole or not at all, and a
 * number that is missing is never filled behind a reader's back.
 */
final class MessageLog {
  /** Of a message: its time and which it is in its batch, 0 for the door. */
  record Header(long timeMillis, int number) {
    byte[] encode() {
      return ByteBuffer.allocate(12).putLong(timeMillis).putInt(number).array();
    }

    static Header decode(byte[] bytes) {
      ByteBuffer buffer = ByteBuffer.wrap(bytes);
      return new Header(buffer.getLong(), buffer.getInt());
    }
  }

  private final Store store;
  private final Keys keys;

  MessageLog(Store store, Keys keys) {
    this.store = store;
    this.keys = keys;
  }

  /**
   * A message's row. Its cells bear its time: who writes it a second time changes nothing, and what
   * was trimmed does not come back.
   */
  Put put(Message message, int inBatch) {
    long time = message.timeMillis();
    return new Put(keys.message(message.lane(), message.sequence()), time)
        .addColumn(Keys.MESSAGES, Keys.HEADER, new Header(time, inBatch).encode())
        .addColumn(Keys.MESSAGES, Keys.BODY, message.body());
  }

  /** Up to {@code max} messages from {@code from} on, up to the first that is missing. */
  List<Message> read(long lane, long from, long max) throws IOException {
    List<Message> messages = new ArrayList<>();
    if (max <= 0) {
      return messages;
    }
    Scan scan =
        new Scan()
            .withStartRow(keys.message(lane, from))
            .withStopRow(keys.laneEnd(lane))
            .addFamily(Keys.MESSAGES);
    for (Result row : store.scan(scan, (int) Math.min(max, Integer.MAX_VALUE))) {
      Message message = message(lane, row);
      if (message.sequence() != from + messages.size()) {
        break;
      }
      messages.add(message);
    }
    return messages;
  }

  /** Those of {@code sequences} that are there. */
  SortedMap<Long, Message> read(long lane, List<Long> sequences) throws IOException {
    SortedMap<Long, Message> messages = new TreeMap<>();
    if (sequences.isEmpty()) {
      return messages;
    }
    List<Get> gets =
        sequences.stream()
            .map(sequence -> new Get(keys.message(lane, sequence)).addFamily(Keys.MESSAGES))
            .toList();
    for (Result row : store.get(gets)) {
      if (!row.isEmpty()) {
        messages.put(Keys.sequence(row.getRow()), message(lane, row));
      }
    }
    return messages;
  }

  private static Message message(long lane, Result row) {
    return new Message(
        lane,
        Keys.sequence(row.getRow()),
        Header.decode(row.getValue(Keys.MESSAGES, Keys.HEADER)).timeMillis,
        row.getValue(Keys.MESSAGES, Keys.BODY));
  }

  /** The header of a message, null if it is missing. */
  @Nullable Header header(long lane, long sequence) throws IOException {
    Result row =
        store.get(new Get(keys.message(lane, sequence)).addColumn(Keys.MESSAGES, Keys.HEADER));
    return row.isEmpty() ? null : Header.decode(row.getValue(Keys.MESSAGES, Keys.HEADER));
  }

  /** Whether a seal stands behind a number. */
  boolean isSealedBehind(long lane, long sequence) throws IOException {
    Scan seals =
        new Scan()
            .withStartRow(keys.message(lane, sequence), false)
            .withStopRow(keys.laneEnd(lane))
            .addColumn(Keys.STATE, Keys.SEAL);
    return !store.scan(seals, 1).isEmpty();
  }

  /**
   * The number of the first message that is missing; {@code lane}'s floor if there is none from it
   * on, as when the lane was trimmed to a higher one meanwhile.
   */
  long tail(Lane lane) throws IOException {
    Scan backwards =
        new Scan()
            .setReversed(true)
            .withStartRow(keys.laneEnd(lane.id()))
            // Below the floor there are only deletes.
            .withStopRow(keys.message(lane.id(), lane.floor()), true)
            .addColumn(Keys.MESSAGES, Keys.HEADER);
    List<Result> last = store.scan(backwards, 1);
    if (last.isEmpty()) {
      return lane.floor();
    }
    long sequence = Keys.sequence(last.get(0).getRow());
    if (sequence >= lane.end()) {
      // Of a batch whose producer was fenced.
      return lane.end();
    }
    int number = Header.decode(last.get(0).getValue(Keys.MESSAGES, Keys.HEADER)).number;
    long door = sequence - number;
    return number == 0 || door < lane.floor() || header(lane.id(), door) != null
        ? sequence + 1
        : door;
  }

  /** Deletes of what the door was never opened to, behind the lane's end. */
  List<Delete> unreachable(Lane lane) throws IOException {
    Scan behind =
        new Scan()
            .withStartRow(keys.message(lane.id(), lane.end()))
            .withStopRow(keys.laneEnd(lane.id()))
            .addColumn(Keys.MESSAGES, Keys.HEADER);
    return store.scan(behind, Producer.MAX_BATCH).stream()
        .map(
            row ->
                new Delete(row.getRow()).addFamily(Keys.MESSAGES, row.rawCells()[0].getTimestamp()))
        .toList();
  }

  /** The first message that is not older than {@code timeMillis}, or the tail. */
  long firstSince(Lane lane, long timeMillis) throws IOException {
    long low = lane.floor();
    long high = tail(lane);
    while (low < high) {
      long middle = low + (high - low) / 2;
      Header header = header(lane.id(), middle);
      // What is missing was trimmed meanwhile.
      if (header == null || header.timeMillis < timeMillis) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
}
