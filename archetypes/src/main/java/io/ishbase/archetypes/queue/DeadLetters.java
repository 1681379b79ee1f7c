package io.ishbase.archetypes.queue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;

/** Rows of messages that a group has given up. */
final class DeadLetters {
  private DeadLetters() {}

  /**
   * @param attempts to deliver it, without those of consumers that died as they buried it
   */
  static Put put(Keys keys, String group, Delivery delivery, int attempts) {
    Message message = delivery.message();
    return new Put(keys.dead(group, message.lane(), message.sequence()))
        .addColumn(
            Keys.MESSAGES,
            Keys.HEADER,
            new MessageLog.Header(message.timeMillis(), attempts).encode())
        .addColumn(Keys.MESSAGES, Keys.BODY, message.body());
  }

  static List<DeadLetter> read(Store store, Keys keys, String group) throws IOException {
    List<DeadLetter> letters = new ArrayList<>();
    for (int shard = 0; shard < keys.shards(); shard++) {
      for (Result row :
          store.scan(
              Results.prefixScan(keys.deadPrefix(shard, group)).addFamily(Keys.MESSAGES),
              Integer.MAX_VALUE)) {
        MessageLog.Header header =
            MessageLog.Header.decode(row.getValue(Keys.MESSAGES, Keys.HEADER));
        letters.add(
            new DeadLetter(
                new Message(
                    Keys.laneOfDead(row.getRow()),
                    Keys.sequence(row.getRow()),
                    header.timeMillis(),
                    row.getValue(Keys.MESSAGES, Keys.BODY)),
                header.number()));
      }
    }
    return letters;
  }
}
