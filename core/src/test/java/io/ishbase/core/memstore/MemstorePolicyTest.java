package io.ishbase.core.memstore;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.core.memstore.MemstorePolicy.Pipeline;
import io.ishbase.core.memstore.MemstorePolicy.Step;
import io.ishbase.core.memstore.VirtualMemstore.Choice;
import io.ishbase.core.memstore.VirtualMemstore.Costs;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongUnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** {@link MemstorePolicy} against each fixed policy, over the same writes, in virtual time. */
class MemstorePolicyTest {
  private static final int CAPACITY_CELLS = 6_400;
  private static final int ACTIVE_CELLS = CAPACITY_CELLS / 32;
  private static final int WRITES = 60 * CAPACITY_CELLS;

  /** Which key is written; the argument counts writes. */
  record Writes(String name, LongUnaryOperator key) {
    @Override
    public String toString() {
      return name;
    }
  }

  private static Writes uniform(long keys) {
    SplittableRandom random = new SplittableRandom(7);
    return new Writes("uniform over " + keys, i -> random.nextLong(keys));
  }

  private static Writes skewed(long keys) {
    SplittableRandom random = new SplittableRandom(8);
    return new Writes("skewed over " + keys, i -> (long) Math.pow(keys, random.nextDouble()));
  }

  private static Writes ascending() {
    return new Writes("ascending", i -> i);
  }

  /** Each for so many writes, in turn. */
  private static Writes inTurn(int each, Writes... all) {
    return new Writes(
        "in turn, each " + each,
        i -> all[(int) (i / each % all.length)].key.applyAsLong(i) + (i / each % all.length << 40));
  }

  private static Costs costs(int cellBytes, double compact, double diskByte) {
    return new Costs(1000, 100, 120, 150, compact, diskByte, 1000, cellBytes, 120, 20);
  }

  static Stream<Arguments> cases() {
    return Stream.of(
            costs(1000, 1000, 10), costs(100, 500, 10), costs(100, 1000, 2), costs(30, 500, 50))
        .flatMap(
            costs ->
                Stream.of(
                        ascending(),
                        uniform(CAPACITY_CELLS / 4),
                        uniform(2 * CAPACITY_CELLS),
                        uniform(1_000_000),
                        skewed(2 * CAPACITY_CELLS),
                        skewed(1_000_000),
                        inTurn(10 * CAPACITY_CELLS, ascending(), skewed(CAPACITY_CELLS)))
                    .flatMap(
                        writes ->
                            Stream.of(0, 1, 20).map(each -> Arguments.of(costs, writes, each))));
  }

  @ParameterizedTest(name = "{1}, reads each {2}th, {0}")
  @MethodSource("cases")
  void costsNoMoreThanTheBestOfThem(Costs costs, Writes writes, int readEach) {
    Map<Choice, VirtualMemstore> all = run(costs, writes, readEach);
    VirtualMemstore auto = all.remove(Choice.AUTO);
    double best = all.values().stream().mapToDouble(VirtualMemstore::price).min().orElseThrow();
    assertThat(auto.price()).isLessThanOrEqualTo(1.03 * best);
    // Among those that cost about as much it is bytes that count.
    double leastBytes =
        all.values().stream()
            .filter(memstore -> memstore.price() <= 1.03 * best)
            .mapToDouble(memstore -> memstore.bytesToDisk)
            .min()
            .orElseThrow();
    assertThat((double) auto.bytesToDisk).isLessThanOrEqualTo(1.03 * leastBytes);
    assertThat((double) auto.bytesToDisk)
        .isLessThanOrEqualTo(1.03 * all.get(Choice.NONE).bytesToDisk);
  }

  /** Time is paid with bytes that are spared, at most at the least price of a byte. */
  @ParameterizedTest(name = "{1}, reads each {2}th, {0}")
  @MethodSource("cases")
  void takesNoTimeThatSparesNoBytes(Costs costs, Writes writes, int readEach) {
    Map<Choice, VirtualMemstore> all = run(costs, writes, readEach);
    VirtualMemstore auto = all.remove(Choice.AUTO);
    for (VirtualMemstore fixed : all.values()) {
      double spared = 2.0 * Math.max(0, fixed.bytesToDisk - auto.bytesToDisk);
      double unseen = Math.max(0, MemstorePolicy.LEAST_DISK_NANOS - costs.diskByte());
      assertThat(auto.nanos()).isLessThanOrEqualTo(1.03 * fixed.nanos() + spared * unseen);
    }
  }

  /** However small it is, and whatever the reads: else memory would be full before it is. */
  @Test
  void aSegmentEndsWhereDataIsToBeMerged() {
    KeySample sample = new KeySample(1);
    AtomicLong hours = new AtomicLong();
    MemstorePolicy policy =
        new MemstorePolicy(() -> Duration.ofHours(hours.getAndIncrement()).toNanos(), sample);
    for (int i = 0; i < 1000; i++) {
      sample.add(i % 10);
    }
    assertThat(policy.activeBytes(0.5, 1000, 250)).isEqualTo(250);
    assertThat(policy.next(new Pipeline(0.75, 2, 1000, 1_000_000), 0, true))
        .isNotEqualTo(Step.COMPACT);
    assertThat(policy.activeBytes(0.75, 1000, 250)).isBetween(190L, 200L);
    assertThat(policy.next(new Pipeline(0.94, 2, 1000, 1_000_000), 0, false))
        .as("others merge")
        .isNotEqualTo(Step.COMPACT);
    assertThat(policy.next(new Pipeline(0.94, 2, 1000, 1_000_000), 0, true))
        .isEqualTo(Step.COMPACT);
    // Behind that there is nothing to wait for.
    assertThat(policy.activeBytes(0.94, 1000, 250)).isEqualTo(250);

    for (int i = 1000; i < 2000; i++) {
      sample.add(i);
    }
    policy.flushing(2000, 2_000_000, 1_000_000);
    assertThat(policy.activeBytes(0, 1000, 250)).isBetween(940L, 950L);
    assertThat(policy.activeBytes(0.94, 1000, 250)).isEqualTo(Long.MAX_VALUE);
  }

  /** A table is filled, of which flushes learn that merging brings nothing, and is then changed. */
  @Test
  void needsNoFlushToSeeThatWritesHaveChanged() {
    Costs costs = costs(1000, 1000, 10);
    long flushBytes = (long) CAPACITY_CELLS * (costs.cellBytes() + costs.flatBytes());
    VirtualMemstore memstore = new VirtualMemstore(Choice.AUTO, costs, flushBytes, ACTIVE_CELLS);
    long key = 0;
    while (memstore.flushes < 8) {
      memstore.write(key++);
    }
    assertThat(memstore.compactions).isZero();
    LongUnaryOperator changes = skewed(CAPACITY_CELLS).key;
    for (int i = 0; i < 2 * CAPACITY_CELLS; i++) {
      memstore.write(changes.applyAsLong(i));
    }
    assertThat(memstore.flushes).isEqualTo(8);
    assertThat(memstore.compactions).isPositive();
  }

  /** Rows of 1 KB, each write followed by a read of another: one memstore can hold the changes. */
  @Test
  void changesOfAFilledTableThatIsReadStayInMemory() {
    Costs costs = new Costs(20_000, 100, 112, 150, 400, 10, 1000, 1050, 112, 48);
    SplittableRandom random = new SplittableRandom(9);
    Map<Choice, VirtualMemstore> all =
        changeAfterFill(
            costs, 15_000, 22_500, 1, i -> (long) Math.pow(15_000, random.nextDouble()));
    assertThat(all.get(Choice.NONE).flushes).isEqualTo(3);
    assertThat(all.get(Choice.AUTO).flushes).isEqualTo(1);
    isCheapAndSmall(all, 22_500 * costs.write(), 1.03);
  }

  /**
   * Rows of 50 columns of 100 B, of which one is changed: what is left hardly fits, so that EAGER's
   * last merges cost more than their bytes.
   */
  @Test
  void partsOfWideRowsThatAreChangedStayInMemoryAsLongAsThatPays() {
    Costs costs = new Costs(20_000, 100, 112, 150, 400, 10, 1000, 140, 112, 48);
    SplittableRandom random = new SplittableRandom(10);
    Map<Choice, VirtualMemstore> all =
        changeAfterFill(
            costs,
            150_000,
            135_000,
            0,
            i -> (long) Math.pow(3_000, random.nextDouble()) * 50 + random.nextInt(50));
    isCheapAndSmall(all, 135_000 * costs.write(), 1.15);
  }

  /** Cells of 10 MB, in chunks of 2 MB, which are HBase's segments. What is counted is changes. */
  private static Map<Choice, VirtualMemstore> changeAfterFill(
      Costs costs, int filled, int changes, int readEach, LongUnaryOperator key) {
    Map<Choice, VirtualMemstore> all = new EnumMap<>(Choice.class);
    for (Choice choice : Choice.values()) {
      all.put(
          choice, new VirtualMemstore(choice, costs, 10_500_000, (2 << 20) / costs.cellBytes()));
    }
    for (VirtualMemstore memstore : all.values()) {
      for (int i = 0; i < filled; i++) {
        memstore.write((1L << 40) + i);
      }
      memstore.flush();
      memstore.forgetCosts();
    }
    for (int i = 0; i < changes; i++) {
      long changed = key.applyAsLong(i);
      for (VirtualMemstore memstore : all.values()) {
        memstore.write(changed);
        if (readEach > 0 && i % readEach == 0) {
          memstore.read();
        }
      }
    }
    all.values().forEach(VirtualMemstore::flush);
    return all;
  }

  /** Beside the best: what it costs, but for the writes that all have alike, and its bytes. */
  private static void isCheapAndSmall(
      Map<Choice, VirtualMemstore> all, double writesNanos, double mostBytes) {
    VirtualMemstore auto = all.remove(Choice.AUTO);
    for (VirtualMemstore fixed : all.values()) {
      assertThat(auto.price() - writesNanos)
          .isLessThanOrEqualTo(1.03 * (fixed.price() - writesNanos));
      assertThat((double) auto.bytesToDisk).isLessThanOrEqualTo(mostBytes * fixed.bytesToDisk);
    }
  }

  private static Map<Choice, VirtualMemstore> run(Costs costs, Writes writes, int readEach) {
    long flushBytes = (long) CAPACITY_CELLS * (costs.cellBytes() + costs.flatBytes());
    Map<Choice, VirtualMemstore> all = new EnumMap<>(Choice.class);
    for (Choice choice : Choice.values()) {
      all.put(choice, new VirtualMemstore(choice, costs, flushBytes, ACTIVE_CELLS));
    }
    for (int i = 0; i < WRITES; i++) {
      long key = writes.key.applyAsLong(i);
      boolean reads = readEach > 0 && i % readEach == 0;
      for (VirtualMemstore memstore : all.values()) {
        memstore.write(key);
        if (reads) {
          memstore.read();
        }
      }
    }
    return all;
  }
}
