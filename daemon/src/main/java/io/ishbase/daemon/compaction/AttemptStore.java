package io.ishbase.daemon.compaction;

import io.ishbase.core.Setting;
import java.io.IOException;
import java.util.Collection;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.mob.DefaultMobStoreCompactor;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.DefaultStoreEngine;
import org.apache.hadoop.hbase.regionserver.DefaultStoreFlusher;
import org.apache.hadoop.hbase.regionserver.HMobStore;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.IssnStoreFileAccess;
import org.apache.hadoop.hbase.regionserver.StoreContext;
import org.apache.hadoop.hbase.regionserver.StoreEngine;
import org.apache.hadoop.hbase.regionserver.compactions.DefaultCompactor;
import org.apache.hadoop.hbase.regionserver.compactions.ExploringCompactionPolicy;

/**
 * What makes a store of HBase one that has what a compactor needs and no files of its own: those to
 * compact are opened one by one.
 *
 * <p>Relies on HBase 2.6: the constructor of {@code HStore} sets region and context, then calls
 * {@code createStoreEngine} and {@code StoreEngine.initialize}, which would load the files; the
 * engine and its writers take their context from {@code getStoreContext}. What HBase writes, be it
 * by a file tracker that has no use for a temporary directory, goes below one of the two
 * directories that a context names: here both are the attempt's.
 */
final class AttemptStore {
  private AttemptStore() {}

  /** The engine of {@code store}. */
  static StoreEngine<?, ?, ?, ?> engine(HStore store, Configuration conf, CellComparator comparator)
      throws IOException {
    return new Engine(conf, store, comparator);
  }

  /** HBase's own compactor, whatever the table names. */
  static DefaultCompactor compactor(HStore store) {
    return (DefaultCompactor) store.getStoreEngine().getCompactor();
  }

  /**
   * Opens a file of the store: an HFile, a reference or a link.
   *
   * @throws IOException if it is not there or cannot be read
   */
  static HStoreFile open(HStore store, String name) throws IOException {
    Path directory = store.getRegionFileSystem().getStoreDir(store.getColumnFamilyName());
    return store.getStoreEngine().createStoreFileAndReader(new Path(directory, name));
  }

  /** Its context; {@code own} is as HBase makes it, {@code conf} the store's. */
  static StoreContext context(StoreContext own, CompactionRegion region, Configuration conf) {
    return StoreContext.getBuilder()
        .withBlockSize(own.getBlockSize())
        .withEncryptionContext(own.getEncryptionContext())
        .withBloomType(own.getBloomFilterType())
        .withCacheConfig(own.getCacheConf())
        .withCellComparator(own.getComparator())
        .withColumnFamilyDescriptor(own.getFamily())
        .withCompactedFilesSupplier(() -> named(region.compacted(), own, conf))
        .withRegionFileSystem(own.getRegionFileSystem())
        .withFavoredNodesSupplier(region::favoredNodes)
        .withFamilyStoreDirectoryPath(
            new Path(own.getRegionFileSystem().getTempDir(), own.getFamily().getNameAsString()))
        .withRegionCoprocessorHost(own.getCoprocessorHost())
        .build();
  }

  /** Files of which only the name is wanted: they need not be there any more. */
  private static Collection<HStoreFile> named(
      Collection<String> names, StoreContext context, Configuration conf) {
    return names.stream()
        .map(name -> new Path(context.getFamilyStoreDirectoryPath(), name))
        .map(
            path ->
                IssnStoreFileAccess.info(
                    conf, context.getRegionFileSystem().getFileSystem(), path, null, null))
        .map(info -> new HStoreFile(info, BloomType.NONE, context.getCacheConf()))
        .toList();
  }

  /** Has HBase's own parts, whatever the table names: only the writers are of use. */
  private static final class Engine extends DefaultStoreEngine {
    Engine(Configuration conf, HStore store, CellComparator comparator) throws IOException {
      createComponentsOnce(conf, store, comparator);
    }

    @Override
    protected void createCompactor(Configuration conf, HStore store) {
      if (store instanceof HMobStore) {
        compactor = new DefaultMobStoreCompactor(conf, store);
        return;
      }
      compactor =
          Setting.ISSN_COMPACTION_COPY.text(conf::get).equals("auto")
              ? new CopyingCompactor(conf, store)
              : new CompactionScanner.Usual(conf, store);
    }

    @Override
    protected void createCompactionPolicy(Configuration conf, HStore store) {
      compactionPolicy = new ExploringCompactionPolicy(conf, store);
    }

    @Override
    protected void createStoreFlusher(Configuration conf, HStore store) {
      storeFlusher = new DefaultStoreFlusher(conf, store);
    }

    @Override
    public void initialize(boolean warmup) {
      // Loads nothing.
    }
  }
}
