package io.ishbase.sim.design;

import io.ishbase.sim.workload.Parameters;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * IS-HBase with the self-adaptive block cache (sections 6 and 7.2.2): partial blocks, of KV-pairs
 * that were read, and complete ones share one space. A partial block that is missed often becomes
 * complete. Room comes from a complete block that is colder than it, which keeps its hot half if
 * hardly anything else of it is hot; else from partial blocks, of which the pairs go that were not
 * used for longest.
 */
final class IsHBaseSa implements Design {
  private final Data data;
  private final RegionServer server;
  private final Decay decay;
  private final int regions;
  private final int pairsOfRpc;
  private final double upgradeMissesAtMbps;
  private final double hotShare;
  private final double pairBytes;
  private final double blockBookkeeping;
  private final boolean missEachNext;
  private final double periodRequests;

  private final Map<Integer, CachedBlock> blocks = new HashMap<>();
  private final List<CachedBlock> completes = new ArrayList<>();

  /** Pairs of partial blocks, by block and place in it. */
  private final Lru pairs;

  private double freeBytes;
  private long upgrades;
  private long downgrades;

  IsHBaseSa(Parameters parameters, Data data, RegionServer server, double cacheBytes) {
    this.data = data;
    this.server = server;
    decay = new Decay(parameters.number("alpha"));
    regions = parameters.whole("block.regions");
    pairsOfRpc = parameters.whole("scan.rpc.cells");
    upgradeMissesAtMbps = parameters.number("upgrade.misses") * parameters.number("upgrade.mbps");
    hotShare = parameters.number("hot.share");
    pairBytes = data.cellBytes() + parameters.number("bookkeeping.cell.bytes");
    blockBookkeeping = parameters.number("bookkeeping.block.bytes");
    missEachNext = parameters.is("scan.misses", "next");
    periodRequests = parameters.number("period.requests");
    freeBytes = cacheBytes;
    pairs = new Lru((long) (cacheBytes / pairBytes) + 1);
  }

  @Override
  public boolean goesOn(Read read) {
    if (read.hasArrived()) {
      take(read);
    }
    while (!read.isDone()) {
      CachedBlock block = blocks.get(data.block(read.next()));
      if (block == null || !answers(block, read)) {
        return fetch(block, read);
      }
    }
    return false;
  }

  /** Answers rows from a block: all of them from a complete one, one of a Get from a partial. */
  private boolean answers(CachedBlock block, Read read) {
    if (!block.complete) {
      access(block, data.slot(read.next()));
      boolean hit = read.isGet() && pairs.touch(place(block, data.slot(read.next())));
      read.done += hit ? 1 : 0;
      return hit;
    }
    int rows = data.rowsInBlock(read.next(), read.rows() - read.done);
    for (int i = 0; i < rows; i++) {
      access(block, data.slot(read.next() + i));
    }
    read.done += rows;
    return true;
  }

  private boolean fetch(@Nullable CachedBlock block, Read read) {
    int rows = Math.min(pairsOfRpc, read.rows() - read.done);
    if (block != null) {
      block.misses += missEachNext ? data.rowsInBlock(read.next(), rows) : 1;
      if (block.misses >= upgradeMisses()) {
        return read.fetchBlock(block.number, data.blockBytes());
      }
    }
    int cells = read.isGet() ? 1 : data.passing(read.next(), rows);
    return read.fetchCells(read.next(), rows, cells, (long) cells * data.cellBytes());
  }

  private double upgradeMisses() {
    return upgradeMissesAtMbps / server.mbps();
  }

  private void take(Read read) {
    if (read.isBlock()) {
      upgrade(read.block());
      read.done += data.rowsInBlock(read.next(), read.rows() - read.done);
      return;
    }
    for (int i = 0; i < read.count(); i++) {
      if (read.isGet() || data.passes(read.from() + i)) {
        add(read.from() + i);
      }
    }
    read.done += read.count();
  }

  private void access(CachedBlock block, int slot) {
    block.access(slot * regions / data.cellsPerBlock(), period(), decay);
  }

  private int place(CachedBlock block, int slot) {
    return block.number * data.cellsPerBlock() + slot;
  }

  private long period() {
    return (long) (server.requests() / periodRequests);
  }

  private double hotness(CachedBlock block) {
    return block.hotness(period(), decay);
  }

  // Insertions.

  private void add(int key) {
    int number = data.block(key);
    CachedBlock block = blocks.get(number);
    if (block != null && block.has(data.slot(key)) || !makeRoomForPair(block == null)) {
      return;
    }
    // It may have lost its last pair for this one.
    block = blocks.get(number);
    if (block == null) {
      block = new CachedBlock(number, data.cellsPerBlock(), regions, period());
      blocks.put(number, block);
      freeBytes -= blockBookkeeping;
      access(block, data.slot(key));
    }
    addTo(block, data.slot(key));
  }

  private void addTo(CachedBlock block, int slot) {
    block.add(slot);
    pairs.add(place(block, slot));
    freeBytes -= pairBytes;
  }

  /** Regular insertions evict pairs of partial blocks; a complete one goes if there are none. */
  private boolean makeRoomForPair(boolean ofNewBlock) {
    while (freeBytes < pairBytes + (ofNewBlock ? blockBookkeeping : 0)) {
      CachedBlock coldest = coldest();
      if (pairs.size() > 0) {
        evictOldestPair();
      } else if (coldest != null) {
        evict(coldest);
      } else {
        return false;
      }
    }
    return true;
  }

  private void upgrade(int number) {
    CachedBlock block = blocks.get(number);
    if (block == null || block.complete) {
      return;
    }
    // If there is no room it has to be missed as often again.
    block.misses = 0;
    while (freeBytes < data.blockBytes() - block.cells * pairBytes) {
      CachedBlock cold = coldest();
      if (cold != null && hotness(cold) < hotness(block)) {
        downgradeOrEvict(cold);
      } else if (!makeRoomOfPairs(block)) {
        return;
      }
    }
    removePairs(block);
    // It may have lost its last pair meanwhile.
    freeBytes -= data.blockBytes() + (blocks.put(number, block) == null ? blockBookkeeping : 0);
    block.complete = true;
    completes.add(block);
    upgrades++;
  }

  // What goes.

  /** Evicts pairs of other blocks until there is room for all of {@code block}; false: too few. */
  private boolean makeRoomOfPairs(CachedBlock block) {
    while (freeBytes < data.blockBytes() - block.cells * pairBytes) {
      if (pairs.size() <= block.cells) {
        return false;
      }
      evictOldestPair();
    }
    return true;
  }

  private @Nullable CachedBlock coldest() {
    CachedBlock coldest = null;
    double least = Double.POSITIVE_INFINITY;
    for (CachedBlock block : completes) {
      double hotness = hotness(block);
      if (hotness < least) {
        coldest = block;
        least = hotness;
      }
    }
    return coldest;
  }

  private void downgradeOrEvict(CachedBlock block) {
    double all = hotness(block);
    Integer[] byHotness = IntStream.range(0, regions).boxed().toArray(Integer[]::new);
    Arrays.sort(byHotness, Comparator.comparingDouble(region -> -block.ofRegion(region, decay)));
    boolean[] kept = new boolean[regions];
    double ofHot = 0;
    for (int i = 0; i < regions / 2; i++) {
      kept[byHotness[i]] = true;
      ofHot += block.ofRegion(byHotness[i], decay);
    }
    if (!(ofHot > hotShare * all)) {
      evict(block);
      return;
    }
    downgrades++;
    completes.remove(block);
    block.complete = false;
    block.misses = 0;
    freeBytes += data.blockBytes();
    for (int slot = 0; slot < data.cellsPerBlock(); slot++) {
      if (kept[slot * regions / data.cellsPerBlock()]) {
        addTo(block, slot);
      }
    }
  }

  private void evict(CachedBlock complete) {
    blocks.remove(complete.number);
    completes.remove(complete);
    freeBytes += blockBookkeeping + data.blockBytes();
  }

  private void evictOldestPair() {
    int place = pairs.oldest();
    CachedBlock block = blocks.get(place / data.cellsPerBlock());
    if (block == null) {
      throw new IllegalStateException("A pair of no block");
    }
    pairs.remove(place);
    block.remove(place % data.cellsPerBlock());
    freeBytes += pairBytes;
    if (block.cells == 0) {
      // Whatever was counted of it is forgotten.
      blocks.remove(block.number);
      freeBytes += blockBookkeeping;
    }
  }

  private void removePairs(CachedBlock block) {
    for (int slot = 0; slot < data.cellsPerBlock(); slot++) {
      if (block.has(slot)) {
        pairs.remove(place(block, slot));
        block.remove(slot);
        freeBytes += pairBytes;
      }
    }
  }

  @Override
  public void flushed(int[] keys, int count) {
    // Rows have moved to other blocks; the old ones are not asked for any more.
  }

  @Override
  public long upgrades() {
    return upgrades;
  }

  @Override
  public long downgrades() {
    return downgrades;
  }

  /** Bytes that are taken of so many. */
  double usedBytes(double cacheBytes) {
    return cacheBytes - freeBytes;
  }

  /** The same, counted block by block. */
  double countedBytes() {
    return blocks.values().stream()
        .mapToDouble(
            block ->
                blockBookkeeping + (block.complete ? data.blockBytes() : block.cells * pairBytes))
        .sum();
  }
}
