package io.ishbase.archetypes.queue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.util.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * What messages change in a group's results, of their lane: sums and values by name. It is written
 * together with the position behind these messages, or not at all. Not safe for threads; of no use
 * once the handler has returned.
 */
public final class Effects {
  /** The group has gone past these messages. */
  static final class OvertakenException extends IOException {
    private static final long serialVersionUID = 1;

    OvertakenException() {
      super("Another consumer of the group has handled these messages");
    }
  }

  private final Store store;
  private final Progress progress;

  /** Null if the group never was in the lane. */
  private final byte @Nullable [] position;

  private final Map<String, Long> sums = new HashMap<>();
  private final Map<String, byte[]> values = new HashMap<>();

  Effects(Store store, Progress progress, byte @Nullable [] position) {
    this.store = store;
    this.progress = progress;
    this.position = position;
  }

  /**
   * Adds {@code delta} to the sum {@code name}, which begins at 0.
   *
   * @throws IllegalArgumentException if {@code name} is empty or has half a surrogate pair
   */
  public void add(String name, long delta) {
    Results.checkName(name);
    sums.merge(name, delta, Long::sum);
  }

  /**
   * Makes {@code value} the value of {@code name}.
   *
   * @throws IllegalArgumentException if {@code name} is empty or has half a surrogate pair
   */
  public void set(String name, byte[] value) {
    Results.checkName(name);
    values.put(name, value.clone());
  }

  /**
   * The value of {@code name} as these messages' predecessors of the lane have left it, or these
   * messages if they have set it; null if there is none.
   *
   * @throws IOException if HBase fails, or if another consumer was faster: the handler is to pass
   *     it on, and nothing happens
   */
  public byte @Nullable [] value(String name) throws IOException {
    byte[] set = values.get(name);
    if (set != null) {
      return set.clone();
    }
    byte[] column = Results.value(name);
    // Of one moment, as it is one row: the value is what the messages before these have left.
    Result row =
        store.get(
            new Get(progress.row())
                .addColumn(Keys.STATE, Keys.PROGRESS)
                .addColumn(Keys.STATE, column));
    if (!Arrays.equals(row.getValue(Keys.STATE, Keys.PROGRESS), position)) {
      throw new OvertakenException();
    }
    return row.getValue(Keys.STATE, column);
  }

  List<Mutation> mutations() {
    List<Mutation> mutations = new ArrayList<>();
    if (!values.isEmpty()) {
      Put put = new Put(progress.row());
      values.forEach((name, value) -> put.addColumn(Keys.STATE, Results.value(name), value));
      mutations.add(put);
    }
    if (!sums.isEmpty()) {
      Increment increment = new Increment(progress.row());
      sums.forEach((name, delta) -> increment.addColumn(Keys.STATE, Results.sum(name), delta));
      mutations.add(increment);
    }
    return mutations;
  }

  @Override
  public String toString() {
    return sums + " " + values.keySet() + " of " + Bytes.toStringBinary(progress.row());
  }
}
