package io.ishbase.archetypes.queue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.apache.hadoop.hbase.client.Delete;
import org.jspecify.annotations.Nullable;

/**
 * Deletes messages that nobody wants any more. They are numbered without a gap, so no scan looks
 * for them.
 *
 * <p>A lane is left to the next trim if the registry changes while the groups' positions in it are
 * read.
 *
 * <p>Each step may be the second run of one that a crash cut off: positions of groups only grow,
 * the floor goes up before anything below it is deleted, deletes are of the numbers between what is
 * known to be deleted and the floor, and only then those are known to be. Two trims at a time do
 * the same.
 */
final class Trimmer {
  private static final int CHUNK = 1_000;

  private final Store store;
  private final Keys keys;
  private final RegistryCell cell;
  private final MessageLog log;

  Trimmer(Store store, Keys keys, RegistryCell cell) {
    this.store = store;
    this.keys = keys;
    this.cell = cell;
    log = new MessageLog(store, keys);
  }

  /**
   * Returns how many messages it deleted.
   *
   * @param beforeMillis older ones go whether they are consumed or not; null for none
   */
  long trim(@Nullable Long beforeMillis) throws IOException {
    long deleted = 0;
    for (long lane : cell.read().lanes().keySet()) {
      deleted += trim(lane, beforeMillis);
    }
    return deleted;
  }

  private long trim(long id, @Nullable Long beforeMillis) throws IOException {
    Registry registry = cell.read();
    Lane lane = registry.lanes().get(id);
    if (lane == null) {
      return 0;
    }
    long cut = lane.floor();
    if (beforeMillis != null) {
      cut = log.firstSince(lane, beforeMillis);
      advance(registry, lane, cut);
    }
    Lane raised = raise(registry, lane, lowest(registry, lane, cut));
    if (raised == null) {
      // A group was made or sent back, a producer came or went, or somebody else trims.
      return 0;
    }
    long deleted = raised.floor() - raised.deleted();
    delete(raised);
    if (!raised.isOpen() && raised.floor() == raised.end()) {
      remove(registry, raised);
    }
    return deleted;
  }

  /** Moves groups that are behind {@code cut} there. */
  private void advance(Registry registry, Lane lane, long cut) throws IOException {
    for (var group : registry.groups().entrySet()) {
      Progress progress = new Progress(store, keys, group.getKey(), lane.id());
      GroupOptions.Mode mode = group.getValue().mode();
      while (true) {
        byte[] was = progress.read();
        if (Progress.head(mode, was, lane) >= cut) {
          break;
        }
        byte[] is =
            mode == GroupOptions.Mode.AT_LEAST_ONCE
                ? Progress.window(was, lane).from(cut).encode()
                : Progress.at(mode, cut);
        if (progress.swap(Step.TRIM_GROUPS, was, is)) {
          break;
        }
      }
    }
  }

  /** The lowest message that a group wants; {@code cut} if there is no group. */
  private long lowest(Registry registry, Lane lane, long cut) throws IOException {
    long lowest = registry.groups().isEmpty() ? cut : Long.MAX_VALUE;
    for (var group : registry.groups().entrySet()) {
      byte[] bytes = new Progress(store, keys, group.getKey(), lane.id()).read();
      lowest = Math.min(lowest, Progress.head(group.getValue().mode(), bytes, lane));
    }
    return lowest;
  }

  /**
   * The lane with its floor raised; null if the registry has changed. So it has if a group was made
   * or sent back since the groups' positions were read: it may want what is below the floor.
   */
  private @Nullable Lane raise(Registry registry, Lane lane, long floor) throws IOException {
    if (floor <= lane.floor()) {
      return lane;
    }
    MessageLog.Header last = log.header(lane.id(), floor - 1);
    if (last == null) {
      return null;
    }
    Registry after =
        cell.update(
            Step.TRIM_FLOOR,
            now -> {
              Lane same = now.lanes().get(lane.id());
              return same != null && same.floor() == lane.floor() && now.stamp() == registry.stamp()
                  ? now.with(same.withFloor(floor, last.timeMillis()))
                  : null;
            });
    Lane raised = after.lanes().get(lane.id());
    return raised != null && raised.floor() == floor ? raised : null;
  }

  private void delete(Lane lane) throws IOException {
    if (lane.deleted() == lane.floor()) {
      return;
    }
    for (long from = lane.deleted(); from < lane.floor(); from += CHUNK) {
      List<Delete> deletes =
          LongStream.range(from, Math.min(from + CHUNK, lane.floor()))
              .mapToObj(
                  sequence ->
                      // Their times are not later than that of the last below the floor.
                      new Delete(keys.message(lane.id(), sequence))
                          .addFamily(Keys.MESSAGES, lane.floorMillis()))
              .toList();
      store.delete(Step.TRIM_DELETE, deletes);
    }
    cell.update(
        Step.TRIM_NOTED,
        now -> {
          Lane same = now.lanes().get(lane.id());
          return same == null || same.deleted() >= lane.floor()
              ? null
              : now.with(same.withDeleted(lane.floor()));
        });
  }

  /** Forgets a lane that has an end and no message. Its results stay. */
  private void remove(Registry registry, Lane lane) throws IOException {
    List<Delete> deletes = new ArrayList<>(log.unreachable(lane));
    registry.groups().entrySet().stream()
        .filter(group -> group.getValue().mode() == GroupOptions.Mode.AT_LEAST_ONCE)
        .map(group -> new Delete(keys.progress(group.getKey(), lane.id())))
        .forEach(deletes::add);
    store.delete(Step.TRIM_DELETE, deletes);
    cell.update(
        Step.TRIM_NOTED,
        now -> {
          Lane same = now.lanes().get(lane.id());
          return same == null ? null : now.without(same);
        });
  }
}
