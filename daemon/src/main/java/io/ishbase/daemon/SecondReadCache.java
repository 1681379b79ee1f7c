package io.ishbase.daemon;

import java.util.concurrent.atomic.AtomicIntegerArray;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.io.hfile.BlockCacheKey;
import org.apache.hadoop.hbase.io.hfile.BlockType;
import org.apache.hadoop.hbase.io.hfile.Cacheable;
import org.apache.hadoop.hbase.io.hfile.LruBlockCache;
import org.apache.hadoop.hbase.io.util.MemorySizeUtil;
import org.jspecify.annotations.Nullable;

/**
 * The daemon's block cache. Once it is full, a data block comes in when it is read for the second
 * time within about as many others as there is room for: what is read once, as cold Gets and long
 * scans read, neither costs a place on the heap nor drives out what is read again. It takes the
 * place of whatever cache {@code hfile.block.cache.policy} names. Thread safe.
 */
final class SecondReadCache extends LruBlockCache {
  private static final String MIN_FACTOR = "hbase.lru.blockcache.min.factor";

  /** HBase's. */
  private static final float DEFAULT_MIN_FACTOR = 0.95f;

  /** Of the heap, even if others take nearly all. */
  private static final int LEAST_SHARE = 64;

  private static final int MIN_REMEMBERED = 1024;
  private static final int MAX_REMEMBERED = 1 << 24;

  /** The smallest blocks that each have a place. */
  private static final int SMALL_BLOCK_BYTES = 4 << 10;

  /**
   * Of the size that an eviction leaves: less is kept than that, or all comes in again behind it.
   */
  private static final double FULL = 0.99;

  /** What was read once, each at the place that it has by its hash until another has it. */
  private final AtomicIntegerArray readOnce;

  private final long fullBytes;

  /** Never less than before, or what is remembered would be at other places. */
  private volatile int mostInUse;

  private SecondReadCache(long maxBytes, int blockBytes, Configuration conf) {
    super(maxBytes, blockBytes, conf);
    fullBytes = (long) (FULL * conf.getFloat(MIN_FACTOR, DEFAULT_MIN_FACTOR) * maxBytes);
    readOnce = new AtomicIntegerArray(places(maxBytes / SMALL_BLOCK_BYTES));
  }

  /** A power of two, so many or up to twice as many. */
  private static int places(long blocks) {
    long some = Math.min(MAX_REMEMBERED, Math.max(MIN_REMEMBERED, blocks));
    return Integer.highestOneBit((int) some) * 2;
  }

  /**
   * As large as HBase's settings say; null: they say that there is none.
   *
   * @param others bytes of the heap that are promised to others; the cache makes room for them
   */
  static @Nullable SecondReadCache of(Configuration conf, long others) {
    long bytes = MemorySizeUtil.getOnHeapCacheSize(conf);
    long heap = Runtime.getRuntime().maxMemory();
    long most = Math.max(heap / LEAST_SHARE, heap - others);
    return bytes < 0
        ? null
        : new SecondReadCache(Math.min(bytes, most), HConstants.DEFAULT_BLOCKSIZE, conf);
  }

  @Override
  public void cacheBlock(BlockCacheKey key, Cacheable block, boolean inMemory) {
    BlockType type = block.getBlockType();
    if (type == null || !type.isData() || hasRoom() || wasRead(key)) {
      super.cacheBlock(key, block, inMemory);
    }
  }

  /** Of the places: for about as many blocks as there have ever been. */
  private int inUse() {
    int wanted = Math.min(readOnce.length(), places(getBlockCount()));
    if (wanted > mostInUse) {
      mostInUse = wanted;
    }
    return mostInUse;
  }

  private boolean hasRoom() {
    return getCurrentSize() < fullBytes;
  }

  /** Whether a block was read before, not long ago. Remembers that it is. */
  private boolean wasRead(BlockCacheKey key) {
    long hash = mixed(key.getHfileName().hashCode() * 0x9E3779B97F4A7C15L + key.getOffset());
    int place = (int) hash & (inUse() - 1);
    int mark = (int) (hash >>> 32);
    boolean isKnown = readOnce.get(place) == mark;
    readOnce.lazySet(place, mark);
    return isKnown;
  }

  // The finalizer of MurmurHash3: each bit of the hash depends on each of the key.
  private static long mixed(long bits) {
    long hash = (bits ^ (bits >>> 33)) * 0xFF51AFD7ED558CCDL;
    hash = (hash ^ (hash >>> 33)) * 0xC4CEB9FE1A85EC53L;
    return hash ^ (hash >>> 33);
  }
}
