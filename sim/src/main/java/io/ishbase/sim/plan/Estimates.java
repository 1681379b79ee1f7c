package io.ishbase.sim.plan;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.DoubleStream;

/** All numbers of a plan for one value of each input. */
final class Estimates {
  private static final double MOST_MBPS = 1e6;
  private static final double LEAST_MBPS = 1;
  private static final int HALVINGS = 40;

  private final Inputs inputs;
  private final List<TableCurves> curves;
  private final Map<Integer, Double> spreads = new ConcurrentHashMap<>();
  private final long seed;

  Estimates(Inputs inputs, List<TableCurves> curves, long seed) {
    this.inputs = inputs;
    this.curves = curves;
    this.seed = seed;
  }

  private Machines machines(int regionServers, int storageNodes) {
    return new Machines(regionServers, storageNodes, spread(storageNodes));
  }

  private double spread(int storageNodes) {
    return spreads.computeIfAbsent(
        storageNodes, nodes -> Spread.of(inputs, inputs.middle(), nodes));
  }

  private static int whole(Values values, String machines) {
    return (int) Math.max(1, Math.rint(values.of(machines)));
  }

  /** The busiest storage node's part, as a multiple of the mean. */
  double spread() {
    return spread(whole(inputs.middle(), "storage.nodes"));
  }

  Load load(Side side, Values values) {
    return Load.of(
        side,
        inputs,
        values,
        curves,
        machines(whole(values, "region.servers"), whole(values, "storage.nodes")));
  }

  /**
   * All numbers.
   *
   * @param withLatency whether those that take long to find as well
   */
  Map<Answer, Double> of(Values values, boolean withLatency) {
    Map<Answer, Double> answers = new EnumMap<>(Answer.class);
    Load today = load(Side.TODAY, values);
    Load with = load(Side.WITH, values);
    answers.put(Answer.LINE_IN_TODAY, today.inBytes());
    answers.put(Answer.LINE_IN_WITH, with.inBytes());
    answers.put(Answer.LINE_OUT_TODAY, today.outBytes());
    answers.put(Answer.LINE_OUT_WITH, with.outBytes());
    answers.put(Answer.NEAR_TODAY, today.nearBytes());
    answers.put(Answer.NEAR_WITH, with.nearBytes());
    answers.put(Answer.FAR_TODAY, today.farBytes());
    answers.put(Answer.FAR_WITH, with.farBytes());
    answers.put(Answer.CARRIED_TODAY, today.carried());
    answers.put(Answer.CARRIED_WITH, with.carried());
    int servers = whole(values, "region.servers");
    int nodes = whole(values, "storage.nodes");
    Machines nodeLess = machines(servers, Math.max(1, nodes - 1));
    Machines serverLess = machines(Math.max(1, servers - 1), nodes);
    answers.put(Answer.DAEMON_CORES, with.daemonSeconds() / nodes);
    answers.put(Answer.DATANODE_CORES, today.storageSeconds() / nodes);
    Load todayNode = Load.of(Side.TODAY, inputs, values, curves, nodeLess);
    Load withNode = Load.of(Side.WITH, inputs, values, curves, nodeLess);
    Load todayServer = Load.of(Side.TODAY, inputs, values, curves, serverLess);
    Load withServer = Load.of(Side.WITH, inputs, values, curves, serverLess);
    answers.put(Answer.BUSY_TODAY, today.bottleneck().part());
    answers.put(Answer.BUSY_WITH, with.bottleneck().part());
    answers.put(Answer.TWICE_BUSY_TODAY, today.times(2).bottleneck().part());
    answers.put(Answer.TWICE_BUSY_WITH, with.times(2).bottleneck().part());
    answers.put(Answer.NODE_LESS_BUSY_TODAY, busy(nodes - 1, todayNode));
    answers.put(Answer.NODE_LESS_BUSY_WITH, busy(nodes - 1, withNode));
    answers.put(Answer.SERVER_LESS_BUSY_TODAY, busy(servers - 1, todayServer));
    answers.put(Answer.SERVER_LESS_BUSY_WITH, busy(servers - 1, withServer));
    if (withLatency) {
      answers.put(Answer.CROSSING_MBPS, crossing(today, with));
      answers.put(Answer.P99_TODAY, OpenLoop.p99(today, 1, seed));
      answers.put(Answer.P99_WITH, OpenLoop.p99(with, 1, seed));
      answers.put(Answer.P99_FULL_TODAY, OpenLoop.p99(today, today.headroom(), seed));
      answers.put(Answer.P99_FULL_WITH, OpenLoop.p99(with, with.headroom(), seed));
      answers.put(Answer.TWICE_P99_TODAY, OpenLoop.p99(today, 2, seed));
      answers.put(Answer.TWICE_P99_WITH, OpenLoop.p99(with, 2, seed));
      boolean isLeft = nodes > 1;
      double none = Double.POSITIVE_INFINITY;
      answers.put(Answer.NODE_LESS_P99_TODAY, isLeft ? OpenLoop.p99(todayNode, 1, seed) : none);
      answers.put(Answer.NODE_LESS_P99_WITH, isLeft ? OpenLoop.p99(withNode, 1, seed) : none);
    }
    return answers;
  }

  /** How busy the busiest is; infinite if none of these machines is left. */
  private static double busy(int left, Load load) {
    return left == 0 ? Double.POSITIVE_INFINITY : load.bottleneck().part();
  }

  /**
   * Megabits a second for each region server from which on the machines carry as much today as with
   * IS-HBase, if no other line were short; infinite if they never do.
   */
  private static double crossing(Load today, Load with) {
    if (carried(today, MOST_MBPS) < carried(with, MOST_MBPS)) {
      return Double.POSITIVE_INFINITY;
    }
    double less = LEAST_MBPS;
    double more = MOST_MBPS;
    if (carried(today, less) >= carried(with, less)) {
      return less;
    }
    for (int i = 0; i < HALVINGS; i++) {
      double middle = StrictMath.sqrt(less * more);
      if (carried(today, middle) < carried(with, middle)) {
        less = middle;
      } else {
        more = middle;
      }
    }
    return more;
  }

  private static double carried(Load load, double mbps) {
    double line = mbps * 1e6 / 8 * load.machines().regionServers();
    return load.operations()
        * load.headroom(
            at ->
                DoubleStream.concat(
                        DoubleStream.of(at.inBytes() / line, at.outBytes() / line),
                        at.resources().stream()
                            .filter(resource -> !resource.isLine())
                            .mapToDouble(Load.Resource::part))
                    .toArray());
  }
}
