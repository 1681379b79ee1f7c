package io.ishbase.sim.compaction;

import io.ishbase.core.compaction.CompactionQueue;
import io.ishbase.core.compaction.Placement;
import io.ishbase.core.compaction.WarmUpMode;
import io.ishbase.core.compaction.Worker;
import io.ishbase.sim.compaction.Region.DataFile;
import io.ishbase.sim.engine.EventLoop;
import io.ishbase.sim.workload.Parameters;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.DoubleUnaryOperator;

/**
 * Region servers under updates and reads for some hours, and those who compact for them: sections 5
 * and 6 of Ahmad and Kemme. Flushes and major compactions come by time, minor ones as HBase selects
 * them.
 */
public final class Cluster {
  private static final long SECOND = 1_000_000_000L;

  /** How often a region server asks for a compaction server, as the plug-in does. */
  private static final long ASK_AGAIN_NANOS = SECOND / 2;

  /** More than there are compactions: memory is what bounds the seed's servers. */
  private static final int ANY_SLOTS = 1000;

  private final EventLoop loop = new EventLoop();
  private final Parameters parameters;
  private final Setup setup;
  private final SplittableRandom random;
  private final CompactionQueue queue;
  private final List<Region> regions = new ArrayList<>();
  private final List<Server> servers = new ArrayList<>();
  private final Set<Compaction> waiting = new HashSet<>();
  private final Set<Region> inMajor = new HashSet<>();
  private final long regionBytes;
  private final long flushBytes;
  private final double cacheBytes;
  private final double bytesPerSecond;

  private final List<Double> readMs = new ArrayList<>();
  private final List<Double> files = new ArrayList<>();
  private final List<ClusterOutcome.Major> majors = new ArrayList<>();
  private int tickets;
  private int overdue;
  private int home;
  private int blockedSeconds;
  private double longestWait;

  private Cluster(Parameters parameters, Setup setup, long seed) {
    this.parameters = parameters;
    this.setup = setup;
    random = new SplittableRandom(seed);
    regionBytes = (long) parameters.number("region.bytes");
    flushBytes = (long) parameters.number("flush.file.bytes");
    cacheBytes = parameters.number("read.cache.bytes");
    bytesPerSecond = parameters.number("compact.bytes");
    double mbps = parameters.number("server.line.mbps");
    queue = new CompactionQueue(new Placement(Math.round(mbps * 1e6 / 8)));
    int slots = setup.who() == Who.OURS ? parameters.whole("server.slots") : ANY_SLOTS;
    for (int i = 0; i < setup.compactionServers(); i++) {
      servers.add(
          new Server(
              Machine.server(loop, "compaction server " + i, mbps),
              slots,
              (long) parameters.number("server.memory.bytes")));
    }
    Popularity popularity = new Popularity(parameters);
    for (int i = 0; i < setup.regionServers(); i++) {
      Region region = new Region(loop, parameters, i, popularity);
      regions.add(region);
      begin(region);
    }
  }

  /** Runs it to its end. */
  public static ClusterOutcome run(Parameters parameters, Setup setup, long seed) {
    return new Cluster(parameters, setup, seed).toEnd();
  }

  private ClusterOutcome toEnd() {
    for (int second = 1; second <= setup.seconds(); second++) {
      EventLoop.Timer end = new EventLoop.Timer(this::endSecond);
      loop.at(second * SECOND, end);
      while (readMs.size() < second && loop.step()) {}
    }
    waiting.stream().filter(Compaction::isMajor).forEach(this::waited);
    return new ClusterOutcome(readMs, files, majors, overdue, longestWait, home, blockedSeconds);
  }

  private void endSecond() {
    files.add(regions.stream().mapToInt(Region::files).average().orElse(0));
    readMs.add(regions.stream().mapToDouble(region -> region.read(1)).average().orElse(0));
  }

  // What happens by time.

  private void begin(Region region) {
    double flushSeconds = flushBytes / parameters.number("update.bytes");
    if (flushSeconds < 1) {
      throw new IllegalArgumentException(
          "update.bytes is flush.file.bytes at most: a region flushes once a second at most");
    }
    every(flushSeconds, random.nextDouble() * flushSeconds, () -> flush(region, 0));
    double majorSeconds = parameters.number("major.seconds");
    double phase = random.nextDouble() * majorSeconds;
    if (setup.who() == Who.NOBODY) {
      return;
    }
    if (setup.majorAt() > 0) {
      EventLoop.Timer major = new EventLoop.Timer(() -> major(region));
      loop.at(setup.majorAt() * SECOND, major);
    } else {
      every(majorSeconds, phase, () -> major(region));
    }
  }

  private void every(double seconds, double first, Runnable action) {
    EventLoop.Timer[] timer = new EventLoop.Timer[1];
    timer[0] =
        new EventLoop.Timer(
            () -> {
              loop.in(Math.round(seconds * SECOND), timer[0]);
              action.run();
            });
    loop.at(Math.round(first * SECOND), timer[0]);
  }

  /** {@code waited}: seconds for which this flush has been held back. */
  private void flush(Region region, double waited) {
    if (setup.who() != Who.NOBODY
        && region.holdsBackFlushes()
        && waited < parameters.number("files.blocking.seconds")) {
      blockedSeconds++;
      loop.in(SECOND, new EventLoop.Timer(() -> flush(region, waited + 1)));
      return;
    }
    region.flush(flushBytes);
    if (setup.who() != Who.NOBODY) {
      minor(region);
    }
  }

  private void minor(Region region) {
    select(region, region.selectMinor(), false);
  }

  private void major(Region region) {
    if (!inMajor.add(region)) {
      overdue++;
    } else {
      select(region, region.selectMajor(), true);
    }
  }

  private void select(Region region, List<DataFile> selected, boolean isMajor) {
    if (!selected.isEmpty()) {
      Compaction compaction =
          new Compaction(loop, region, selected, isMajor, "compaction " + tickets++);
      waiting.add(compaction);
      region.inThread(isLarge(compaction), () -> place(compaction));
    }
  }

  private boolean isLarge(Compaction compaction) {
    return compaction.bytes() > parameters.number("large.bytes");
  }

  // Who does it.

  private void place(Compaction compaction) {
    boolean staysHome = setup.who() == Who.SERVERS && !isLarge(compaction);
    if (setup.who().isRemote() && !staysHome) {
      ask(compaction);
    } else {
      atHome(compaction);
    }
  }

  private void ask(Compaction compaction) {
    Region region = compaction.region();
    List<Worker> workers = servers.stream().map(Server::describe).toList();
    List<Worker> best =
        queue.ask(
            new CompactionQueue.Request(
                compaction.ticket(),
                "region " + region.number(),
                compaction.bytes(),
                Map.of(),
                region.fill(),
                0,
                avoided(region)),
            workers,
            loop.now() / 1_000_000);
    if (!best.isEmpty()) {
      atServer(compaction, servers.get(workers.indexOf(best.get(0))));
    } else if (mayWait(compaction)) {
      loop.in(ASK_AGAIN_NANOS, new EventLoop.Timer(() -> ask(compaction)));
    } else {
      atHome(compaction);
    }
  }

  /** The seed's regions have a server each, in turn. */
  private Set<String> avoided(Region region) {
    Set<String> others = new HashSet<>();
    if (setup.who() == Who.SERVERS) {
      servers.forEach(server -> others.add(server.machine().name()));
      others.remove(servers.get(region.number() % servers.size()).machine().name());
    }
    return others;
  }

  private boolean mayWait(Compaction compaction) {
    double fill = compaction.region().fill();
    return setup.who() == Who.SERVERS
        || compaction.patience().isLeft((long) parameters.number("patience.ms"), fill, fill >= 1);
  }

  private void begins(Compaction compaction) {
    compaction.begins(loop.now());
    waiting.remove(compaction);
    if (compaction.isMajor()) {
      waited(compaction);
    }
  }

  private void waited(Compaction compaction) {
    longestWait = Math.max(longestWait, seconds(loop.now() - compaction.selectedNanos()));
  }

  private void atHome(Compaction compaction) {
    begins(compaction);
    home++;
    Region region = compaction.region();
    region.compactsHere(1);
    boolean writesThrough = setup.who() == Who.HOME_WRITE_THROUGH;
    double[] written = {0};
    merge(
        compaction,
        region.machine(),
        bytes -> {
          written[0] += bytes;
          if (writesThrough) {
            region.brought((long) bytes);
            region.reads().keep((cacheBytes - written[0]) / region.bytes());
          }
          return bytes / bytesPerSecond / region.reads().processorOfCompaction() * SECOND;
        },
        () -> {
          region.compactsHere(-1);
          double part = part(compaction);
          commit(compaction);
          region.missesAreRemote(false);
          if (writesThrough) {
            region.reads().fill();
          } else {
            region.reads().lose(part);
          }
          ends(compaction, loop.now(), loop.now());
        });
  }

  private void atServer(Compaction compaction, Server server) {
    begins(compaction);
    server.begins(compaction.bytes());
    merge(
        compaction,
        server.machine(),
        bytes -> bytes / bytesPerSecond * SECOND,
        () -> written(compaction, server));
  }

  private void merge(Compaction compaction, Machine at, DoubleUnaryOperator nanos, Runnable done) {
    new Merging(loop, 0, nanos, at, at, parameters.whole("compaction.ahead"), done)
        .begin(
            compaction.files().stream()
                .map(file -> new Merging.Part(compaction.region().machine(), file.bytes()))
                .toList(),
            (long) parameters.number("compaction.round.bytes"),
            true);
  }

  /** A compaction server has written the new file. */
  private void written(Compaction compaction, Server server) {
    Region region = compaction.region();
    long now = loop.now();
    double part = part(compaction);
    long bytes = newBytes(compaction);
    commit(compaction);
    WarmUpMode mode = setup.warmUp();
    boolean holdsSlot = setup.who() == Who.SERVERS;
    Runnable free = () -> server.ends(compaction.bytes());
    region.missesAreRemote(mode == WarmUpMode.REMOTE);
    if (mode == WarmUpMode.NONE || mode == WarmUpMode.REMOTE) {
      region.reads().lose(part);
      free.run();
      ends(compaction, now, now);
      return;
    }
    if (!holdsSlot) {
      free.run();
    }
    boolean fetchesFirst = mode == WarmUpMode.PRE_SWITCH;
    // Old and new blocks are in the cache together; once it is full, reads switch.
    double room = Math.max(0, cacheBytes - region.bytes());
    long fetched = fetchesFirst ? (long) Math.min(bytes, room) : bytes;
    new Transfer(
            loop,
            server.machine(),
            region,
            mode,
            fetched,
            () -> {
              if (holdsSlot) {
                free.run();
              }
              region.reads().lose(part * (bytes - fetched) / bytes);
              ends(compaction, now, loop.now());
            })
        .goOn();
  }

  /** The part of the region's bytes that a compaction is of. */
  private static double part(Compaction compaction) {
    return (double) compaction.bytes() / compaction.region().bytes();
  }

  /** All that updates added to a region, a major compaction removes. */
  private long newBytes(Compaction compaction) {
    return compaction.isMajor() ? regionBytes : compaction.bytes();
  }

  private void commit(Compaction compaction) {
    Region region = compaction.region();
    region.replace(compaction.files(), newBytes(compaction));
    if (compaction.isMajor()) {
      inMajor.remove(region);
    }
    region.threadIsFree(isLarge(compaction));
    if (region.majorIsDue()) {
      select(region, region.selectMajor(), true);
    }
    minor(region);
  }

  private void ends(Compaction compaction, long committed, long warm) {
    if (compaction.isMajor()) {
      majors.add(
          new ClusterOutcome.Major(
              seconds(compaction.begunNanos()), seconds(committed), seconds(warm)));
    }
  }

  private static double seconds(long nanos) {
    return (double) nanos / SECOND;
  }
}
