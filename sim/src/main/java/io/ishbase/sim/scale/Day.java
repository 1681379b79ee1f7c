package io.ishbase.sim.scale;

import io.ishbase.core.Homes;
import io.ishbase.core.Replicas;
import io.ishbase.sim.compaction.WorkerPool;
import io.ishbase.sim.engine.EventLoop;
import io.ishbase.sim.miniature.Fetches;
import io.ishbase.sim.plan.Inputs;
import io.ishbase.sim.plan.ReadCosts;
import io.ishbase.sim.plan.Side;
import io.ishbase.sim.plan.TableCurves;
import io.ishbase.sim.plan.Values;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;

/**
 * A day of a cluster, in steps of ten minutes between which events happen.
 *
 * <p>At one third of it a rack of storage nodes dies, for an hour; at the half all region servers
 * restart in turn, within two hours; at three quarters a bulk load brings files into some of the
 * regions.
 */
public final class Day {
  static final String NODE = "node";
  private static final long STEP_NANOS = 600_000_000_000L;
  private static final double STEP_SECONDS = 600;
  private static final int STEPS_OF_HOUR = 6;
  private static final long MILLI = 1_000_000;

  /** Loads are reported so often in a step. */
  private static final int REPORTS = 60;

  private final Setup setup;
  private final Values values;
  private final Inputs.Table table;
  private final TableCurves curves;
  private final EventLoop loop = new EventLoop();
  private final Homes homes = new Homes();
  private final WorkerPool workers;
  private final Placed placed;
  private final Writes writes;
  private final List<Node> nodes = new ArrayList<>();
  private final float[] loads;
  private final double gets;

  /** Part of its rows that a region server has cached, of those that it would have in the end. */
  private final double[] warm;

  private final List<DayResult.Step> steps = new ArrayList<>();
  private final double homesAlone;
  private double askedFirst;
  private long compactionsBefore;
  private long atHomeBefore;

  /** A storage node. */
  private static final class Node {
    private final String name;
    private boolean isDead;
    private double seconds;
    private double compacting;
    private double bytes;
    private double bytesToday;
    private double reads;
    private int reported;

    Node(String name) {
      this.name = name;
    }

    /** As it said last. */
    int load() {
      return reported;
    }
  }

  /**
   * Prepares one.
   *
   * @param curves of the setup's table
   * @param wallNanos what time it really is, to say how long questions to the manager take
   */
  Day(Setup setup, Inputs inputs, TableCurves curves, long seed, LongSupplier wallNanos) {
    this.setup = setup;
    this.curves = curves;
    values = inputs.middle();
    table = inputs.tables().get(0);
    gets = values.of(table, "gets");
    SplittableRandom random = new SplittableRandom(seed);
    loads = Region.loads(setup.regions(), Setup.REGION_SKEW, random.split());
    workers =
        new WorkerPool(
            loop,
            values.of("compaction.mb.s") * (1 << 20),
            Math.round(values.of("patience.s") * 1e3),
            wallNanos);
    Map<String, Integer> idle = new HashMap<>();
    for (int i = 0; i < setup.storageNodes(); i++) {
      Node node = new Node(NODE + i + ":9866");
      nodes.add(node);
      idle.put(node.name, 0);
      workers.add(node.name, (int) values.of("worker.slots"));
    }
    homes.observe(idle, 0);
    List<String> names = nodes.stream().map(node -> node.name).toList();
    placed = new Placed(homes, names, setup.regions());
    homesAlone = spreadOfHomes();
    writes = new Writes(loop, values, setup, placed, names, workers);
    writes.begin(setup.regions(), random.split());
    warm = new double[setup.regionServers()];
    Arrays.fill(warm, 1);
  }

  /** Steps of a day. */
  static int steps(Setup setup) {
    return setup.hours() * STEPS_OF_HOUR;
  }

  /** Runs it. */
  DayResult run(Runnable isDone) {
    int all = steps(setup);
    for (int step = 0; step < all; step++) {
      String incident = incident(step, all);
      toStep(step);
      step(incident);
      isDone.run();
    }
    return new DayResult(
        setup,
        steps,
        homesAlone,
        spreadOfHomesNow(),
        askedFirst,
        inOneRack(),
        writes.flushes(),
        writes.compactions(),
        writes.atHome(),
        writes.blockedSeconds(),
        workers.questions(),
        (double) workers.questionNanos() / Math.max(1, workers.questions()),
        loop.events());
  }

  private void toStep(int step) {
    boolean[] isOver = {false};
    loop.at((step + 1) * STEP_NANOS, new EventLoop.Timer(() -> isOver[0] = true));
    while (!isOver[0]) {
      loop.step();
    }
  }

  private String incident(int step, int all) {
    int dies = all / 3;
    int restarts = all / 2;
    int restarted = Math.min(all, restarts + 2 * STEPS_OF_HOUR);
    if (step == dies || step == dies + STEPS_OF_HOUR) {
      boolean isDead = step == dies;
      for (int i = 0; i < setup.rack(); i++) {
        nodes.get(i).isDead = isDead;
        workers.drain(nodes.get(i).name, isDead);
      }
    }
    // On a short day they come at the same time.
    List<String> incidents = new ArrayList<>();
    if (step >= dies && step < dies + STEPS_OF_HOUR) {
      incidents.add(DayResult.RACK);
    }
    if (step == all * 3 / 4) {
      writes.bulkLoad(setup.regions(), (int) Math.round(1 / Setup.BULK_REGIONS));
      incidents.add(DayResult.BULK_LOAD);
    }
    if (step >= restarts && step < restarted) {
      int from = (step - restarts) * warm.length / (restarted - restarts);
      int to = (step + 1 - restarts) * warm.length / (restarted - restarts);
      Arrays.fill(warm, from, to, 0);
      incidents.add(DayResult.RESTART);
    }
    return String.join(", ", incidents);
  }

  private void step(String incident) {
    List<ReadCosts> today = costs(Side.TODAY);
    List<ReadCosts> with = costs(Side.WITH);
    for (int i = 0; i < nodes.size(); i++) {
      Node node = nodes.get(i);
      node.seconds = node.bytes = node.bytesToday = node.reads = 0;
      node.compacting = writes.takeUsedSeconds(i) / STEP_SECONDS;
      node.reported = 0;
    }
    byte[] asked = new byte[setup.regions()];
    long lost = ask(today, with, asked);
    if (steps.isEmpty()) {
      askedFirst = spread(nodes.stream().mapToDouble(node -> node.reads).toArray());
    }
    steps.add(outcome(incident, today, with, asked, lost));
    homes.observe(reports(), loop.now() / MILLI);
    warmUp(with);
  }

  private List<ReadCosts> costs(Side side) {
    double cache =
        setup.regionServers()
            * (side == Side.TODAY ? values.of("block.cache") : values.segmentCache());
    double share = cache / values.of(table, "bytes");
    Map<Double, ReadCosts> byWarmth = new HashMap<>();
    return Arrays.stream(warm)
        .mapToObj(
            part ->
                byWarmth.computeIfAbsent(
                    part,
                    same -> {
                      Fetches fetches = curves.at(side, values.of(table, "skew"), same * share);
                      return ReadCosts.ofGet(side, values, table, fetches);
                    }))
        .toList();
  }

  /**
   * Decides which of its holders is asked for each region. Returns how many have none that lives.
   */
  private long ask(List<ReadCosts> today, List<ReadCosts> with, byte[] asked) {
    List<Node> holders = new ArrayList<>();
    int betweenReports = Math.max(1, setup.regions() / REPORTS);
    long lost = 0;
    for (int region = 0; region < setup.regions(); region++) {
      holders.clear();
      for (int replica = 0; replica < placed.replicas(); replica++) {
        holders.add(nodes.get(placed.holder(region, replica)));
      }
      Node node = Replicas.choose(holders, List.of(), holder -> holder.isDead, Node::load);
      if (node == null || node.isDead) {
        asked[region] = -1;
        lost++;
        continue;
      }
      asked[region] = (byte) holders.indexOf(node);
      int server = region % setup.regionServers();
      double reads = loads[region] * gets;
      ReadCosts costs = with.get(server);
      node.reads += reads;
      node.seconds +=
          reads * (costs.fetches() * costs.storageSeconds() + costs.unaskedStorageSeconds());
      node.bytes += reads * bytes(costs);
      node.bytesToday += reads * bytes(today.get(server));
      if (region % betweenReports == 0) {
        nodes.forEach(one -> one.reported = (int) (1e6 * one.seconds));
      }
    }
    return lost;
  }

  private static double bytes(ReadCosts costs) {
    return costs.fetches() * costs.inBytes() + costs.unaskedInBytes();
  }

  private DayResult.Step outcome(
      String incident, List<ReadCosts> today, List<ReadCosts> with, byte[] asked, long lost) {
    double[] serverBytes = new double[setup.regionServers()];
    double[] serverBytesToday = new double[setup.regionServers()];
    double[] serverSeconds = new double[setup.regionServers()];
    double[] serverSecondsToday = new double[setup.regionServers()];
    for (int region = 0; region < setup.regions(); region++) {
      int server = region % setup.regionServers();
      double reads = asked[region] < 0 ? 0 : loads[region] * gets;
      serverBytes[server] += reads * bytes(with.get(server));
      serverBytesToday[server] += reads * bytes(today.get(server));
      serverSeconds[server] += reads * with.get(server).serverSeconds();
      serverSecondsToday[server] += reads * today.get(server).serverSeconds();
    }
    double nic = values.bytesPerSecond("region.server.mbps");
    double cores = values.of("region.server.cores");
    double servedWith = 0;
    double servedToday = 0;
    double mostWith = 0;
    double mostToday = 0;
    for (int region = 0; region < setup.regions(); region++) {
      if (asked[region] < 0) {
        continue;
      }
      int server = region % setup.regionServers();
      Node node = nodes.get(placed.holder(region, asked[region]));
      double reads = loads[region] * gets;
      double ofWith =
          Math.max(
              Math.max(busy(node), serverSeconds[server] / cores),
              Math.max(node.bytes, serverBytes[server]) / nic);
      double ofToday =
          Math.max(
              serverSecondsToday[server] / cores,
              Math.max(node.bytesToday, serverBytesToday[server]) / nic);
      servedWith += reads / Math.max(1, ofWith);
      servedToday += reads / Math.max(1, ofToday);
      mostWith = Math.max(mostWith, ofWith);
      mostToday = Math.max(mostToday, ofToday);
    }
    long[] waits = writes.takeWaits();
    DayResult.Step step =
        new DayResult.Step(
            incident,
            gets,
            servedToday,
            servedWith,
            gets / mostToday,
            gets / mostWith,
            Arrays.stream(serverBytesToday).sum(),
            Arrays.stream(serverBytes).sum(),
            nodes.stream().mapToDouble(this::busy).max().orElse(0),
            lost,
            waits.length == 0 ? 0 : waits[(int) (0.99 * (waits.length - 1))] / 1e9,
            writes.compactions() - compactionsBefore,
            writes.atHome() - atHomeBefore);
    compactionsBefore = writes.compactions();
    atHomeBefore = writes.atHome();
    return step;
  }

  /** Part of a storage node's processors that is busy, compactions included. */
  private double busy(Node node) {
    return (node.seconds + node.compacting) / values.of("storage.cores");
  }

  private Map<String, Integer> reports() {
    Map<String, Integer> reports = new HashMap<>();
    for (Node node : nodes) {
      if (!node.isDead) {
        reports.put(
            node.name, (int) Math.min(100, 100 * node.seconds / values.of("storage.cores")));
      }
    }
    return reports;
  }

  /** What reads fetch fills the caches of region servers that have begun anew. */
  private void warmUp(List<ReadCosts> costs) {
    double perServer = gets / warm.length * STEP_SECONDS * values.of(table, "row.bytes");
    for (int server = 0; server < warm.length; server++) {
      double filled = perServer * costs.get(server).fetches();
      warm[server] = Math.min(1, warm[server] + filled / values.segmentCache());
    }
  }

  private double spreadOfHomes() {
    double[] reads = new double[nodes.size()];
    for (int region = 0; region < setup.regions(); region++) {
      reads[placed.holder(region, 0)] += loads[region];
    }
    return spread(reads);
  }

  /** The same if all files were written anew now. */
  private double spreadOfHomesNow() {
    for (int region = 0; region < setup.regions(); region++) {
      placed.place(region);
    }
    return spreadOfHomes();
  }

  private static double spread(double[] reads) {
    double mean = Arrays.stream(reads).average().orElse(1);
    return Arrays.stream(reads).max().orElse(0) / mean;
  }

  private long inOneRack() {
    return IntStream.range(0, setup.regions())
        .filter(
            region ->
                IntStream.range(1, placed.replicas())
                    .allMatch(
                        replica ->
                            placed.holder(region, replica) / setup.rack()
                                == placed.holder(region, 0) / setup.rack()))
        .count();
  }
}
