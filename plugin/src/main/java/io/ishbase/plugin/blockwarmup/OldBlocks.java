package io.ishbase.plugin.blockwarmup;

import java.io.IOException;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.PrivateCellUtil;
import org.apache.hadoop.hbase.io.hfile.BlockCache;
import org.apache.hadoop.hbase.io.hfile.BlockCacheKey;
import org.apache.hadoop.hbase.io.hfile.BlockPriority;
import org.apache.hadoop.hbase.io.hfile.BlockType;
import org.apache.hadoop.hbase.io.hfile.CachedBlock;
import org.apache.hadoop.hbase.io.hfile.DataBlockIndex;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.jspecify.annotations.Nullable;

/**
 * The data blocks of compacted files that were in the block cache when the warm-up began. Used by
 * one thread, which goes through the keys in their order.
 */
final class OldBlocks {
  private final BlockCache cache;
  private final Map<String, OldFile> files = new HashMap<>();

  private static final class OldFile {
    private final String name;
    private final DataBlockIndex index;
    private final boolean isOwn;

    /** By offset; whether the cache holds it for one that is read again and again. */
    private final NavigableMap<Long, Boolean> cached = new TreeMap<>();

    /** Where the block begins that holds the key to which the warm-up has come. */
    private long at;

    OldFile(HStoreFile file) {
      this.name = WarmUp.nameInCache(file);
      this.index = new DataBlockIndex(file.getReader().getHFileReader());
      this.isOwn = !file.isReference() && !file.getFileInfo().isLink();
    }

    /** The block that holds {@code key}; the file's beginning if that is behind it. */
    long find(Cell key) throws IOException {
      DataBlockIndex.Entry block = index.find(key);
      return block == null ? 0 : block.offset();
    }
  }

  /** Looks through the whole cache once. */
  OldBlocks(BlockCache cache, Collection<HStoreFile> old) {
    this.cache = cache;
    for (HStoreFile file : old) {
      files.put(WarmUp.nameInCache(file), new OldFile(file));
    }
    for (CachedBlock block : cache) {
      OldFile file = files.get(block.getFilename());
      // BucketCache does not say of what type a block is; beside an L1 it has data only.
      BlockType type = block.getBlockType();
      if (file != null && (type == null || type.isData())) {
        file.cached.put(block.getOffset(), block.getBlockPriority() != BlockPriority.SINGLE);
      }
    }
    files.values().removeIf(file -> file.cached.isEmpty());
  }

  boolean isEmpty() {
    return files.isEmpty();
  }

  /** How the cache held the blocks of some rows. */
  enum Use {
    NONE,
    ONCE,
    OFTEN
  }

  /** Goes on to {@code nextKey}, or to the end: how the blocks from the last key on were held. */
  Use until(@Nullable Cell nextKey) throws IOException {
    Use use = Use.NONE;
    for (OldFile file : files.values()) {
      long to = nextKey == null ? Long.MAX_VALUE : file.find(nextKey);
      for (boolean often : file.cached.subMap(file.at, true, to, true).values()) {
        use = often || use == Use.OFTEN ? Use.OFTEN : Use.ONCE;
      }
      file.at = to;
    }
    return use;
  }

  /** Evicts the blocks that have only rows before {@code row}. */
  void evictBefore(byte[] row) throws IOException {
    Cell key = PrivateCellUtil.createFirstOnRow(row);
    for (OldFile file : files.values()) {
      evict(file, file.cached.headMap(file.find(key), false));
    }
  }

  /** Evicts all of them. */
  void evictAll() {
    files.values().forEach(file -> evict(file, file.cached));
  }

  // A link's or reference's blocks belong to other regions and tables too.
  private void evict(OldFile file, NavigableMap<Long, Boolean> offsets) {
    if (file.isOwn) {
      offsets.keySet().forEach(offset -> cache.evictBlock(new BlockCacheKey(file.name, offset)));
    }
    offsets.clear();
  }
}
