package io.ishbase.archetypes.metrics;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Over how many rows the increments of a bucket are spread. HBase changes a row under its lock, so
 * the increments of many clients to one row wait for each other. Whether they do is measured:
 *
 * <ul>
 *   <li>Where the increments of a row take long, the number of its shards is doubled for a trial.
 *       If they then take clearly less time, that stays, and doubling goes on. If not, the row was
 *       not what they waited for: the trial is undone, and the next is put off, each time for twice
 *       as long.
 *   <li>Where they take little time, half the shards are tried, in the same way.
 * </ul>
 *
 * A pure state machine: time and measurements are given to it. Each writer has its own; writers
 * need not agree, because readers add up all shards. Safe for several threads.
 */
final class ShardPolicy {
  /**
   * What the policy goes by.
   *
   * @param hotNanos the median latency of a row's increments from which on a trial is made
   * @param samples how many latencies make a median
   * @param gain the latency by which a trial has paid, as a share of what it was
   * @param pauseNanos how long the next trial waits after one that did not pay
   * @param longestPauseNanos to what that is doubled
   * @param maxShards a power of two, at most 256
   */
  record Settings(
      long hotNanos,
      int samples,
      double gain,
      long pauseNanos,
      long longestPauseNanos,
      int maxShards) {
    static final Settings DEFAULT =
        new Settings(5_000_000L, 15, 0.75, 10_000_000_000L, 600_000_000_000L, 32);

    Settings {
      if (maxShards < 1 || maxShards > 256 || Integer.bitCount(maxShards) != 1) {
        throw new IllegalArgumentException(
            "The largest number of shards is a power of two up to 256, not " + maxShards);
      }
    }
  }

  private static final int MAX_SERIES = 10_000;

  private final Settings settings;
  private final Map<Series, State> states =
      new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Series, State> eldest) {
          return size() > MAX_SERIES;
        }
      };

  ShardPolicy(Settings settings) {
    this.settings = settings;
  }

  /** Over how many shards the increments of {@code series} are spread now: a power of two. */
  synchronized int shards(Series series) {
    State state = states.get(series);
    return state == null ? 1 : state.shards;
  }

  /** An increment of one row of {@code series}, sent alone, took so long. */
  synchronized void took(Series series, long latencyNanos, long nowNanos) {
    State state = states.computeIfAbsent(series, unknown -> new State(settings));
    state.latencies[state.taken++] = latencyNanos;
    if (state.taken == settings.samples) {
      Arrays.sort(state.latencies);
      state.taken = 0;
      decide(state, state.latencies[settings.samples / 2], nowNanos);
    }
  }

  private void decide(State state, long median, long nowNanos) {
    if (state.trial) {
      state.trial = false;
      boolean paid =
          state.shards > state.shardsBefore
              ? median <= settings.gain * state.medianBefore
              : median < settings.hotNanos;
      if (paid) {
        state.pauseNanos = settings.pauseNanos;
      } else {
        state.shards = state.shardsBefore;
        state.quietSince = nowNanos;
        state.quietNanos = state.pauseNanos;
        state.pauseNanos = Math.min(2 * state.pauseNanos, settings.longestPauseNanos);
      }
    } else if (nowNanos - state.quietSince >= state.quietNanos) {
      if (median >= settings.hotNanos && state.shards < settings.maxShards) {
        state.tryShards(2 * state.shards, median);
      } else if (median < settings.hotNanos / 4 && state.shards > 1) {
        state.tryShards(state.shards / 2, median);
      }
    }
  }

  /** What is known of a series. */
  private static final class State {
    final long[] latencies;
    int taken;
    int shards = 1;
    boolean trial;
    int shardsBefore;
    long medianBefore;
    long pauseNanos;
    long quietSince;
    long quietNanos;

    State(Settings settings) {
      latencies = new long[settings.samples];
      pauseNanos = settings.pauseNanos;
    }

    void tryShards(int number, long median) {
      trial = true;
      shardsBefore = shards;
      medianBefore = median;
      shards = number;
    }
  }
}
