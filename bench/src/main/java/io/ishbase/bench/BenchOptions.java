package io.ishbase.bench;

import io.ishbase.cluster.Mode;
import java.time.Duration;
import java.util.List;

/**
 * What the user wants of a benchmark. A scenario has two presets, small and full; what the user
 * names stands before both.
 *
 * @param full the size that published figures are made with, instead of a small one
 * @param loopback do without network namespaces
 * @param secured with Kerberos, and all connections encrypted; on loopback only
 * @param rounds windows for each variant and point; 0: as preset
 * @param seconds length of a window; 0: as preset
 * @param rows of the usual table, of 1 KB each, fewer if its rows are wider; 0: as preset
 * @param threads of the client; 0: as preset
 * @param bandwidths in Mbps, 0 for uncapped; empty: as preset
 * @param openLoopRate operations that start each second; 0: closed loop
 * @param seed of all random choices that are ours
 * @param modes how the usual tables are read, the baseline first
 * @param table what the usual table is like
 * @param replicas of each block in HDFS
 * @param workloads of a scenario that has several, by name; empty: all
 */
public record BenchOptions(
    boolean full,
    boolean loopback,
    boolean secured,
    int rounds,
    double seconds,
    long rows,
    int threads,
    List<Integer> bandwidths,
    double openLoopRate,
    long seed,
    List<Mode> modes,
    TableFormat table,
    int replicas,
    List<String> workloads) {
  private static final long SMALL_ROWS = 100_000;
  private static final long FULL_ROWS = 1_300_000;
  private static final int THREADS = 8;

  /** The first of two presets, or the second if {@link #full}. */
  public <T> T preset(T small, T large) {
    return full ? large : small;
  }

  public int roundsOrPreset() {
    return rounds > 0 ? rounds : preset(2, 4);
  }

  public Duration window() {
    return millis(seconds > 0 ? seconds : preset(3.0, 10.0));
  }

  /** Time at the start of each window that is not measured. */
  public Duration leadIn() {
    return millis(seconds > 0 ? Math.min(seconds / 3, 3) : preset(0.5, 2.0));
  }

  /** How long each variant runs before the first window of a load. */
  public Duration warmUp() {
    return millis(seconds > 0 ? Math.min(2 * seconds, 10) : preset(2.0, 10.0));
  }

  /** How long each variant runs after the servers' start before anything counts: JVMs compile. */
  public Duration firstWarmUp() {
    return millis(seconds > 0 ? Math.min(10 * seconds, 20) : preset(10.0, 20.0));
  }

  public long rowsOrPreset() {
    return rows > 0 ? rows : preset(SMALL_ROWS, FULL_ROWS);
  }

  /** The table of scenarios that are not about a table of their own. */
  public YcsbTable.Shape usualTable() {
    return new YcsbTable.Shape("usertable", table.rowsLike(rowsOrPreset()), table);
  }

  public int threadsOrPreset() {
    return threads > 0 ? threads : THREADS;
  }

  /** Seconds that {@code windows} windows take, each with its lead-in. */
  public double secondsOf(int windows) {
    return windows * (leadIn().toMillis() + window().toMillis()) / 1000.0;
  }

  private static Duration millis(double seconds) {
    return Duration.ofMillis(Math.round(seconds * 1000));
  }
}
