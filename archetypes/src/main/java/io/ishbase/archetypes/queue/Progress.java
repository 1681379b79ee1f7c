package io.ishbase.archetypes.queue;

import java.io.IOException;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.RowMutations;
import org.jspecify.annotations.Nullable;

/** How far a group is in a lane: one cell, which is only ever changed from what it was. */
final class Progress {
  private final Store store;
  private final byte[] row;

  Progress(Store store, Keys keys, String group, long lane) {
    this.store = store;
    row = keys.progress(group, lane);
  }

  byte[] row() {
    return row;
  }

  /** Null if the group never was in the lane. */
  byte @Nullable [] read() throws IOException {
    Result result = store.get(new Get(row).addColumn(Keys.STATE, Keys.PROGRESS));
    return result.getValue(Keys.STATE, Keys.PROGRESS);
  }

  boolean swap(Step step, byte @Nullable [] was, byte[] is) throws IOException {
    return store.swap(step, Store.unchanged(row, Keys.PROGRESS, was).build(put(is)));
  }

  /** With {@code effects} on the same row. */
  boolean swap(Step step, byte @Nullable [] was, byte[] is, Iterable<? extends Mutation> effects)
      throws IOException {
    RowMutations mutations = new RowMutations(row);
    mutations.add((Mutation) put(is));
    for (Mutation effect : effects) {
      mutations.add(effect);
    }
    return store.swap(step, Store.unchanged(row, Keys.PROGRESS, was).build(mutations));
  }

  private Put put(byte[] is) {
    return new Put(row).addColumn(Keys.STATE, Keys.PROGRESS, is);
  }

  /** The window of an at-least-once group that {@link #read} returned. */
  static Window window(byte @Nullable [] bytes, Lane lane) throws IOException {
    return bytes == null ? Window.at(lane.floor()) : Window.decode(bytes).from(lane.floor());
  }

  /** The position of an exactly-once group that {@link #read} returned. */
  static long next(byte @Nullable [] bytes, Lane lane) throws IOException {
    return bytes == null ? lane.floor() : Math.max(lane.floor(), Position.decode(bytes).next());
  }

  /** The lowest message that a group still wants. */
  static long head(GroupOptions.Mode mode, byte @Nullable [] bytes, Lane lane) throws IOException {
    return mode == GroupOptions.Mode.EXACTLY_ONCE ? next(bytes, lane) : window(bytes, lane).head();
  }

  /** The bytes of a group that wants all from {@code head} on, and nothing is claimed. */
  static byte[] at(GroupOptions.Mode mode, long head) throws IOException {
    return mode == GroupOptions.Mode.EXACTLY_ONCE
        ? new Position(head, Store.newToken()).encode()
        : Window.at(head).encode();
  }
}
