package io.ishbase.plugin.memory;

import io.ishbase.core.Setting;
import io.ishbase.core.cache.SegmentCache;
import io.ishbase.core.memory.MemoryBudget;
import io.ishbase.core.sizing.DirectMemory;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.ScheduledChore;
import org.apache.hadoop.hbase.io.hfile.BlockCache;
import org.apache.hadoop.hbase.regionserver.MemstoreMemory;
import org.apache.hadoop.hbase.regionserver.RegionServerServices;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The memory of a region server, as one sum: memstores, block cache and segment cache, moved while
 * the server runs if {@code ishbase.memory} is {@code auto}. What is measured begins with the first
 * store that opens. Of region servers that share a process, and so the segment cache, it is the
 * memory of the one that came first, and of another one when that has stopped. Thread safe.
 */
public final class ServerMemory {
  private static final Logger LOG = LoggerFactory.getLogger(ServerMemory.class);
  private static final int PERIOD_MILLIS = 5000;

  /** Of making the segment cache as small as it was, a second each. */
  private static final int MOST_TRIES = 60;

  /** What the segment cache may have at most of what HBase leaves beside the heap. */
  private static final double SHARE_OF_DIRECT = 0.75;

  /** The segment cache's index is on the heap: about a tenth of what it has. */
  private static final double GROWTH_BY_HEAP = 0.5;

  /** Its chunks are of the first budget's size: with too many of them, each fill takes longer. */
  private static final int GROWS_TO = 64;

  private final Configuration conf;
  private final boolean isWanted;
  private final @Nullable SegmentCache segments;

  /** The segment cache's memory as configured. */
  private final long segmentBytes;

  // Guarded by this.
  /** Whose memory it is; null: nobody's yet. */
  private @Nullable RegionServerServices served;

  private FlushCosts flushes = new FlushCosts();
  private @Nullable MemoryMover mover;
  private @Nullable BlockCache watched;

  /** What is watched; null: nothing. */
  private @Nullable ServerPlaces places;

  /** Why it is not moved, or what of it is not. */
  private String state;

  /**
   * @param isWanted whether memory is to be moved
   * @param segments null: there is no segment cache
   */
  public ServerMemory(Configuration conf, boolean isWanted, @Nullable SegmentCache segments) {
    this.conf = conf;
    this.isWanted = isWanted;
    this.segments = segments;
    this.segmentBytes = segments == null ? 0 : segments.budgetBytes();
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
        directBytes
            - others.blockCacheBytes()
            - others.memstoreBytes()
            - others.reservoirBytes()
            - others.fileIndexBytes(bytes);
    long byHeap = bytes + (long) (GROWTH_BY_HEAP * Runtime.getRuntime().maxMemory());
    long most = Math.min(byHeap, GROWS_TO * bytes);
    return Math.max(bytes, Math.min((long) (SHARE_OF_DIRECT * left), most));
  }

  /** A store of {@code services} was flushed: so many bytes of data, in so long a time. */
  public synchronized void flushed(
      @Nullable RegionServerServices services, long dataBytes, long nanos) {
    if (services != null && services == served) {
      flushes.flushed(dataBytes, nanos);
    }
  }

  /**
   * The block cache that stores of {@code services} are to use: the server's, whose readers are
   * watched.
   *
   * @return null: the server's itself
   */
  public synchronized @Nullable BlockCache blockCache(@Nullable RegionServerServices services) {
    return services == served ? watched : null;
  }

  /** Begins, if nothing has begun, to look after the memory of a region server. Fails never. */
  public synchronized void begin(RegionServerServices services) {
    if (!isWanted || services == served || served != null && !served.isStopped()) {
      return;
    }
    boolean isFirst = served == null;
    served = services;
    flushes = new FlushCosts();
    end();
    try {
      if (!isFirst && segments != null) {
        // What it had of the other server's memory is not this one's.
        for (int i = 0; i < MOST_TRIES && segments.resize(segmentBytes) > segmentBytes; i++) {
          LOG.debug("The segment cache is still larger than {} bytes", segmentBytes);
        }
      }
      String reason = start(services);
      if (reason != null) {
        refuse(reason);
      }
    } catch (RuntimeException | LinkageError e) {
      LOG.warn("Memory stays as it is configured", e);
      end();
      state = "memory stays as it is configured, since moving it failed: " + e;
    }
  }

  private void end() {
    mover = null;
    watched = null;
    if (places != null) {
      places.end();
      places = null;
    }
  }

  private void refuse(String why) {
    LOG.warn("{} = auto: {}. Memory stays as it is configured", Setting.MEMORY.key(), why);
    state = why;
  }

  /** Returns why not, or null. */
  private @Nullable String start(RegionServerServices services) {
    if (MemstoreMemory.isMovedByHBase(services)) {
      return "HBase's HeapMemoryManager moves memory already: remove the ranges of"
          + " hbase.regionserver.global.memstore.size and hfile.block.cache.size"
          + " (.min.range, .max.range), or "
          + Setting.MEMORY.key();
    }
    ServerPlaces found = new ServerPlaces(services, conf, flushes, segments);
    if (found.movable().size() < 2) {
      return "there are no two to move memory between: " + found.whyFixed();
    }
    String fault = Bounds.fault(found.movable(), conf::get);
    if (fault != null) {
      return fault;
    }
    MemoryMover begun =
        new MemoryMover(
            found.movable(),
            new MemoryBudget(Bounds.consumers(found.movable(), conf::get), found.heapLimitBytes()),
            System::nanoTime);
    places = found;
    watched = found.watch();
    mover = begun;
    state = found.whyFixed();
    LOG.info("Memory is moved while running: {}", describe());
    services
        .getChoreService()
        .scheduleChore(
            new ScheduledChore("ishbase-memory", services, PERIOD_MILLIS) {
              @Override
              protected void chore() {
                try {
                  begun.move();
                } catch (RuntimeException | LinkageError e) {
                  cancel(false);
                  stop(begun, e);
                }
              }
            });
    return null;
  }

  /** What was given and what was not is not known any more: it stays as it is. */
  private synchronized void stop(MemoryMover failed, Throwable failure) {
    LOG.warn("Memory is not moved any more, it stays as it is now", failure);
    if (mover == failed) {
      end();
      state = "memory stays as it was when moving it failed: " + failure;
    }
  }

  /** Who has what, why, and what more would bring: lines for operators. */
  public List<String> describe() {
    MemoryMover begun;
    String rest;
    synchronized (this) {
      begun = mover;
      rest = state;
    }
    List<String> lines = new ArrayList<>(begun == null ? List.of() : begun.describe());
    if (!rest.isEmpty()) {
      lines.add(rest);
    }
    return lines;
  }
}
