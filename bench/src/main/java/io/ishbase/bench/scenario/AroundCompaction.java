package io.ishbase.bench.scenario;

import io.ishbase.bench.CompactionMode;
import io.ishbase.bench.LoadDriver;
import io.ishbase.bench.MajorCompaction;
import io.ishbase.bench.Sample;
import io.ishbase.bench.Span;
import io.ishbase.bench.Variant;
import io.ishbase.bench.scenario.CompactionPhases.Phase;
import io.ishbase.cluster.Progress;
import io.ishbase.cluster.RegionServerJmx;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;

/** A load before, during and after a major compaction, in short windows without gaps. */
final class AroundCompaction {
  private static final double WARM_MEGABYTES = 500;

  /**
   * How long the parts last.
   *
   * @param leadIn not measured; fills caches
   * @param window one point of the plot over time
   * @param windowsBefore windows before the compaction
   * @param maxWarmUp windows after it within which latency is to come back
   * @param windowsAfter windows after that
   */
  record Times(
      Duration leadIn, Duration window, int windowsBefore, int maxWarmUp, int windowsAfter) {
    /** Seconds of a run whose compaction takes {@code compactionSeconds}. */
    double seconds(double compactionSeconds) {
      return leadIn.toMillis() / 1000.0
          + compactionSeconds
          + (windowsBefore + maxWarmUp / 2.0 + windowsAfter) * window.toMillis() / 1000.0;
    }
  }

  private final Connection connection;
  private final LoadDriver driver;
  private final Times times;
  private final List<RegionServerJmx> servers = new ArrayList<>();

  AroundCompaction(Connection connection, LoadDriver driver, Times times) throws IOException {
    this.connection = connection;
    this.driver = driver;
    this.times = times;
    try (Admin admin = connection.getAdmin()) {
      for (ServerName server : admin.getRegionServers()) {
        servers.add(RegionServerJmx.of(admin, server));
      }
    }
  }

  private static int warmUps(double megabytes) {
    return (int) Math.max(2, WARM_MEGABYTES / megabytes);
  }

  /** Seconds that {@link #warmUp} takes, about. */
  static double warmUpSeconds(int tables, double megabytes) {
    return 2 * warmUps(megabytes) * (tables + megabytes / 40);
  }

  /**
   * Compacts tables until everybody who compacts has compiled what is needed; nothing is measured.
   *
   * @param megabytes of the tables together
   */
  void warmUp(List<TableName> tables, double megabytes) throws IOException {
    int times = warmUps(megabytes);
    List<CompactionMode> modes = List.of(CompactionMode.STOCK, CompactionMode.OFFLOAD);
    try (Progress progress =
        new Progress("warming up, compactions", (long) times * modes.size() * tables.size())) {
      for (int i = 0; i < times; i++) {
        // To switch over also moves regions to other homes, so that each daemon gets its share.
        for (CompactionMode mode : modes) {
          for (TableName table : tables) {
            mode.switchOver(connection, table);
            MajorCompaction.run(connection, table);
            progress.add(1);
          }
        }
      }
      progress.done("");
    }
  }

  /** Runs a variant while {@code table} is compacted. */
  Timeline run(String words, Variant variant, TableName table) throws IOException {
    Timeline timeline = new Timeline();
    CompactionPhases phases =
        new CompactionPhases(times.windowsBefore, times.maxWarmUp, times.windowsAfter);
    try (Progress progress = new Progress(words, 0);
        MajorCompaction compaction = MajorCompaction.prepare(connection, table)) {
      progress.note("caches");
      driver.stream(
          variant,
          times.leadIn,
          Span.of(times.window),
          sample -> {
            try {
              return take(timeline, phases, sample, compaction, progress);
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          });
      timeline.end(compaction.seconds(), phases.recovered());
      progress.done(String.format(Locale.ROOT, "compaction %.1f s", timeline.compactionSeconds()));
    }
    return timeline;
  }

  private boolean isWarming() throws IOException {
    for (RegionServerJmx server : servers) {
      if (server.isWarming()) {
        return true;
      }
    }
    return false;
  }

  /** Takes a window; returns whether there is to be another one. */
  private boolean take(
      Timeline timeline,
      CompactionPhases phases,
      Sample sample,
      MajorCompaction compaction,
      Progress progress)
      throws IOException {
    // Asked in each window, for it costs something.
    boolean warming = isWarming();
    boolean ended = compaction.hasEnded();
    Phase phase = phases.ended(sample.operations(), sample.meanMillis(), ended, ended && warming);
    timeline.add(phase, sample);
    if (phases.current() == Phase.COMPACTION) {
      compaction.start();
    }
    progress.note(phases.current().toString());
    return phases.current() != Phase.OVER;
  }
}
