package io.ishbase.sim.scale;

import io.ishbase.sim.compaction.WorkerPool;
import io.ishbase.sim.engine.EventLoop;
import io.ishbase.sim.plan.Values;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Flushes and compactions of a cluster. So many files of one size become one of the next; a store
 * with too many files blocks writes until a compaction has ended; a region server has two threads
 * for compactions, each of which waits for its worker.
 */
final class Writes {
  private static final long HOUR = 3_600_000_000_000L;
  private static final int THREADS = 2;

  private final EventLoop loop;
  private final Values values;
  private final WorkerPool workers;
  private final Placed placed;
  private final List<String> nodes;
  private final int regionServers;
  private final long regionBytes;
  private final long flushBytes;
  private final int filesOfCompaction;
  private final int blockingFiles;
  private final double[] usedSeconds;

  /** Compactions that wait for a thread of their region server. */
  private final List<ArrayDeque<Compaction>> queues = new ArrayList<>();

  private final int[] threads;

  /** Files of a region, those of a bulk load included; the large one is not counted. */
  private final short[] files;

  private final List<Long> waits = new ArrayList<>();
  private long flushes;
  private long compactions;
  private long home;
  private double blockedSeconds;

  /** Stores that take no Put until they have fewer files, by their regions. */
  private final Map<Integer, Store> blocked = new TreeMap<>();

  private double homeBytes;

  Writes(
      EventLoop loop,
      Values values,
      Setup setup,
      Placed placed,
      List<String> nodes,
      WorkerPool workers) {
    this.loop = loop;
    this.values = values;
    this.workers = workers;
    this.placed = placed;
    this.nodes = nodes;
    regionServers = setup.regionServers();
    regionBytes = (long) (values.of("t: bytes") / setup.regions());
    flushBytes = (long) values.of("flush.bytes");
    filesOfCompaction = (int) values.of("compaction.files");
    blockingFiles = (int) values.of("blocking.files");
    files = new short[setup.regions()];
    threads = new int[regionServers];
    usedSeconds = new double[nodes.size()];
    for (int server = 0; server < regionServers; server++) {
      queues.add(new ArrayDeque<>());
    }
  }

  /** Begins to write into some regions, and to compact all now and then. */
  void begin(int regions, SplittableRandom random) {
    int written = (int) Math.ceil(Setup.WRITTEN * regions);
    double bytesPerSecond = values.of("t: puts") * values.of("t: row.bytes") / written;
    for (int i = 0; i < written; i++) {
      int region = (int) (i * (long) regions / written);
      // A memstore is flushed when it is full, or an hour old.
      double nanos = Math.min(HOUR, flushBytes / bytesPerSecond * 1e9);
      long every = (long) (nanos * (0.7 + 0.6 * random.nextDouble()));
      new Store(region, (long) (every * bytesPerSecond / 1e9), every).begin(random);
    }
    long everyNanos = (long) (values.of("major.days") * 24 * HOUR / regions);
    int[] next = {random.nextInt(regions)};
    EventLoop.Timer[] timer = new EventLoop.Timer[1];
    timer[0] =
        new EventLoop.Timer(
            () -> {
              ask(new Compaction(next[0], regionBytes, null, 0));
              next[0] = (next[0] + 1) % regions;
              loop.in(everyNanos, timer[0]);
            });
    loop.in(everyNanos, timer[0]);
  }

  /** Files are loaded into every region of so many. */
  void bulkLoad(int regions, int oneIn) {
    for (int region = 0; region < regions; region += oneIn) {
      files[region] += Setup.BULK_FILES;
      ask(new Compaction(region, Setup.BULK_BYTES, null, Setup.BULK_FILES));
    }
  }

  /** A region's newer files. */
  private final class Store {
    private final int region;
    private final long fileBytes;
    private final long every;
    private final int[] tiers;
    private final boolean[] compacting;
    private final EventLoop.Timer flush = new EventLoop.Timer(this::flush);
    private long blockedSince;

    Store(int region, long fileBytes, long every) {
      this.region = region;
      this.fileBytes = fileBytes;
      this.every = every;
      int count = 1;
      for (long size = fileBytes * filesOfCompaction; size < regionBytes; count++) {
        size *= filesOfCompaction;
      }
      tiers = new int[count];
      compacting = new boolean[count];
    }

    void begin(SplittableRandom random) {
      loop.in(random.nextLong(every), flush);
    }

    private void flush() {
      if (files[region] >= blockingFiles) {
        blockedSince = loop.now();
        blocked.put(region, this);
        return;
      }
      flushes++;
      files[region]++;
      tiers[0]++;
      compactIfNeeded(0);
      loop.in(every, flush);
    }

    private void compactIfNeeded(int tier) {
      if (tiers[tier] < filesOfCompaction || compacting[tier]) {
        return;
      }
      compacting[tier] = true;
      double size = fileBytes * StrictMath.pow(filesOfCompaction, tier + 1);
      ask(new Compaction(region, (long) Math.min(regionBytes, size), () -> compacted(tier), 0));
    }

    private void compacted(int tier) {
      compacting[tier] = false;
      tiers[tier] -= filesOfCompaction;
      files[region] -= (short) filesOfCompaction;
      if (tier + 1 < tiers.length) {
        tiers[tier + 1]++;
        files[region]++;
        compactIfNeeded(tier + 1);
      }
      compactIfNeeded(tier);
    }

    private double blockedSeconds() {
      return (loop.now() - blockedSince) / 1e9;
    }

    /** It has fewer files. */
    private void goOn() {
      blockedSeconds += blockedSeconds();
      blocked.remove(region);
      flush();
    }
  }

  /** A compaction, from the time when its store wants it. */
  private final class Compaction implements WorkerPool.Listener {
    private final int region;
    private final long bytes;
    private final @Nullable Runnable done;
    private final int loaded;
    private final EventLoop.Timer atHome = new EventLoop.Timer(this::ends);

    Compaction(int region, long bytes, @Nullable Runnable done, int loaded) {
      this.region = region;
      this.bytes = bytes;
      this.done = done;
      this.loaded = loaded;
    }

    void begin() {
      compactions++;
      workers.compact(
          bytes,
          Map.of(nodes.get(placed.holder(region, 0)), bytes),
          (double) files[region] / blockingFiles,
          this);
    }

    @Override
    public void begins(String worker, long waitedNanos) {
      waits.add(waitedNanos);
      int node = Integer.parseInt(worker.substring(Day.NODE.length(), worker.indexOf(':')));
      usedSeconds[node] += seconds();
    }

    private double seconds() {
      return bytes / (values.of("compaction.mb.s") * (1 << 20));
    }

    @Override
    public void goesHome(long waitedNanos) {
      waits.add(waitedNanos);
      home++;
      homeBytes += bytes;
      loop.in((long) (seconds() * 1e9), atHome);
    }

    @Override
    public void ends() {
      if (bytes >= regionBytes) {
        placed.place(region);
      }
      files[region] -= (short) loaded;
      if (done != null) {
        done.run();
      }
      Store store = blocked.get(region);
      if (store != null) {
        store.goOn();
      }
      int server = region % regionServers;
      threads[server]--;
      beginNext(server);
    }
  }

  private void ask(Compaction compaction) {
    int server = compaction.region % regionServers;
    queues.get(server).add(compaction);
    beginNext(server);
  }

  private void beginNext(int server) {
    while (threads[server] < THREADS && !queues.get(server).isEmpty()) {
      threads[server]++;
      queues.get(server).remove().begin();
    }
  }

  long flushes() {
    return flushes;
  }

  long compactions() {
    return compactions;
  }

  /** Compactions that found no worker in time. */
  long atHome() {
    return home;
  }

  /** Bytes of these, which went over the line, and came back. */
  double homeBytes() {
    return homeBytes;
  }

  /** Sum over stores of the time in which they took no Put, those that still take none included. */
  double blockedSeconds() {
    return blockedSeconds + blocked.values().stream().mapToDouble(Store::blockedSeconds).sum();
  }

  /** Of a worker, processor seconds of compactions since this was asked last. */
  double takeUsedSeconds(int node) {
    double used = usedSeconds[node];
    usedSeconds[node] = 0;
    return used;
  }

  /** Nanoseconds of waiting since this was asked last, sorted. */
  long[] takeWaits() {
    long[] sorted = waits.stream().mapToLong(Long::longValue).sorted().toArray();
    waits.clear();
    return sorted;
  }
}
