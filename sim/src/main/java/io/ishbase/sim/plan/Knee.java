package io.ishbase.sim.plan;

import io.ishbase.sim.miniature.Fetches;
import java.util.ArrayList;
import java.util.List;

/**
 * What sizes of the segment cache give, all tables together.
 *
 * @param points the smallest size first
 * @param knee of these, where more memory begins to give less: the point farthest above the line
 *     from the first to the last
 */
record Knee(List<Point> points, int knee) {
  private static final double LARGEST = 1.25;
  private static final double STEP = 2;
  private static final int STEPS = 11;

  /**
   * One size.
   *
   * @param cacheBytes of each region server
   * @param hits part of the Gets that ask nobody
   * @param inBytes a second from storage, for reads
   */
  record Point(double cacheBytes, double hits, double inBytes) {}

  static Knee of(Inputs inputs, Values values, List<TableCurves> curves) {
    double servers = values.of("region.servers");
    double all = inputs.tables().stream().mapToDouble(t -> values.openBytes(t)).sum();
    List<Point> points = new ArrayList<>();
    for (int step = STEPS; step >= 0; step--) {
      points.add(
          point(inputs, values, curves, LARGEST * all / StrictMath.pow(STEP, step), servers));
    }
    points.add(0, point(inputs, values, curves, 0, servers));
    return new Knee(points, farthest(points));
  }

  private static Point point(
      Inputs inputs, Values values, List<TableCurves> curves, double cache, double servers) {
    double[] shares = CacheShares.of(Side.WITH, values, inputs.tables(), curves, cache);
    double gets = 0;
    double missed = 0;
    double in = 0;
    for (int i = 0; i < shares.length; i++) {
      Inputs.Table table = inputs.tables().get(i);
      Fetches fetches = curves.get(i).at(Side.WITH, values.of(table, "skew"), shares[i]);
      gets += values.of(table, "gets");
      missed += values.of(table, "gets") * fetches.ofGet();
      for (ReadCosts read :
          List.of(
              ReadCosts.ofGet(Side.WITH, values, table, fetches),
              ReadCosts.ofScan(Side.WITH, values, table, fetches))) {
        in += read.aSecond() * (read.fetches() * read.inBytes() + read.unaskedInBytes());
      }
    }
    return new Point(cache / servers, gets == 0 ? Double.NaN : 1 - missed / gets, in);
  }

  private static int farthest(List<Point> points) {
    Point first = points.get(0);
    Point last = points.get(points.size() - 1);
    int best = 0;
    double far = 0;
    for (int i = 0; i < points.size(); i++) {
      double x = points.get(i).cacheBytes() / last.cacheBytes();
      double saved =
          (first.inBytes() - points.get(i).inBytes())
              / Math.max(1e-9, first.inBytes() - last.inBytes());
      if (saved - x > far) {
        far = saved - x;
        best = i;
      }
    }
    return best;
  }
}
