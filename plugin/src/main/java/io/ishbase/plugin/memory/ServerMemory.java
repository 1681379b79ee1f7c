package io.ishbase.plugin.memory;

import io.ishbase.core.Setting;
import io.ishbase.core.cache.SegmentCache;
import io.ishbase.core.memory.MemoryBudget;
import io.ishbase.core.memory.MemoryBudget.Consumer;
import io.ishbase.core.memory.ReuseCurve;
import io.ishbase.core.sizing.DirectMemory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.ScheduledChore;
import org.apache.hadoop.hbase.io.hfile.BlockCache;
import org.apache.hadoop.hbase.io.hfile.ResizableBlockCache;
import org.apache.hadoop.hbase.io.util.MemorySizeUtil;
import org.apache.hadoop.hbase.regionserver.MemstoreMemory;
import org.apache.hadoop.hbase.regionserver.RegionServerServices;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The memory of a region server, as one sum: memstores, block cache and segment cache, moved while
 * the server runs if {@code ishbase.memory} is {@code auto}. What is measured begins with the first
 * store that opens. One per process. Thread safe.
 */
public final class ServerMemory {
  private static final Logger LOG = LoggerFactory.getLogger(ServerMemory.class);
  private static final int PERIOD_MILLIS = 5000;

  /** What the segment cache may have at most of what HBase leaves beside the heap. */
  private static final double SHARE_OF_DIRECT = 0.75;

  /** The segment cache's index is on the heap: a tenth of what it grows by, at most. */
  private static final double GROWTH_BY_HEAP = 0.5;

  private static final double PERCENT = 100;

  /** The settings of the bounds, by the name of the place. */
  private static final Map<String, List<Setting>> BOUNDS =
      Map.of(
          "memstores",
          List.of(Setting.MEMORY_MEMSTORES_MIN, Setting.MEMORY_MEMSTORES_MAX),
          "block cache",
          List.of(Setting.MEMORY_BLOCK_CACHE_MIN, Setting.MEMORY_BLOCK_CACHE_MAX),
          "segment cache",
          List.of(Setting.MEMORY_SEGMENT_CACHE_MIN, Setting.MEMORY_SEGMENT_CACHE_MAX));

  private final Configuration conf;
  private final boolean isWanted;
  private final @Nullable SegmentCache segments;
  private final FlushCosts flushes = new FlushCosts();
  private final ReuseCurve blockCurve = new ReuseCurve();

  // Guarded by this.
  private boolean isBegun;
  private @Nullable MemoryMover mover;
  private @Nullable BlockCache watched;
  private String state;

  /**
   * @param isWanted whether memory is to be moved
   * @param segments null: there is no segment cache
   */
  public ServerMemory(Configuration conf, boolean isWanted, @Nullable SegmentCache segments) {
    this.conf = conf;
    this.isWanted = isWanted;
    this.segments = segments;
    this.state =
        isWanted
            ? "no region of a user table has opened yet"
            : Setting.MEMORY.key() + " = stock: memory stays as it is configured";
  }

  /**
   * The most that a segment cache of so many bytes may become where memory is moved.
   *
   * @param directBytes what the JVM has beside the heap
   * @param others what HBase takes of it
   */
  public static long maxSegmentBytes(long bytes, long directBytes, DirectMemory others) {
    long left =
        directBytes - others.blockCacheBytes() - others.memstoreBytes() - others.reservoirBytes();
    long byHeap = bytes + (long) (GROWTH_BY_HEAP * Runtime.getRuntime().maxMemory());
    return Math.max(bytes, Math.min((long) (SHARE_OF_DIRECT * left), byHeap));
  }

  /** Told of all flushes. */
  public FlushCosts flushes() {
    return flushes;
  }

  /**
   * The block cache that stores are to use: the server's, whose readers are watched.
   *
   * @return null: the server's itself
   */
  public synchronized @Nullable BlockCache blockCache() {
    return watched;
  }

  /** Begins, with the first call, to look after the memory of a region server. */
  public synchronized void begin(RegionServerServices services) {
    if (isBegun || !isWanted) {
      return;
    }
    isBegun = true;
    if (MemstoreMemory.isMovedByHBase(services)) {
      refuse(
          "HBase's HeapMemoryManager moves memory already: remove the ranges of"
              + " hbase.regionserver.global.memstore.size and hfile.block.cache.size"
              + " (.min.range, .max.range), or "
              + Setting.MEMORY.key());
      return;
    }
    List<Place> places = places(services);
    if (places.size() < 2) {
      refuse("there is only " + (places.isEmpty() ? "nothing" : places.get(0).name()) + " to move");
      return;
    }
    MemoryMover begun = new MemoryMover(places, budget(places), System::nanoTime);
    mover = begun;
    LOG.info("Memory is moved while running: {}", begun.describe());
    services
        .getChoreService()
        .scheduleChore(
            new ScheduledChore("ishbase-memory", services, PERIOD_MILLIS) {
              @Override
              protected void chore() {
                begun.move();
              }
            });
  }

  private void refuse(String why) {
    LOG.warn("{} = auto: {}. Memory stays as it is configured", Setting.MEMORY.key(), why);
    state = why;
  }

  private List<Place> places(RegionServerServices services) {
    List<Place> places = new ArrayList<>();
    BlockCache blocks = services.getBlockCache().orElse(null);
    if (MemstoreMemory.isOffHeap(services)) {
      LOG.info("Memstores are off the heap: HBase cannot change their limit, it stays");
    } else {
      places.add(
          new MemstorePlace(services, flushes, () -> blocks == null ? 0 : blocks.getMaxSize()));
    }
    if (blocks instanceof ResizableBlockCache resizable && BlockCachePlace.suits(blocks)) {
      places.add(new BlockCachePlace(resizable, blockCurve));
      watched = WatchedBlocks.of(blocks, blockCurve);
    } else if (blocks != null) {
      LOG.info(
          "HBase cannot change the size of a {}: it keeps what it has",
          blocks.getClass().getSimpleName());
    }
    if (segments != null) {
      places.add(new SegmentCachePlace(segments));
    }
    return places;
  }

  private MemoryBudget budget(List<Place> places) {
    long sum = places.stream().mapToLong(Place::bytes).sum();
    List<Consumer> consumers = places.stream().map(place -> consumer(place, sum)).toList();
    double heapShare = 1 - MemorySizeUtil.getRegionServerMinFreeHeapFraction(conf);
    return new MemoryBudget(
        consumers,
        (long) (heapShare * Runtime.getRuntime().maxMemory()),
        segments == null ? 0 : segments.maxBudgetBytes());
  }

  private Consumer consumer(Place place, long sum) {
    List<Setting> bounds = BOUNDS.getOrDefault(place.name(), List.of());
    int min = bounds.get(0).integer(conf::get);
    int max = bounds.get(1).integer(conf::get);
    if (min > max) {
      LOG.warn(
          "{} = {} is more than {} = {}: the defaults are used",
          bounds.get(0).key(),
          min,
          bounds.get(1).key(),
          max);
      min = bounds.get(0).integer(key -> null);
      max = bounds.get(1).integer(key -> null);
    }
    return new Consumer(
        place.name(), (long) (min / PERCENT * sum), (long) (max / PERCENT * sum), place.isOnHeap());
  }

  /** Who has what, why, and what more would bring: lines for operators. */
  public List<String> describe() {
    MemoryMover begun;
    synchronized (this) {
      begun = mover;
      if (begun == null) {
        return List.of(state);
      }
    }
    return begun.describe();
  }
}
