package io.ishbase.plugin.blockwarmup;

import io.ishbase.core.compaction.WarmUpMode;
import io.ishbase.plugin.metrics.CompactionMetrics;
import java.io.IOException;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.fs.HFileSystem;
import org.apache.hadoop.hbase.io.hfile.BlockCache;
import org.apache.hadoop.hbase.io.hfile.BlockCacheKey;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.Cacheable;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.io.hfile.HFileBlock;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * HBase's block cache, in which a block of a new file that is missing is fetched from the memory of
 * the worker that wrote it (the seed's remote caching, section 5.3.2). Once that fails the cache is
 * as before.
 *
 * <p>Relies on HBase 2.6: a reader that is going to cache what it misses asks the cache again
 * ({@code repeat}) under a lock for the block, and then reads it from the file system.
 */
final class RemoteReads {
  private static final Logger LOG = LoggerFactory.getLogger(RemoteReads.class);

  private final String name;
  private final RemoteFile file;
  private final RemoteFileSystem fs;
  private final HFile.Reader reader;
  private final BlockCache original;
  private final BlockCache cache;
  private final int blockBytes;

  /**
   * Opens the file at {@code path}.
   *
   * @throws IOException if it cannot be opened
   */
  RemoteReads(HStore store, Path path, RemoteFile file) throws IOException {
    CacheConfig cacheConfig = new CacheConfig(store.getCacheConfig());
    this.name = path.getName();
    this.file = file;
    this.fs = new RemoteFileSystem((HFileSystem) store.getFileSystem(), file);
    this.blockBytes = store.getColumnFamilyDescriptor().getBlocksize();
    this.original = ((WarmCacheConfig) store.getCacheConfig()).own();
    this.reader = HFile.createReader(fs, path, cacheConfig, true, store.getReadOnlyConfiguration());
    this.cache = FilledMisses.of(original, this::missed);
  }

  /** Of the file. */
  String name() {
    return name;
  }

  /** Null once the file is not to be had from the worker any more. */
  @Nullable BlockCache cache() {
    return file.isGone() ? null : cache;
  }

  private @Nullable Cacheable missed(BlockCacheKey key, boolean caching, boolean repeat)
      throws IOException {
    if (!caching || !repeat || file.isGone() || !key.getHfileName().equals(name)) {
      return null;
    }
    // The cache does not say how long the block is: most are as long as the family says.
    fs.fetchAhead(key.getOffset(), blockBytes + blockBytes / 8);
    if (file.isGone()) {
      return null;
    }
    HFileBlock block =
        reader.readBlock(key.getOffset(), -1, true, true, false, false, null, null, true);
    CompactionMetrics.get().warmed(WarmUpMode.REMOTE, 1, block.getOnDiskSizeWithHeader());
    block.release();
    return original.getBlock(key, true, true, false);
  }

  void close() {
    file.release();
    try {
      reader.close(false);
    } catch (IOException e) {
      LOG.debug("{} was not closed", name, e);
    }
  }
}
