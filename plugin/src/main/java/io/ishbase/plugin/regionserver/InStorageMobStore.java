package io.ishbase.plugin.regionserver;

import io.ishbase.plugin.hbase.CompactedFiles;
import io.ishbase.plugin.hbase.FileSelection;
import io.ishbase.plugin.hbase.FlushObserver;
import io.ishbase.plugin.scan.MobReference;
import io.ishbase.plugin.settings.StoreSettings;
import java.io.IOException;
import java.util.List;
import java.util.NavigableSet;
import java.util.function.Consumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.io.compress.Compression;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.io.hfile.HFileContext;
import org.apache.hadoop.hbase.io.hfile.HFileContextBuilder;
import org.apache.hadoop.hbase.mob.MobCell;
import org.apache.hadoop.hbase.mob.MobFileName;
import org.apache.hadoop.hbase.monitoring.MonitoredTask;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.ChangedReadersObserver;
import org.apache.hadoop.hbase.regionserver.FlushLifeCycleTracker;
import org.apache.hadoop.hbase.regionserver.HMobStore;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.KeyValueScanner;
import org.apache.hadoop.hbase.regionserver.MemStoreSnapshot;
import org.apache.hadoop.hbase.regionserver.RegionServerServices;
import org.apache.hadoop.hbase.regionserver.ScanInfo;
import org.apache.hadoop.hbase.regionserver.StoreContext;
import org.apache.hadoop.hbase.regionserver.StoreFileScanner;
import org.apache.hadoop.hbase.regionserver.StoreFileScannerAccess;
import org.apache.hadoop.hbase.regionserver.StoreFileWriter;
import org.apache.hadoop.hbase.regionserver.StoreUtils;
import org.apache.hadoop.hbase.regionserver.querymatcher.ScanQueryMatcher;
import org.apache.hadoop.hbase.regionserver.throttle.ThroughputController;
import org.apache.hadoop.hbase.util.EnvironmentEdgeManager;
import org.apache.hbase.thirdparty.com.google.common.collect.ImmutableCollection;
import org.jspecify.annotations.Nullable;

/**
 * A store with large objects whose HFiles are read by the storage daemons, as those of {@link
 * InStorageStore} are. A daemon sends the cells of the HFiles, behind those that refer to a MOB
 * file also what they refer to. HBase's matcher and filters see the references, as always; where
 * HBase then resolves one, its value is here. If it is not, HBase looks for it in the MOB file
 * itself.
 *
 * <p>It has no segment cache and no warm-ups.
 *
 * <p>Relies on HBase 2.6 as {@link InStorageStore} does, and on HBase's scanners of MOB stores
 * resolving each reference by {@code HMobStore.resolve} with four parameters, after all filters;
 * and on all writers of MOB files being made by the longest {@code createWriterInTmp}, as {@code
 * MobUtils.createWriter} makes them.
 */
final class InStorageMobStore extends HMobStore implements StoreSettings.Owner, StoreReads.Owner {
  private final RegionServerNodes nodes;
  private final StoreReads reads;
  private volatile StoreSettings settings;

  InStorageMobStore(
      InStorageRegion region,
      RegionServerNodes nodes,
      ColumnFamilyDescriptor family,
      Configuration regionConf,
      boolean warmup)
      throws IOException {
    super(region, family, regionConf, warmup);
    this.nodes = nodes;
    this.settings = StoreSettings.read(this);
    this.reads = new StoreReads(this, nodes, this::settings, null, null);
  }

  // HBase calls it before the fields of this class are set.
  @Override
  protected CacheConfig createCacheConf(ColumnFamilyDescriptor family) {
    return ((InStorageRegion) getHRegion()).watched(super.createCacheConf(family));
  }

  @Override
  protected List<Path> flushCache(
      long sequenceId,
      MemStoreSnapshot snapshot,
      MonitoredTask status,
      ThroughputController throughput,
      FlushLifeCycleTracker tracker,
      Consumer<Path> created)
      throws IOException {
    long begun = System.nanoTime();
    List<Path> files = super.flushCache(sequenceId, snapshot, status, throughput, tracker, created);
    RegionServerServices services = ((InStorageRegion) getHRegion()).services();
    nodes.memory().flushed(services, snapshot.getDataSize(), System.nanoTime() - begun);
    return files;
  }

  @Override
  public ImmutableCollection<HStoreFile> close() throws IOException {
    List<HStoreFile> beingRead = CompactedFiles.beingRead(this);
    ImmutableCollection<HStoreFile> files = super.close();
    CompactedFiles.archive(this, beingRead);
    return files;
  }

  @Override
  public StoreSettings settings() {
    return settings;
  }

  @Override
  public StoreReads reads() {
    return reads;
  }

  @Override
  public void onConfigurationChange(Configuration newConf) {
    super.onConfigurationChange(newConf);
    settings = StoreSettings.read(this);
    nodes.settingsChanged();
  }

  @Override
  protected KeyValueScanner createScanner(
      Scan scan, ScanInfo scanInfo, @Nullable NavigableSet<byte[]> columns, long readPoint)
      throws IOException {
    return reads.scanner(
        scan,
        scanInfo,
        columns,
        readPoint,
        rules -> super.createScanner(scan, rules, columns, readPoint));
  }

  @Override
  public MobCell resolve(
      Cell reference, boolean cacheBlocks, long readPoint, boolean readEmptyValueOnMobCellMiss)
      throws IOException {
    Cell value = MobReference.resolve(reference, readPoint);
    return value == null
        ? super.resolve(reference, cacheBlocks, readPoint, readEmptyValueOnMobCellMiss)
        : new MobCell(value);
  }

  /** As HBase makes it, but at the region's home, where the files with the references lie. */
  @Override
  public StoreFileWriter createWriterInTmp(
      MobFileName name,
      Path directory,
      long maxKeyCount,
      Compression.@Nullable Algorithm compression,
      boolean isCompaction,
      @Nullable Consumer<Path> created)
      throws IOException {
    StoreContext context = StoreFileScannerAccess.context(this);
    ColumnFamilyDescriptor family = getColumnFamilyDescriptor();
    CacheConfig cacheConfig = getCacheConfig();
    if (isCompaction) {
      cacheConfig = new CacheConfig(cacheConfig);
      cacheConfig.setCacheDataOnWrite(false);
    }
    HFileContext file =
        new HFileContextBuilder()
            .withCompression(
                compression == null ? HFile.DEFAULT_COMPRESSION_ALGORITHM : compression)
            .withIncludesMvcc(true)
            .withIncludesTags(true)
            .withCompressTags(family.isCompressTags())
            .withChecksumType(StoreUtils.getChecksumType(conf))
            .withBytesPerCheckSum(StoreUtils.getBytesPerChecksum(conf))
            .withBlockSize(context.getBlockSize())
            .withHBaseCheckSum(true)
            .withDataBlockEncoding(family.getDataBlockEncoding())
            .withEncryptionContext(context.getEncryptionContext())
            .withCreateTime(EnvironmentEdgeManager.currentTime())
            .build();
    return new StoreFileWriter.Builder(conf, cacheConfig, getFileSystem())
        .withFilePath(new Path(directory, name.getFileName()))
        .withFavoredNodes(context.getFavoredNodes())
        .withBloomType(BloomType.NONE)
        .withMaxKeyCount(maxKeyCount)
        .withFileContext(file)
        .withWriterCreationTracker(created)
        .build();
  }

  @Override
  public void addChangedReaderObserver(ChangedReadersObserver scanner) {
    super.addChangedReaderObserver(new FlushObserver(scanner, this));
  }

  @Override
  public void deleteChangedReaderObserver(ChangedReadersObserver scanner) {
    super.deleteChangedReaderObserver(new FlushObserver(scanner, this));
  }

  @Override
  public List<KeyValueScanner> getScanners(
      boolean cacheBlocks,
      boolean usePread,
      boolean isCompaction,
      ScanQueryMatcher matcher,
      byte[] startRow,
      boolean includeStartRow,
      byte[] stopRow,
      boolean includeStopRow,
      long readPoint,
      boolean onlyLatestVersion)
      throws IOException {
    FileSelection asked =
        new FileSelection(
            cacheBlocks,
            usePread,
            isCompaction,
            matcher,
            startRow,
            includeStartRow,
            stopRow,
            includeStopRow,
            readPoint,
            onlyLatestVersion);
    return reads.scanners(
        asked, selection -> selection.ask(super::getScanners), memstore::getScanners);
  }

  @Override
  public @Nullable List<KeyValueScanner> recreateScanners(
      List<KeyValueScanner> currentFileScanners,
      boolean cacheBlocks,
      boolean usePread,
      boolean isCompaction,
      ScanQueryMatcher matcher,
      byte[] startRow,
      boolean includeStartRow,
      byte[] stopRow,
      boolean includeStopRow,
      long readPoint,
      boolean includeMemstoreScanner)
      throws IOException {
    // HBase switches a long scan from positional to stream reads; other scanners do not read files.
    if (!currentFileScanners.stream().allMatch(StoreFileScanner.class::isInstance)) {
      return null;
    }
    return super.recreateScanners(
        currentFileScanners,
        cacheBlocks,
        usePread,
        isCompaction,
        matcher,
        startRow,
        includeStartRow,
        stopRow,
        includeStopRow,
        readPoint,
        includeMemstoreScanner);
  }
}
