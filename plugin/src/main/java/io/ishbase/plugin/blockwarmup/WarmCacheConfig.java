package io.ishbase.plugin.blockwarmup;

import java.util.Collection;
import java.util.Optional;
import org.apache.hadoop.hbase.io.hfile.BlockCache;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.jspecify.annotations.Nullable;

/** HBase's cache configuration of a store, whose block cache a worker's memory may stand behind. */
public final class WarmCacheConfig extends CacheConfig {
  private final @Nullable BlockCache watched;
  private volatile @Nullable RemoteReads remote;

  /**
   * @param watched what is used in place of the original's block cache; null: that one
   */
  public WarmCacheConfig(CacheConfig original, @Nullable BlockCache watched) {
    super(original);
    this.watched = watched;
  }

  /** From now on misses go to {@code reads}; null: to nobody. Returns what was before, or null. */
  synchronized @Nullable RemoteReads replace(@Nullable RemoteReads reads) {
    RemoteReads before = remote;
    remote = reads;
    return before;
  }

  /** Whether misses on one of these files go to a worker. */
  boolean readsAnyOf(Collection<HStoreFile> files) {
    RemoteReads reads = remote;
    return reads != null
        && files.stream().anyMatch(file -> file.getPath().getName().equals(reads.name()));
  }

  /** The block cache without what may stand behind it. */
  BlockCache own() {
    return watched == null ? super.getBlockCache().orElseThrow() : watched;
  }

  @Override
  public Optional<BlockCache> getBlockCache() {
    RemoteReads reads = remote;
    BlockCache cache = reads == null ? null : reads.cache();
    if (cache != null) {
      return Optional.of(cache);
    }
    return watched == null ? super.getBlockCache() : Optional.of(watched);
  }
}
