package io.ishbase.plugin.cache;

import io.ishbase.core.Setting;
import io.ishbase.core.cache.SegmentCache;
import io.ishbase.core.cache.file.FileCache;
import io.ishbase.plugin.scan.Confidentiality;
import io.ishbase.plugin.settings.ServerSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.util.Threads;
import org.apache.hadoop.util.ShutdownHookManager;
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

  private static final long RETRY_SECONDS = 60;

  /** Hadoop runs hooks of lower priority later; HBase's has 0. */
  private static final int AFTER_HBASE = -1;

  private final Confidentiality confidentiality;

  /** Asks the NameNode. */
  private final ScheduledExecutorService asking =
      Executors.newSingleThreadScheduledExecutor(
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
              bytes > 0 ? bytes : FileCache.usualBytes(cache.budgetBytes()),
              task -> Threads.setDaemonThreadRunning(new Thread(task), "ishbase-cache-file"));
      cache.goOnIn(file);
      // What it has is in the clear. Behind HBase's hook, within which the server still serves.
      ShutdownHookManager.get().addShutdownHook(file::close, AFTER_HBASE);
      LOG.info("Rows that leave the segment cache's memory go to {}: {}", path, file.stats());
      return new CacheOnDisk(confidentiality);
    } catch (IOException | RuntimeException e) {
      LOG.warn(
          "{} = {}: {}. Rows are cached in memory alone",
          Setting.CACHE_FILE.key(),
          path,
          e.toString());
      return null;
    }
  }

  /** Lets a store that has opened use the file, in a while, unless it is encrypted. */
  public void admit(HStore store, CachedRows cached) {
    if (store.getColumnFamilyDescriptor().getEncryptionType() == null
        && !Confidentiality.hasKeys(store)) {
      asking.execute(() -> ask(store, cached));
    }
  }

  private void ask(HStore store, CachedRows cached) {
    Boolean isInZone =
        confidentiality.isInZone(
            store.getFileSystem(),
            store.getRegionFileSystem().getStoreDir(store.getColumnFamilyName()));
    if (Boolean.FALSE.equals(isInZone)) {
      cached.rows().goOnInFile();
    } else if (isInZone == null && !cached.rows().isClosed()) {
      asking.schedule(() -> ask(store, cached), RETRY_SECONDS, TimeUnit.SECONDS);
    }
  }
}
