package io.ishbase.plugin.cache;

import io.ishbase.core.Setting;
import io.ishbase.core.cache.SegmentCache;
import io.ishbase.core.cache.file.FileCache;
import io.ishbase.plugin.scan.Confidentiality;
import io.ishbase.plugin.settings.ServerSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.util.Threads;
import org.apache.hbase.thirdparty.com.google.common.util.concurrent.ThreadFactoryBuilder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where rows go that leave the segment cache's memory, and which stores' may: HBase's and HDFS's
 * encryption at rest end at this file. One per region server.
 */
public final class CacheOnDisk {
  private static final Logger LOG = LoggerFactory.getLogger(CacheOnDisk.class);

  private static final int MEMORY_TO_DISK = 10;

  private final Confidentiality confidentiality;

  /** Asks the NameNode. */
  private final ExecutorService asking =
      Executors.newSingleThreadExecutor(
          new ThreadFactoryBuilder().setDaemon(true).setNameFormat("ishbase-cache-stores").build());

  private CacheOnDisk(Confidentiality confidentiality) {
    this.confidentiality = confidentiality;
  }

  /**
   * Makes the file that the settings name, for a cache without stores.
   *
   * @return null if there is none, or it cannot be used, which is in the log then
   */
  public static @Nullable CacheOnDisk of(
      ServerSettings settings, SegmentCache cache, Confidentiality confidentiality) {
    String path = settings.cacheFile();
    if (path.isEmpty()) {
      return null;
    }
    long bytes = settings.cacheFileBytes();
    try {
      FileCache file =
          new FileCache(
              Path.of(path),
              bytes > 0 ? bytes : MEMORY_TO_DISK * cache.budgetBytes(),
              task -> Threads.setDaemonThreadRunning(new Thread(task), "ishbase-cache-file"));
      cache.goOnIn(file);
      LOG.info("Rows that leave the segment cache's memory go to {}: {}", path, file.stats());
      return new CacheOnDisk(confidentiality);
    } catch (IOException | RuntimeException e) {
      LOG.warn(
          "{} = {}: {}. Rows are cached in memory alone",
          Setting.CACHE_FILE.key(),
          path,
          e.getMessage());
      return null;
    }
  }

  /** Lets a store that has opened use the file, in a while, unless it is encrypted. */
  public void admit(HStore store, CachedRows cached) {
    if (store.getColumnFamilyDescriptor().getEncryptionType() == null) {
      asking.execute(
          () -> {
            if (!confidentiality.mayBeInZone(
                store.getFileSystem(),
                store.getRegionFileSystem().getStoreDir(store.getColumnFamilyName()))) {
              cached.rows().goOnInFile();
            }
          });
    }
  }
}
