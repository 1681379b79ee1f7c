package io.ishbase.sim.plan;

import io.ishbase.sim.engine.Bandwidth;
import io.ishbase.sim.engine.EventLoop;
import io.ishbase.sim.engine.Link;
import io.ishbase.sim.engine.Processors;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/**
 * The latency of reads that clients send without waiting for answers to others: one region server,
 * its part of the storage nodes, and what of the line the rest of the load leaves.
 */
final class OpenLoop {
  private static final int WARM_UP = 2_000;
  private static final int READS = 16_000;

  /** Reads that are further apart do not meet either, and virtual time has an end. */
  private static final double MOST_APART_NANOS = 1e13;

  /** A part of the reads that is too small to wait for. */
  private static final double RARE = 0.05;

  private final Values values;
  private final EventLoop loop = new EventLoop();
  private final SplittableRandom random;
  private final Processors server;
  private final Processors storage;
  private final Link in;
  private final Link out;
  private final List<ReadCosts> reads;
  private final double aSecond;
  private final boolean isOfGets;
  private final double[] latencies = new double[READS];
  private int begun;
  private int counted;

  private OpenLoop(Load load, long seed) {
    values = load.values();
    random = new SplittableRandom(seed);
    Machines machines = load.machines();
    double servers = machines.regionServers();
    reads = load.reads();
    aSecond = (load.operations() - load.puts()) / servers;
    double all = reads.stream().mapToDouble(ReadCosts::aSecond).sum();
    double gets = reads.stream().filter(ReadCosts::isGet).mapToDouble(ReadCosts::aSecond).sum();
    isOfGets = gets > RARE * all;
    double readSeconds = 0;
    double readStorage = 0;
    double readIn = 0;
    double readOut = 0;
    for (ReadCosts read : reads) {
      double fetches = read.aSecond() * read.fetches();
      readSeconds += read.aSecond() * read.serverSeconds();
      readStorage += fetches * read.storageSeconds();
      readIn += fetches * read.inBytes();
      readOut += fetches * read.outBytes();
    }
    double nodes = machines.storageNodes() / machines.spread() / servers;
    server =
        processors(
            values.of("region.server.cores"), (load.serverSeconds() - readSeconds) / servers);
    storage =
        processors(
            nodes * values.of("storage.cores"), (load.storageSeconds() - readStorage) / servers);
    double ofNodes = values.bytesPerSecond("storage.mbps") * machines.storageNodes() / servers;
    double nic = values.bytesPerSecond("region.server.mbps");
    double core = values.bytesPerSecond("core.mbps") / servers;
    core = core == 0 ? Double.POSITIVE_INFINITY : core;
    double replicas = load.replicaBytes() / servers;
    double othersIn = (load.inBytes() - readIn) / servers;
    double spread = machines.spread();
    in =
        link(
            left(ofNodes / spread, othersIn + replicas / spread),
            left(nic, othersIn + load.clientInBytes() / servers),
            left(core, othersIn));
    double othersOut = (load.outBytes() - readOut) / servers;
    out =
        link(
            left(ofNodes, othersOut + replicas),
            left(nic, othersOut + load.clientOutBytes() / servers),
            left(core, othersOut));
  }

  /** Processors of which other work takes a part. */
  private Processors processors(double count, double othersSeconds) {
    int whole = (int) Math.max(1, Math.round(count));
    return new Processors(loop, whole, Math.max(0.01, (count - othersSeconds) / whole));
  }

  /** Bytes a second that others leave of a part of the line; a little at least. */
  private static double left(double bytesPerSecond, double others) {
    return Math.max(0.01 * bytesPerSecond, bytesPerSecond - others);
  }

  /** As fast as the slowest part of the line. */
  private Link link(double... bytesPerSecond) {
    double slowest = Arrays.stream(bytesPerSecond).min().orElseThrow();
    return new Link(loop, Bandwidth.constant(slowest * 8 / 1e6));
  }

  /**
   * Seconds within which 99 of 100 Gets are answered, or Scans if there are no Gets.
   *
   * @param times the load as a multiple
   * @return infinite if the machines do not carry that load
   */
  static double p99(Load load, double times, long seed) {
    Load grown = load.times(times);
    if (times == 0 || grown.bottleneck().part() >= 1) {
      return Double.POSITIVE_INFINITY;
    }
    return load.operations() == load.puts() ? 0 : new OpenLoop(grown, seed).run();
  }

  private double run() {
    double apart = Math.min(MOST_APART_NANOS, 1e9 / aSecond);
    EventLoop.Timer[] next = new EventLoop.Timer[1];
    next[0] =
        new EventLoop.Timer(
            () -> {
              new OneRead(draw()).begin();
              begun++;
              loop.in((long) exponential(apart), next[0]);
            });
    loop.in(0, next[0]);
    while (counted < READS) {
      loop.step();
    }
    Arrays.sort(latencies);
    return latencies[(int) (0.99 * READS)] / 1e9;
  }

  private double exponential(double mean) {
    return -mean * StrictMath.log(1 - random.nextDouble());
  }

  private ReadCosts draw() {
    double all = reads.stream().mapToDouble(ReadCosts::aSecond).sum();
    double at = random.nextDouble() * all;
    for (ReadCosts read : reads) {
      at -= read.aSecond();
      if (at < 0) {
        return read;
      }
    }
    return reads.stream().filter(read -> read.aSecond() > 0).findFirst().orElseThrow();
  }

  /** A read on its way. */
  private final class OneRead {
    private final ReadCosts costs;
    private final long began = loop.now();
    private final boolean counts = begun >= WARM_UP;
    private long fetches;

    OneRead(ReadCosts costs) {
      this.costs = costs;
      fetches = (long) (costs.fetches() + random.nextDouble());
    }

    void begin() {
      new Processors.Work(server, this::goOn).begin(costs.serverSeconds() * 1e9);
    }

    private void goOn() {
      if (fetches-- > 0) {
        out.send(new Link.Transfer(this::sent), Math.round(costs.outBytes()));
      } else if (counts && costs.isGet() == isOfGets && counted < READS) {
        latencies[counted++] = loop.now() - began;
      }
    }

    private void sent() {
      boolean reads = random.nextDouble() >= values.of("page.cache");
      double disk = reads ? exponential(values.seconds("disk.ms") * 1e9) : 0;
      double trip = values.seconds("round.trip.ms") * 1e9;
      loop.in(Math.round(trip + disk), new EventLoop.Timer(this::there));
    }

    private void there() {
      new Processors.Work(storage, this::answered).begin(costs.storageSeconds() * 1e9);
    }

    private void answered() {
      in.send(new Link.Transfer(this::goOn), Math.round(costs.inBytes()));
    }
  }
}
