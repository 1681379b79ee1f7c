package io.ishbase.bench.scenario;

import io.ishbase.bench.BenchOptions;
import io.ishbase.bench.CompactionMode;
import io.ishbase.bench.Comparison;
import io.ishbase.bench.Moved;
import io.ishbase.bench.Order;
import io.ishbase.bench.Plots;
import io.ishbase.bench.Point;
import io.ishbase.bench.Sample;
import io.ishbase.bench.Scenario;
import io.ishbase.bench.ScenarioContext;
import io.ishbase.bench.TableFormat;
import io.ishbase.bench.Tally;
import io.ishbase.bench.Workers;
import io.ishbase.bench.YcsbTable;
import io.ishbase.cluster.NetworkRig;
import io.ishbase.cluster.Progress;
import io.ishbase.cluster.Tables;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Table;

/**
 * Bytes between compute and storage while a table is loaded: write-ahead log, flushes, and what
 * compactions read and write. The load stops at some numbers of rows until the table is flushed and
 * no compaction runs.
 */
final class Loading implements Scenario {
  private static final List<CompactionMode> MODES =
      List.of(CompactionMode.STOCK, CompactionMode.OFFLOAD);
  private static final int STOPS = 4;
  private static final int LOADERS = 4;
  private static final String PUT_SECONDS = "put s";
  private static final String SEED = "stock 2 to 18 with the rows; compacted in storage flat";
  private static final String TARGET = "out/written flat, 2.3 at most";
  private static final int ROWS_OF_A_PUT = 100;

  /** Flushes of a whole small load; a full one flushes as HBase does by default. */
  private static final int SMALL_FLUSHES = 16;

  private static final long LEAST_FLUSH_BYTES = 1 << 20;
  private static final long USUAL_FLUSH_BYTES = 128 << 20;
  private static final double ROWS_PER_SECOND = 8000;

  @Override
  public String name() {
    return "load";
  }

  @Override
  public String description() {
    return "Bytes between compute and storage per byte loaded, flushes and compactions included";
  }

  @Override
  public String seedFigures() {
    return "003 fig. 6, 16";
  }

  @Override
  public double estimatedSeconds(BenchOptions options) {
    return 2 * options.roundsOrPreset() * (3 * STOPS + options.rowsOrPreset() / ROWS_PER_SECOND);
  }

  @Override
  public void run(ScenarioContext context) throws IOException {
    BenchOptions options = context.options();
    context
        .results()
        .note(
            "Uncapped. The region server compacts, or a storage daemon does; rows are put "
                + rowsOfPut(options)
                + " at a time, which is one operation; its rate includes the wait for flushes and"
                + " compactions at each stop, puts/s (rows) does not.");
    List<String> names = MODES.stream().map(CompactionMode::toString).toList();
    List<Comparison> comparisons = new ArrayList<>();
    for (int stop = 1; stop <= STOPS; stop++) {
      Point point = Point.uncapped().with("rows", rowsAt(stop, options)).seed(SEED).target(TARGET);
      comparisons.add(new Comparison(point, names));
    }
    for (int round = 0; round < options.roundsOrPreset(); round++) {
      List<Map<String, Sample>> atStops = new ArrayList<>();
      comparisons.forEach(comparison -> atStops.add(new LinkedHashMap<>()));
      for (CompactionMode mode : Order.ofRound(round, MODES)) {
        List<Sample> samples = load(context, mode);
        for (int stop = 0; stop < STOPS; stop++) {
          atStops.get(stop).put(mode.toString(), samples.get(stop));
        }
      }
      for (int stop = 0; stop < STOPS; stop++) {
        comparisons.get(stop).addRound(atStops.get(stop));
      }
    }
    comparisons.forEach(
        comparison ->
            comparison.addTo(context.results(), Map.of("puts/s", Loading::putsPerSecond)));
    plot(context, "Into the compute node", Sample::writeAmplificationIn, comparisons);
    plot(context, "Out of the compute node", Sample::writeAmplificationOut, comparisons);
  }

  /** Rows a second while clients put them, without the waits at the stops. */
  private static double putsPerSecond(Comparison comparison, String variant) {
    return comparison.median(
        variant, sample -> sample.written().rows() / sample.counters().get(PUT_SECONDS));
  }

  private static long rows(BenchOptions options) {
    return options.table().rowsLike(options.rowsOrPreset());
  }

  /** Rows that one operation puts: fewer where they are wide. */
  private static int rowsOfPut(BenchOptions options) {
    return (int) Math.max(1, ROWS_OF_A_PUT * 1000L / Math.max(1000, options.table().rowBytes()));
  }

  /** An eighth of the rows, a quarter, half, all. */
  private static long rowsAt(int stop, BenchOptions options) {
    return rows(options) >> (STOPS - stop);
  }

  /** Loads a new table; what had crossed at each stop since the beginning. */
  private static List<Sample> load(ScenarioContext context, CompactionMode mode)
      throws IOException {
    BenchOptions options = context.options();
    // Compactions are part of what is measured, whatever the number of files.
    TableFormat format = options.table().withStores(options.table().stores().withFiles(1));
    YcsbTable table =
        new YcsbTable(
            context.connection(), new YcsbTable.Shape("loadtable", rows(options), format));
    long flushBytes =
        options.preset(
            Math.max(LEAST_FLUSH_BYTES, options.rowsOrPreset() * 1000 / SMALL_FLUSHES),
            USUAL_FLUSH_BYTES);
    context.results().fact("bytes of a memstore that is flushed", flushBytes);
    Tables.recreate(
        context.connection(), mode.on(table.descriptor().setMemStoreFlushSize(flushBytes)).build());
    List<Sample> segments = new ArrayList<>();
    List<Sample> atStops = new ArrayList<>();
    try (Progress progress = new Progress("loading, " + mode, rows(options))) {
      long done = 0;
      for (int stop = 1; stop <= STOPS; stop++) {
        long until = rowsAt(stop, options);
        segments.add(segment(context, table, done, until, progress));
        atStops.add(Sample.sum(segments));
        done = until;
      }
      progress.done("");
    }
    return atStops;
  }

  private static Sample segment(
      ScenarioContext context, YcsbTable table, long from, long to, Progress progress)
      throws IOException {
    Sample.Builder builder = new Sample.Builder();
    NetworkRig.Traffic before = context.rig().traffic();
    long start = System.nanoTime();
    int step = rowsOfPut(context.options());
    progress.note("puts");
    Workers.run(
        LOADERS,
        worker -> {
          try (Table open = table.open()) {
            long first = from + (to - from) * worker / LOADERS;
            long last = from + (to - from) * (worker + 1) / LOADERS;
            for (long row = first; row < last; row += step) {
              put(open, table, row, Math.min(last, row + step), builder);
              progress.add(Math.min(last, row + step) - row);
            }
          }
        });
    double putSeconds = (System.nanoTime() - start) / 1e9;
    progress.note("flush, compactions");
    Tables.flush(context.connection(), table.name());
    Tables.awaitQuiet(context.connection(), table.name());
    double seconds = (System.nanoTime() - start) / 1e9;
    return builder.end(
        seconds, context.rig().traffic().since(before), Map.of(), Map.of(PUT_SECONDS, putSeconds));
  }

  private static void put(Table open, YcsbTable table, long from, long to, Sample.Builder builder)
      throws IOException {
    Tally tally = new Tally();
    List<Put> puts = new ArrayList<>();
    for (long row = from; row < to; row++) {
      Put put = table.put(row);
      tally.wrote(Moved.of(put));
      puts.add(put);
    }
    long start = System.nanoTime();
    open.put(puts);
    long nanos = System.nanoTime() - start;
    synchronized (builder) {
      builder.add(nanos, tally);
    }
  }

  private static void plot(
      ScenarioContext context,
      String title,
      ToDoubleFunction<Sample> figure,
      List<Comparison> comparisons) {
    context
        .results()
        .plot(
            Plots.byParameter(
                title,
                "rows",
                "rows loaded",
                "bytes per byte of value",
                (comparison, variant) -> comparison.median(variant, figure),
                comparisons));
  }
}
