package io.ishbase.sim.miniature;

import io.ishbase.sim.design.Designs;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** What reads of a table fetch through a cache of any size, between sizes that were run. */
public final class Curve {
  /** A little more than the table, for a cache has bookkeeping. */
  private static final double MOST = 1.25;

  private static final double LEAST = 1e-4;

  private final Fetches without;
  private final List<Fetches> points;
  private final double power;

  private Curve(Fetches without, List<Fetches> points) {
    this.without = without;
    this.points = points;
    power = power(points);
  }

  /** With which power of the size hits grow among the smallest: what lies below grows alike. */
  private static double power(List<Fetches> points) {
    if (points.size() < 2) {
      return 1;
    }
    double hits = 1 - points.get(0).ofGet();
    double more = 1 - points.get(1).ofGet();
    double sizes = points.get(1).share() / points.get(0).share();
    return hits <= 0 || more <= hits
        ? 1
        : Math.min(1, StrictMath.log(more / hits) / StrictMath.log(sizes));
  }

  /** Runs a design at sizes a factor of {@code step} apart, the largest of all of the table. */
  public static Curve of(Miniature miniature, Designs design, double step) {
    List<Double> shares = new ArrayList<>();
    double least = Math.max(LEAST / miniature.scale(), miniature.leastShare());
    double share = Math.max(MOST / miniature.scale(), least);
    do {
      shares.add(0, share);
      share /= step;
    } while (share >= least);
    List<Fetches> points =
        IntStream.range(0, shares.size())
            .parallel()
            .mapToObj(i -> miniature.run(design, shares.get(i)))
            .toList();
    Fetches smallest = points.get(0);
    // Without a cache, a scan fetches what the smallest one lets it fetch.
    return new Curve(new Fetches(0, 1, smallest.ofScan(), smallest.scanBytes(), 0, 0), points);
  }

  /** What reads fetch through a cache of that part of the table; 0: through none. */
  public Fetches at(double share) {
    Fetches below = without;
    for (Fetches point : points) {
      if (share <= point.share()) {
        double part =
            below.share() == 0
                ? StrictMath.pow(share / point.share(), power)
                : StrictMath.log(share / below.share())
                    / StrictMath.log(point.share() / below.share());
        return below.towards(point, part);
      }
      below = point;
    }
    return below;
  }

  /** Between two curves, {@code part} of the way from this. */
  public static Fetches between(Curve one, Curve other, double part, double share) {
    return one.at(share).towards(other.at(share), part);
  }

  /** What was run, the smallest size first. */
  public List<Fetches> points() {
    return points;
  }
}
