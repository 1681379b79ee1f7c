package io.ishbase.sim.engine;

import java.util.Arrays;

/** What a line carries, by time. Bits, not bytes; times in nanoseconds since the run began. */
public interface Bandwidth {
  /** The bits that pass between two times. */
  double bits(long from, long to);

  /** The first time by which so many bits have passed since {@code from}. */
  long when(long from, double bits);

  /** Megabits a second at a time. */
  double mbps(long at);

  /** Always the same. */
  static Bandwidth constant(double mbps) {
    if (!(mbps > 0)) {
      throw new IllegalArgumentException("A line of " + mbps + " Mbps carries nothing");
    }
    double bitsPerNano = mbps / 1e3;
    return new Bandwidth() {
      @Override
      public double bits(long from, long to) {
        return (to - from) * bitsPerNano;
      }

      @Override
      public long when(long from, double bits) {
        return from + (long) Math.ceil(bits / bitsPerNano);
      }

      @Override
      public double mbps(long at) {
        return mbps;
      }
    };
  }

  /** From 0 to {@code maxMbps} and back in each period, beginning in the middle. */
  static Bandwidth sine(double maxMbps, long periodNanos) {
    if (!(maxMbps > 0) || periodNanos <= 0) {
      throw new IllegalArgumentException(
          "A line of " + maxMbps + " Mbps at most, every " + periodNanos + " ns, carries nothing");
    }
    double half = maxMbps / 2e3;
    double turn = 2 * Math.PI / periodNanos;
    return new Searched() {
      @Override
      double passed(long until) {
        // Angles of late times are large: only the part of the period counts.
        double angle = turn * (until % periodNanos);
        return half * until + half / turn * (1 - StrictMath.cos(angle));
      }

      @Override
      public double mbps(long at) {
        return maxMbps / 2 * (1 + StrictMath.sin(turn * (at % periodNanos)));
      }
    };
  }

  /**
   * Of steps, which begin anew after the last.
   *
   * @param stepNanos how long each lasts
   * @param mbps of each; some above 0
   */
  static Bandwidth trace(long stepNanos, double... mbps) {
    double[] before = new double[mbps.length + 1];
    for (int i = 0; i < mbps.length; i++) {
      before[i + 1] = before[i] + mbps[i] / 1e3 * stepNanos;
    }
    if (stepNanos <= 0 || !(before[mbps.length] > 0) || Arrays.stream(mbps).anyMatch(m -> m < 0)) {
      throw new IllegalArgumentException("A trace that carries nothing: " + Arrays.toString(mbps));
    }
    long round = stepNanos * mbps.length;
    return new Searched() {
      @Override
      double passed(long until) {
        int step = (int) (until % round / stepNanos);
        long rounds = until / round;
        return rounds * before[mbps.length] + before[step] + mbps[step] / 1e3 * (until % stepNanos);
      }

      @Override
      public double mbps(long at) {
        return mbps[(int) (at % round / stepNanos)];
      }
    };
  }

  /** One whose integral is known, and turned around by search. */
  abstract class Searched implements Bandwidth {
    /** Bits since the run began; never falls. */
    abstract double passed(long until);

    @Override
    public final double bits(long from, long to) {
      return passed(to) - passed(from);
    }

    @Override
    public final long when(long from, double bits) {
      double goal = passed(from) + bits;
      long early = from - 1;
      long span = 1;
      while (passed(from + span) < goal) {
        early = from + span;
        span *= 2;
      }
      long late = from + span;
      while (late - early > 1) {
        long middle = early + (late - early) / 2;
        if (passed(middle) < goal) {
          early = middle;
        } else {
          late = middle;
        }
      }
      return bits <= 0 ? from : late;
    }
  }
}
