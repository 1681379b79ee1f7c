package io.ishbase.sim.design;

import io.ishbase.sim.workload.Parameters;
import io.ishbase.sim.workload.RequestStream;
import io.ishbase.sim.workload.RequestStream.Kind;
import java.util.Arrays;
import java.util.BitSet;
import java.util.function.IntConsumer;
import java.util.function.Supplier;

/**
 * What no cache of rows can beat, as it knows the requests that will come. A row takes its cell's
 * bytes and nothing else, and what is missing of a read comes with one RPC. Writes are not looked
 * at: with them it is an estimate.
 */
public enum Bounds implements Contender {
  /** Holds the rows that are asked for most, from beginning to end. */
  POPULAR("popular") {
    @Override
    KnowingCache.Rows rows(
        int capacity, int keys, Supplier<? extends RequestStream> load, int requests, Data data) {
      int[] counts = counts(keys, load, requests, data);
      long[] asked = new long[(int) Arrays.stream(counts).filter(count -> count > 0).count()];
      int size = 0;
      for (int row = 0; row < keys; row++) {
        if (counts[row] > 0) {
          // By count; of as many, the first row is the last of the order.
          asked[size++] = (long) counts[row] << 32 | Integer.MAX_VALUE - row;
        }
      }
      Arrays.sort(asked);
      BitSet held = new BitSet();
      for (int i = Math.max(0, size - capacity); i < size; i++) {
        held.set(Integer.MAX_VALUE - (int) asked[i]);
      }
      return held::get;
    }
  },
  /**
   * Gives up the row that is asked for last of all (Belady, "A study of replacement algorithms for
   * a virtual-storage computer", 1966), be it the one that has just come.
   */
  BELADY("Belady") {
    @Override
    KnowingCache.Rows rows(
        int capacity, int keys, Supplier<? extends RequestStream> load, int requests, Data data) {
      int[] first = new int[keys + 1];
      long all = 0;
      int[] counts = counts(keys, load, requests, data);
      for (int row = 0; row < keys; row++) {
        first[row] = (int) all;
        all += counts[row];
        if (all > Integer.MAX_VALUE - 8) {
          throw new IllegalArgumentException(
              "Belady looks at no more than 2,147,483,639 rows asked for: take fewer requests");
        }
      }
      first[keys] = (int) all;
      int[] times = new int[(int) all];
      int[] next = Arrays.copyOf(first, keys);
      int[] time = {0};
      forEachRow(load, requests, data, row -> times[next[row]++] = time[0]++);
      return new Belady(capacity, first, times);
    }
  };

  private final String label;

  Bounds(String label) {
    this.label = label;
  }

  @Override
  public String label() {
    return label;
  }

  @Override
  public Design make(
      Parameters parameters,
      Data data,
      RegionServer server,
      Supplier<? extends RequestStream> load) {
    double bytes = parameters.number("cache") * data.bytes();
    int capacity = (int) Math.min(Integer.MAX_VALUE, bytes / data.cellBytes());
    long all = (long) parameters.whole("warmup.requests") + parameters.whole("requests");
    int requests = (int) Math.min(Integer.MAX_VALUE, all);
    return new KnowingCache(data, rows(capacity, data.keys(), load, requests, data));
  }

  /**
   * The rows that it holds.
   *
   * @param capacity how many
   */
  abstract KnowingCache.Rows rows(
      int capacity, int keys, Supplier<? extends RequestStream> load, int requests, Data data);

  private static int[] counts(
      int keys, Supplier<? extends RequestStream> load, int requests, Data data) {
    int[] counts = new int[keys];
    forEachRow(load, requests, data, row -> counts[row]++);
    return counts;
  }

  /** All rows that reads ask for and that pass their filter, in order. */
  private static void forEachRow(
      Supplier<? extends RequestStream> load, int requests, Data data, IntConsumer use) {
    RequestStream stream = load.get();
    for (int i = 0; i < requests && stream.next(); i++) {
      if (stream.kind() != Kind.PUT) {
        KnowingCache.forEachRow(data, stream.kind() == Kind.GET, stream.key(), stream.rows(), use);
      }
    }
  }
}
