package io.ishbase.sim.plan;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

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
    answers.put(Answer.TWICE_BUSY_TODAY, 2 * today.bottleneck().part());
    answers.put(Answer.TWICE_BUSY_WITH, 2 * with.bottleneck().part());
    answers.put(Answer.NODE_LESS_BUSY_TODAY, todayNode.bottleneck().part());
    answers.put(Answer.NODE_LESS_BUSY_WITH, withNode.bottleneck().part());
    answers.put(Answer.SERVER_LESS_BUSY_TODAY, todayServer.bottleneck().part());
    answers.put(Answer.SERVER_LESS_BUSY_WITH, withServer.bottleneck().part());
    if (withLatency) {
      answers.put(Answer.CROSSING_MBPS, crossing(today, with));
      answers.put(Answer.P99_TODAY, OpenLoop.p99(today, 1, seed));
      answers.put(Answer.P99_WITH, OpenLoop.p99(with, 1, seed));
      answers.put(Answer.P99_FULL_TODAY, OpenLoop.p99(today, today.headroom(), seed));
      answers.put(Answer.P99_FULL_WITH, OpenLoop.p99(with, with.headroom(), seed));
      answers.put(Answer.TWICE_P99_TODAY, OpenLoop.p99(today, 2, seed));
      answers.put(Answer.TWICE_P99_WITH, OpenLoop.p99(with, 2, seed));
      answers.put(Answer.NODE_LESS_P99_TODAY, OpenLoop.p99(todayNode, 1, seed));
      answers.put(Answer.NODE_LESS_P99_WITH, OpenLoop.p99(withNode, 1, seed));
    }
    return answers;
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
    double busiest = Math.max(load.inBytes(), load.outBytes()) / line;
    for (Load.Resource resource : load.resources()) {
      if (!resource.isLine()) {
        busiest = Math.max(busiest, resource.part());
      }
    }
    return load.operations() * load.values().of("load.limit") / busiest;
  }
}
