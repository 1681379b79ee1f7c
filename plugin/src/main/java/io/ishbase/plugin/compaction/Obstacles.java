package io.ishbase.plugin.compaction;

import io.ishbase.core.ReadMode;
import io.ishbase.core.compaction.LocalReason;
import io.ishbase.core.compaction.WarmUpMode;
import io.ishbase.plugin.hbase.CompactionHooks;
import io.ishbase.plugin.settings.ServerSettings;
import io.ishbase.plugin.settings.StoreSettings;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.regionserver.DateTieredStoreEngine;
import org.apache.hadoop.hbase.regionserver.DefaultStoreEngine;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.ScanInfo;
import org.apache.hadoop.hbase.regionserver.Store;
import org.apache.hadoop.hbase.regionserver.StoreEngine;
import org.apache.hadoop.hbase.regionserver.StripeStoreEngine;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionRequestImpl;
import org.apache.hadoop.hbase.regionserver.storefiletracker.StoreFileTrackerFactory;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What makes a compaction stay at the region server, whatever the workers. */
final class Obstacles {
  private static final Logger LOG = LoggerFactory.getLogger(Obstacles.class);

  private Obstacles() {}

  /** The first that is found, or null; {@code conf} is the store's. */
  static @Nullable LocalReason of(
      HStore store, Configuration conf, ServerSettings server, CompactionRequestImpl request) {
    StoreSettings settings = StoreSettings.of(store);
    if (request.getSize() < settings.minCompactionBytes()) {
      return LocalReason.SMALL;
    }
    if (writesMobFilesAnew(store, request)) {
      return LocalReason.MOB;
    }
    if (!isKnown(store.getStoreEngine())) {
      return LocalReason.ENGINE;
    }
    if (!hasKnownTracker(conf)) {
      return LocalReason.TRACKER;
    }
    if (store.getColumnFamilyDescriptor().getEncryptionType() != null && !server.readsEncrypted()) {
      return LocalReason.ENCRYPTED;
    }
    if (settings.reads().byDefault() == ReadMode.STOCK
        && settings.warmUp() == WarmUpMode.NONE
        && isCachedOnWrite(store.getCacheConfig(), request.getSize())) {
      return LocalReason.CACHED;
    }
    List<String> hooks = CompactionHooks.of(store);
    if (!hooks.isEmpty()) {
      LOG.debug("{} is compacted here: {}", store, hooks);
      return LocalReason.COPROCESSOR;
    }
    if (!goesByFamily(store)) {
      LOG.debug("{} is compacted here: it has other rules than its family", store);
      return LocalReason.COPROCESSOR;
    }
    return null;
  }

  /** Whether HBase's compactor puts what it writes into the block cache. */
  private static boolean isCachedOnWrite(CacheConfig caching, long bytes) {
    return caching.getBlockCache().isPresent()
        && caching.shouldCacheCompactedBlocksOnWrite()
        && bytes <= caching.getCacheCompactedBlocksOnWriteThreshold();
  }

  /** Whether the store's rules are its family's, by which a worker goes. */
  private static boolean goesByFamily(HStore store) {
    ScanInfo rules = store.getScanInfo();
    ColumnFamilyDescriptor family = store.getColumnFamilyDescriptor();
    return rules.getTtl() == HStore.determineTTLFromFamily(family)
        && rules.getMinVersions() == family.getMinVersions()
        && rules.getMaxVersions() == family.getMaxVersions()
        && rules.getKeepDeletedCells() == family.getKeepDeletedCells()
        && rules.isNewVersionBehavior() == family.isNewVersionBehavior();
  }

  /** As HBase's DefaultMobStoreCompactor decides it. */
  private static boolean writesMobFilesAnew(HStore store, CompactionRequestImpl request) {
    return store.getColumnFamilyDescriptor().isMobEnabled()
        && request.isAllFiles()
        && request.getPriority() == Store.PRIORITY_USER;
  }

  /** A foreign one may use HBase's default compactor in ways of its own. */
  private static boolean isKnown(StoreEngine<?, ?, ?, ?> engine) {
    return engine instanceof DefaultStoreEngine
        || engine instanceof StripeStoreEngine
        || engine instanceof DateTieredStoreEngine;
  }

  /** A foreign one may know references and links that lie nowhere as files. */
  private static boolean hasKnownTracker(Configuration conf) {
    String name =
        StoreFileTrackerFactory.getStoreFileTrackerName(
            StoreFileTrackerFactory.getTrackerClass(conf));
    return Arrays.stream(StoreFileTrackerFactory.Trackers.values())
        .anyMatch(tracker -> tracker.name().equals(name));
  }
}
