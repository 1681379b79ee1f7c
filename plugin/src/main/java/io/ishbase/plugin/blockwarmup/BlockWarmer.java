package io.ishbase.plugin.blockwarmup;

import static java.util.Objects.requireNonNull;

import io.ishbase.core.compaction.WarmUpMode;
import io.ishbase.core.compaction.WarmUpThrottle;
import io.ishbase.plugin.metrics.CompactionMetrics;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.fs.HFileSystem;
import org.apache.hadoop.hbase.io.hfile.BlockCache;
import org.apache.hadoop.hbase.io.hfile.BlockCacheKey;
import org.apache.hadoop.hbase.io.hfile.BlockType;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.Cacheable;
import org.apache.hadoop.hbase.io.hfile.DataBlockIndex;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.io.hfile.HFileBlock;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.jspecify.annotations.Nullable;

/**
 * Carries out one warm-up: puts blocks of the new file into the block cache, index and Bloom filter
 * first, then the data in the order of the keys, and moves the threshold behind them. Only data is
 * fetched whose rows were in the cache before. HBase's reader reads the blocks, so it verifies,
 * decompresses and caches them as it does for every read.
 */
final class BlockWarmer {
  /** Fetched at once. */
  private static final int PART_BYTES = 1 << 20;

  /** HBase's reader wants the header of the block behind, too. */
  private static final int NEXT_HEADER_BYTES = 33;

  private final WarmUp warmUp;
  private final WarmUpMode mode;
  private final WarmUpThrottle throttle;
  private final RemoteFileSystem fs;
  private final HFile.Reader reader;
  private final BlockCache cache;
  private final DataBlockIndex index;
  private final OldBlocks old;

  /** Neighbours in the file that are wanted and not fetched yet. */
  private final List<DataBlockIndex.Entry> part = new ArrayList<>();

  /** Where those of the part begin that stand for blocks that were read again and again. */
  private final Set<Long> often = new HashSet<>();

  private BlockWarmer(
      WarmUp warmUp,
      WarmUpMode mode,
      WarmUpThrottle throttle,
      RemoteFileSystem fs,
      HFile.Reader reader,
      BlockCache cache) {
    this.warmUp = warmUp;
    this.mode = mode;
    this.throttle = throttle;
    this.fs = fs;
    this.reader = reader;
    this.cache = cache;
    this.index = new DataBlockIndex(reader);
    this.old = new OldBlocks(cache, warmUp.wereCached());
  }

  /** Warms up for {@code store}, whose new file lies at {@code path}, and ends the warm-up. */
  static void run(
      WarmUp warmUp,
      WarmUpMode mode,
      WarmUpThrottle throttle,
      HStore store,
      Path path,
      RemoteFile file)
      throws IOException {
    RemoteFileSystem fs = new RemoteFileSystem((HFileSystem) store.getFileSystem(), file);
    CacheConfig cacheConfig = new CacheConfig(store.getCacheConfig());
    HFile.Reader reader =
        HFile.createReader(fs, path, cacheConfig, true, store.getReadOnlyConfiguration());
    try {
      BlockWarmer warmer =
          new BlockWarmer(
              warmUp, mode, throttle, fs, reader, cacheConfig.getBlockCache().orElseThrow());
      warmer.warm();
      if (warmUp.end()) {
        // Otherwise they tell the next warm-up what to fetch, or go with their files.
        warmer.old.evictAll();
      }
    } finally {
      reader.close(false);
    }
  }

  private void warm() throws IOException {
    Cell first = reader.getFirstKey().orElse(null);
    if (first == null || old.isEmpty()) {
      return;
    }
    warmIndexAndBloom(first);
    for (Cell key = first; key != null && !warmUp.hasEnded(); ) {
      DataBlockIndex.Entry block = block(key);
      OldBlocks.Use use = old.until(block.nextKey());
      boolean isWanted = use != OldBlocks.Use.NONE;
      if (!isWanted || !continuesPart(block)) {
        fetchPart();
      }
      if (isWanted) {
        if (isFull(block)) {
          return;
        }
        part.add(block);
        if (use == OldBlocks.Use.OFTEN) {
          often.add(block.offset());
        }
      } else {
        advance(block);
      }
      key = block.nextKey();
    }
    fetchPart();
  }

  /** The block that holds a key of the file. */
  private DataBlockIndex.Entry block(Cell key) throws IOException {
    return requireNonNull(index.find(key), "a key before the file's first");
  }

  /** The blocks between the data blocks, and behind the last. */
  private void warmIndexAndBloom(Cell first) throws IOException {
    long end = -1;
    for (Cell key = first; key != null && !warmUp.hasEnded(); ) {
      DataBlockIndex.Entry block = block(key);
      if (end >= 0) {
        warmBetween(end, block.offset());
      }
      end = block.end();
      key = block.nextKey();
    }
    warmBetween(end, reader.getTrailer().getLoadOnOpenDataOffset());
  }

  private void warmBetween(long from, long to) throws IOException {
    long fetched = from;
    for (long offset = from; offset < to && !warmUp.hasEnded(); ) {
      if (offset >= fetched) {
        int bytes = (int) Math.min(PART_BYTES, to - offset);
        await(bytes);
        fs.fetchAhead(offset, bytes + NEXT_HEADER_BYTES);
        fetched = offset + bytes;
      }
      HFileBlock block = reader.readBlock(offset, -1, true, true, false, false, null, null, false);
      offset += block.getOnDiskSizeWithHeader();
      CompactionMetrics.get().warmed(mode, 1, block.getOnDiskSizeWithHeader());
      block.release();
    }
  }

  private boolean continuesPart(DataBlockIndex.Entry block) {
    if (part.isEmpty()) {
      return true;
    }
    return part.get(part.size() - 1).end() == block.offset()
        && block.end() - part.get(0).offset() <= PART_BYTES;
  }

  /** Before the switch old and new blocks are in the cache together: no others shall go for it. */
  private boolean isFull(DataBlockIndex.Entry block) {
    return mode == WarmUpMode.PRE_SWITCH
        && cache.getFreeSize() < cache.getMaxSize() / 50 + block.onDiskBytes() + PART_BYTES;
  }

  private void fetchPart() throws IOException {
    if (part.isEmpty() || warmUp.hasEnded()) {
      part.clear();
      return;
    }
    DataBlockIndex.Entry last = part.get(part.size() - 1);
    long offset = part.get(0).offset();
    long bytes = last.end() - offset;
    await(bytes);
    fs.fetchAhead(offset, (int) bytes + NEXT_HEADER_BYTES);
    for (DataBlockIndex.Entry block : part) {
      // To the cache only, and where that writes in the background, not before it has accepted it.
      reader
          .readBlock(
              block.offset(),
              block.onDiskBytes(),
              true,
              true,
              false,
              false,
              BlockType.DATA,
              null,
              true)
          .release();
      if (often.remove(block.offset())) {
        // A second look makes the cache hold it as it held the old ones.
        release(
            cache.getBlock(new BlockCacheKey(warmUp.newName(), block.offset()), true, true, false));
      }
    }
    CompactionMetrics.get().warmed(mode, part.size(), bytes);
    part.clear();
    advance(last);
  }

  private static void release(@Nullable Cacheable block) {
    if (block != null) {
      block.release();
    }
  }

  /** Everything before the block's next key is warm. */
  private void advance(DataBlockIndex.Entry block) throws IOException {
    Cell nextKey = block.nextKey();
    if (mode == WarmUpMode.PRE_SWITCH || nextKey == null) {
      return;
    }
    // A key between two blocks may lie inside a row: the row's beginning is before it.
    byte[] row = CellUtil.cloneRow(nextKey);
    warmUp.advance(row);
    old.evictBefore(row);
  }

  private void await(long bytes) throws IOException {
    if (mode == WarmUpMode.THROTTLED) {
      try {
        warmUp.awaitEnd(throttle.nanosFor(bytes));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new InterruptedIOException("The warm-up was interrupted");
      }
    }
  }
}
