package io.ishbase.archetypes.queue;

import io.ishbase.archetypes.queue.GroupOptions.Mode;
import io.ishbase.archetypes.queue.QueueException.Code;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.Put;

/**
 * A queue: lanes of messages, one for each producer, and groups of consumers, each of which is
 * given every message. Order is that of a lane; between lanes there is none. Safe for threads; so
 * are many objects of one queue, in many processes.
 *
 * <p>All methods throw {@link QueueException} for what is refused, and other {@link IOException}s
 * if HBase fails; then they can be called again.
 */
public final class Queue {
  private final Store store;
  private final Keys keys;
  private final RegistryCell cell;
  private final MessageLog log;

  Queue(Store store, String name, int shards) {
    this.store = store;
    keys = new Keys(name, shards);
    cell = new RegistryCell(store, name);
    log = new MessageLog(store, keys);
  }

  /** A producer with a lane of its own. */
  public Producer producer() throws IOException {
    return new Producer(store, keys, cell);
  }

  /**
   * Makes a group that is given all messages that are not trimmed; {@link #seekToEnd} for one that
   * is given those that come.
   */
  public void createGroup(String group, GroupOptions options) throws IOException {
    Keys.checkName("group", group);
    cell.update(
        Step.REGISTER,
        before -> {
          if (before.groups().containsKey(group)) {
            throw new QueueException(Code.ALREADY_EXISTS, "group '" + group + "'");
          }
          return before.with(group, options);
        });
  }

  /** One more consumer of an at-least-once group. */
  public Consumer consumer(String group) throws IOException {
    return new Consumer(store, keys, cell, group, cell.read().group(group, Mode.AT_LEAST_ONCE));
  }

  /** One more consumer of an exactly-once group. */
  public ExactlyOnceConsumer exactlyOnceConsumer(String group) throws IOException {
    cell.read().group(group, Mode.EXACTLY_ONCE);
    return new ExactlyOnceConsumer(store, keys, cell, group);
  }

  /** The numbers of the lanes, but of those that are trimmed to their end. */
  public SortedSet<Long> lanes() throws IOException {
    return new TreeSet<>(cell.read().lanes().keySet());
  }

  /** How many messages {@code group} has not acknowledged, or has not applied. */
  public long depth(String group) throws IOException {
    Registry registry = cell.read();
    Mode mode = registry.group(group).mode();
    long depth = 0;
    for (Lane lane : registry.lanes().values()) {
      byte[] bytes = progress(group, lane.id()).read();
      long left = log.tail(lane) - Progress.head(mode, bytes, lane);
      if (mode == Mode.AT_LEAST_ONCE) {
        left -= Progress.window(bytes, lane).doneAhead();
      }
      // The tail is below the head if the lane was trimmed since the registry was read.
      depth += Math.max(0, left);
    }
    return depth;
  }

  /**
   * Lets {@code group} go on in {@code lane} at {@code sequence}, or as near to it as there are
   * messages. Claims in the lane expire. Of an exactly-once group, effects of what it is given
   * again are applied again.
   */
  public void seek(String group, long lane, long sequence) throws IOException {
    Registry registry = cell.read();
    seek(registry, group, List.of(registry.lane(lane)), one -> sequence);
  }

  /** As {@link #seek}, in all lanes to the first message that is not older than {@code time}. */
  public void seekToTime(String group, Instant time) throws IOException {
    seekAll(group, lane -> log.firstSince(lane, millis(time)));
  }

  /** As {@link #seek}, in all lanes to the first message that is not trimmed. */
  public void seekToStart(String group) throws IOException {
    seekAll(group, lane -> 0);
  }

  /** As {@link #seek}, in all lanes behind the last message. */
  public void seekToEnd(String group) throws IOException {
    seekAll(group, lane -> Long.MAX_VALUE);
  }

  /** Where to go in a lane. */
  private interface Target {
    long of(Lane lane) throws IOException;
  }

  private void seekAll(String group, Target target) throws IOException {
    Registry registry = cell.read();
    seek(registry, group, registry.lanes().values(), target);
  }

  private void seek(Registry registry, String group, Collection<Lane> lanes, Target target)
      throws IOException {
    Mode mode = registry.group(group).mode();
    for (Lane lane : lanes) {
      seek(mode, group, lane.id(), target.of(lane));
    }
    // A new stamp: who has read the old positions to trim by them does not.
    cell.update(Step.SETTLE, before -> before);
  }

  private void seek(Mode mode, String group, long lane, long sequence) throws IOException {
    Progress progress = progress(group, lane);
    while (true) {
      // Before the tail: who is there when it is looked for is not taken back.
      byte[] was = progress.read();
      Lane before = cell.read().lanes().get(lane);
      if (before == null) {
        return;
      }
      long to = Math.max(before.floor(), Math.min(sequence, log.tail(before)));
      // Of a batch whose first messages are trimmed meanwhile the tail would be their place.
      Lane after = cell.read().lanes().get(lane);
      boolean isAsItWas = after != null && after.floor() == before.floor();
      if (isAsItWas && progress.swap(Step.SETTLE, was, Progress.at(mode, to))) {
        return;
      }
    }
  }

  /**
   * Ends a lane behind its last message. A producer that still lives is fenced: its next batch is
   * refused, nothing that it was told is appended is lost.
   */
  public void seal(long lane) throws IOException {
    while (true) {
      Lane known = cell.read().lane(lane);
      if (!known.isOpen()) {
        return;
      }
      long end = log.tail(known);
      if (sealAt(lane, end) && noteSeal(lane, end)) {
        return;
      }
    }
  }

  /** Not if something was appended there. */
  private boolean sealAt(long lane, long end) throws IOException {
    byte[] row = keys.message(lane, end);
    Put seal = new Put(row).addColumn(Keys.STATE, Keys.SEAL, new byte[] {1});
    CheckAndMutate unlessAppended =
        CheckAndMutate.newBuilder(row).ifNotExists(Keys.MESSAGES, Keys.HEADER).build(seal);
    return store.swap(Step.SEAL, unlessAppended);
  }

  private boolean noteSeal(long lane, long end) throws IOException {
    Registry after =
        cell.update(
            Step.SEAL_NOTED,
            before -> {
              Lane now = before.lane(lane);
              // Messages from its end on may have been trimmed when the end was looked for.
              return now.isOpen() && now.floor() <= end ? before.with(now.withEnd(end)) : null;
            });
    return !after.lane(lane).isOpen();
  }

  /**
   * Seals the lanes in which nothing was appended for {@code idle}, by this object's clock and the
   * producers'.
   *
   * @return how many
   */
  public int sealIdle(Duration idle) throws IOException {
    long now = store.clock().millis();
    long idleMillis = TimeUnit.MILLISECONDS.convert(idle);
    int sealed = 0;
    for (Lane lane : cell.read().lanes().values()) {
      if (lane.isOpen()) {
        long tail = log.tail(lane);
        if (now - lastMillis(lane, tail) >= idleMillis && sealAsItWas(lane, tail)) {
          sealed++;
        }
      }
    }
    return sealed;
  }

  /**
   * Unless it was trimmed since it was read: then its last message is another, or is not there; or
   * its producer has appended.
   */
  private boolean sealAsItWas(Lane lane, long tail) throws IOException {
    Lane now = cell.read().lanes().get(lane.id());
    if (now == null || !now.isOpen() || now.floor() != lane.floor()) {
      return false;
    }
    try {
      if (!sealAt(lane.id(), tail)) {
        return false;
      }
      if (!noteSeal(lane.id(), tail)) {
        seal(lane.id());
      }
      return true;
    } catch (QueueException e) {
      if (e.code() == Code.NO_SUCH_LANE) {
        // Somebody else has sealed it, and it was trimmed to its end.
        return false;
      }
      throw e;
    }
  }

  private long lastMillis(Lane lane, long tail) throws IOException {
    MessageLog.Header last = tail > lane.floor() ? log.header(lane.id(), tail - 1) : null;
    return last != null ? last.timeMillis() : Math.max(lane.openedMillis(), lane.floorMillis());
  }

  /**
   * Deletes what all groups are done with, and forgets lanes that came to their end. Without a
   * group it deletes nothing.
   *
   * @return how many messages it deleted
   */
  public long trim() throws IOException {
    return new Trimmer(store, keys, cell).trim(null);
  }

  /**
   * Deletes what all groups are done with, and what is older than {@code time} even if they are
   * not.
   *
   * @return how many messages it deleted
   */
  public long trimBefore(Instant time) throws IOException {
    return new Trimmer(store, keys, cell).trim(millis(time));
  }

  /** Of what is further away than milliseconds can say, the furthest. */
  private static long millis(Instant time) {
    return TimeUnit.MILLISECONDS.convert(Duration.between(Instant.EPOCH, time));
  }

  /** The sums of an exactly-once group, by name, of all lanes that ever were. */
  public SortedMap<String, Long> sums(String group) throws IOException {
    cell.read().group(group, Mode.EXACTLY_ONCE);
    return Results.sums(store, keys, group);
  }

  /** The values of an exactly-once group, by lane and name, of all lanes that ever were. */
  public SortedMap<Long, SortedMap<String, byte[]>> values(String group) throws IOException {
    cell.read().group(group, Mode.EXACTLY_ONCE);
    return Results.values(store, keys, group);
  }

  /** What an at-least-once group has given up. */
  public List<DeadLetter> deadLetters(String group) throws IOException {
    cell.read().group(group, Mode.AT_LEAST_ONCE);
    return DeadLetters.read(store, keys, group);
  }

  /** What this object and the producers and consumers that it made have asked of HBase. */
  public QueueCounters counters() {
    return store.counters();
  }

  private Progress progress(String group, long lane) {
    return new Progress(store, keys, group, lane);
  }
}
