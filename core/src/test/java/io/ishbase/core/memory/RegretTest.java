package io.ishbase.core.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.core.memory.MemoryBudget.Consumer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What the budget costs next to the best fixed split, in virtual time: two caches that go by
 * recency, and memstores that are flushed when they are full and merged as a log-structured merge
 * tree does.
 */
class RegretTest {
  /** Of what was measured, how much a period makes up: as much as in the region server. */
  private static final double RATE = 0.11;

  /** Memory in all, in kilobytes; an entry of a cache takes one. */
  private static final int SUM = 2000;

  private static final int PERIODS = 480;
  private static final double PERIOD_SECONDS = 5;
  private static final int OPERATIONS = 750;

  /** Periods at the beginning that do not count: caches are empty, nothing is known. */
  private static final int WARM_UP = 80;

  private static final double BLOCK_NANOS = 300_000;
  private static final double ROW_NANOS = 200_000;
  private static final double WRITE_NANOS_PER_KB = 20_000;

  /** An operation: of which kind, and which row. */
  private record Operation(int kind, int row) {}

  private static final int WRITE = 0;
  private static final int BLOCK = 1;
  private static final int ROW = 2;

  /** What is asked for, by the number of the period. */
  private record Load(String name, IntFunction<Draw> of) {
    @Override
    public String toString() {
      return name;
    }
  }

  private interface Draw {
    Operation next(Random random, int number);
  }

  private static Draw zipfian(int kind, int rows) {
    return (random, number) -> new Operation(kind, (int) Math.pow(rows, random.nextDouble()) - 1);
  }

  private static Draw writes() {
    return (random, number) -> new Operation(WRITE, 0);
  }

  private static Draw scan(int rows) {
    return (random, number) -> new Operation(BLOCK, number % rows);
  }

  private static Draw mixed(Draw first, double share, Draw second) {
    return (random, number) ->
        random.nextDouble() < share ? first.next(random, number) : second.next(random, number);
  }

  private static final Draw READS = mixed(writes(), 0.02, zipfian(ROW, 10_000));
  private static final Draw BLOCK_READS = mixed(zipfian(BLOCK, 10_000), 0.7, zipfian(ROW, 10_000));
  private static final Draw WRITES = mixed(writes(), 0.95, zipfian(ROW, 2500));
  private static final Draw SCANS = mixed(scan(1500), 0.9, zipfian(ROW, 1500));

  static Stream<Load> steady() {
    return Stream.of(
        new Load("reads of rows", period -> READS),
        new Load("reads of blocks and rows", period -> BLOCK_READS),
        new Load("writes", period -> WRITES),
        new Load("scans", period -> SCANS));
  }

  private static final class Lru extends LinkedHashMap<Integer, Boolean> {
    private int places;

    Lru() {
      super(16, 0.75f, true);
    }

    boolean hits(int key) {
      if (get(key) != null) {
        return true;
      }
      put(key, true);
      resize(places);
      return false;
    }

    void resize(int newPlaces) {
      places = newPlaces;
      while (size() > places) {
        Map.Entry<Integer, Boolean> eldest = entrySet().iterator().next();
        remove(eldest.getKey());
      }
    }
  }

  /** Files of a store: three of a level become one of the next. */
  private static final class Files {
    private final List<List<Double>> levels = new ArrayList<>();

    /** Kilobytes that are written for a flush of so many, merges included. */
    double flush(double kilobytes) {
      double written = kilobytes;
      double moved = kilobytes;
      // By size, so that a larger flush begins higher: the file's level is its logarithm.
      int level = (int) Math.max(0, Math.floor(Math.log(kilobytes) / Math.log(3)));
      while (true) {
        while (levels.size() <= level) {
          levels.add(new ArrayList<>());
        }
        List<Double> files = levels.get(level);
        files.add(moved);
        // What the tree holds in all is bounded: versions and deletes leave at the top.
        if (files.size() < 3 || level >= 10) {
          if (level >= 10) {
            files.clear();
          }
          return written;
        }
        moved = files.stream().mapToDouble(Double::doubleValue).sum();
        files.clear();
        written += moved;
        level++;
      }
    }
  }

  private static final class World {
    private final Lru blocks = new Lru();
    private final Lru rows = new Lru();
    private final ReuseCurve blockCurve = new ReuseCurve();
    private final ReuseCurve rowCurve = new ReuseCurve();
    private final Files files = new Files();
    private final Random random = new Random(7);
    private final boolean learns;
    private int number;
    private double memstore;
    private double writtenInPeriod;
    private double rate;

    World(boolean learns) {
      this.learns = learns;
    }

    double run(Draw draw, List<Long> sizes) {
      blocks.resize((int) (sizes.get(1) >> 10));
      rows.resize((int) (sizes.get(2) >> 10));
      double memstoreLimit = sizes.get(0) >> 10;
      double nanos = 0;
      writtenInPeriod = 0;
      for (int i = 0; i < OPERATIONS; i++) {
        Operation operation = draw.next(random, number++);
        if (operation.kind == WRITE) {
          memstore++;
          writtenInPeriod++;
          if (memstore >= memstoreLimit) {
            nanos += WRITE_NANOS_PER_KB * files.flush(memstore);
            memstore = 0;
          }
        } else if (operation.kind == BLOCK) {
          if (learns) {
            blockCurve.accessed(operation.row);
          }
          if (!blocks.hits(operation.row)) {
            blockCurve.missTook((long) BLOCK_NANOS);
            nanos += BLOCK_NANOS;
          }
        } else {
          if (learns) {
            rowCurve.accessed(operation.row);
          }
          if (!rows.hits(operation.row)) {
            rowCurve.missTook((long) ROW_NANOS);
            nanos += ROW_NANOS;
          }
        }
      }
      blockCurve.elapsed(PERIOD_SECONDS, SUM);
      rowCurve.elapsed(PERIOD_SECONDS, SUM);
      rate += RATE * ((writtenInPeriod * 1024 / PERIOD_SECONDS) - rate);
      return nanos;
    }

    List<Utility> utilities() {
      return List.of(
          new MemstoreUtility(rate, WRITE_NANOS_PER_KB / 1024, Long.MAX_VALUE),
          blockCurve.utility(1024),
          rowCurve.utility(1024));
    }
  }

  private static MemoryBudget budget() {
    long sum = (long) SUM << 10;
    return new MemoryBudget(
        List.of(
            new Consumer("memstores", sum / 10, sum, true),
            new Consumer("block cache", sum / 10, sum, true),
            new Consumer("segment cache", sum / 10, sum, false)),
        sum);
  }

  private static double nanosOfBudget(Load load) {
    World world = new World(true);
    MemoryBudget budget = budget();
    List<Long> sizes = sizes(0.4, 0.4);
    double nanos = 0;
    for (int period = 0; period < PERIODS; period++) {
      double cost = world.run(load.of.apply(period), sizes);
      nanos += period < WARM_UP ? 0 : cost;
      sizes = budget.next(sizes, world.utilities()).sizes();
      if (period % 40 == 39) {
        System.out.println(load + " " + period + ": " + sizes.stream().map(s -> s >> 10).toList());
      }
    }
    return nanos;
  }

  private static List<Long> sizes(double memstores, double blocks) {
    long sum = (long) SUM << 10;
    long first = (long) (memstores * sum);
    long second = (long) (blocks * sum);
    return List.of(first, second, sum - first - second);
  }

  private static double nanosOfBestFixed(Load load) {
    return IntStream.rangeClosed(1, 8)
        .boxed()
        .flatMap(
            memstores ->
                IntStream.rangeClosed(1, 9 - memstores)
                    .mapToObj(blocks -> sizes(memstores / 10.0, blocks / 10.0)))
        .parallel()
        .mapToDouble(
            sizes -> {
              World world = new World(false);
              double nanos = 0;
              for (int period = 0; period < PERIODS; period++) {
                double cost = world.run(load.of.apply(period), sizes);
                nanos += period < WARM_UP ? 0 : cost;
              }
              return nanos;
            })
        .min()
        .orElseThrow();
  }

  @ParameterizedTest
  @MethodSource("steady")
  void costsLittleMoreThanTheBestFixedSplit(Load load) {
    double ours = nanosOfBudget(load);
    double best = nanosOfBestFixed(load);
    System.out.printf("%s: %.3f times the best fixed split's cost%n", load, ours / best);
    assertThat(ours).isLessThan(1.03 * best);
  }

  @ParameterizedTest
  @ValueSource(ints = {60, 150, 800})
  void costsLessThanAnyFixedSplitWhenTheLoadChanges(int seconds) {
    List<Draw> turns = List.of(READS, WRITES, SCANS);
    int periods = (int) (seconds / PERIOD_SECONDS);
    Load load =
        new Load(seconds + " s in turn", period -> turns.get(period / periods % turns.size()));
    double ours = nanosOfBudget(load);
    double best = nanosOfBestFixed(load);
    System.out.printf("%s: %.3f times the best fixed split's cost%n", load, ours / best);
    assertThat(ours).isLessThan(0.98 * best);
  }
}
