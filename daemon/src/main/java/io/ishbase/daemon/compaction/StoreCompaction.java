package io.ishbase.daemon.compaction;

import io.ishbase.daemon.rpc.RequestException;
import io.ishbase.protocol.AttemptDirectory;
import io.ishbase.protocol.CompactionLayout;
import io.ishbase.protocol.WriterSettings;
import io.ishbase.protocol.generated.CompactionProtos.CompactRequest;
import io.ishbase.protocol.generated.CompactionProtos.Entry;
import io.ishbase.protocol.generated.CompactionProtos.MobCells;
import io.ishbase.protocol.generated.IssnProtos.Code;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.TimeZone;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.MemoryCompactionPolicy;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.exceptions.DeserializationException;
import org.apache.hadoop.hbase.fs.HFileSystem;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.net.Address;
import org.apache.hadoop.hbase.regionserver.DefaultMemStore;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.IssnRegionFileSystem;
import org.apache.hadoop.hbase.regionserver.IssnStoreFileAccess;
import org.apache.hadoop.hbase.regionserver.MemStoreLAB;
import org.apache.hadoop.hbase.regionserver.StoreFileWriter;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionRequestImpl;
import org.apache.hadoop.hbase.regionserver.storefiletracker.StoreFileTrackerFactory;
import org.apache.hadoop.hbase.util.BloomFilterFactory;
import org.apache.hadoop.hbase.util.CommonFSUtils;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a request asks for: HBase's compactor on HBase's store, into the attempt's directory. */
final class StoreCompaction {
  private static final Logger LOG = LoggerFactory.getLogger(StoreCompaction.class);
  private static final String LISTING_TRACKER = "DEFAULT";

  /** Of these no compaction has so many files that it matters. */
  private static final int USUAL_BLOCK_BYTES = 1 << 20;

  /** Of the heap, for blocks of one compaction: a part of so many. */
  private static final int HEAP_SHARE = 8;

  private final CompactRequest request;
  private final Configuration conf;
  private final FileSystem fs;
  private final RemoteCache cache;
  private final TableDescriptor table;
  private final RegionInfo region;
  private final Path tableDirectory;
  private final Path directory;
  private final AttemptOutput output;
  private final long beginNanos = System.nanoTime();

  /** Null: it has not ended, or its family has no large objects. */
  private @Nullable MobCells mobCells;

  /**
   * Prepares a compaction.
   *
   * @param neutral the daemon's configuration without what the request decides
   * @param cache gets what is written, if the request says so
   * @throws RequestException if the request is not sound
   */
  StoreCompaction(
      CompactRequest request, Configuration neutral, FileSystem fs, Path root, RemoteCache cache)
      throws RequestException {
    RequestedTable.check(request, fs, root);
    this.request = request;
    this.fs = fs;
    this.cache = cache;
    this.conf = new Configuration(neutral);
    for (Entry entry : request.getSettingList()) {
      if (!WriterSettings.decides(entry.getKey())) {
        throw new RequestException(Code.BAD_REQUEST, "Setting '" + entry.getKey() + "'");
      }
      conf.set(entry.getKey(), entry.getValue());
    }
    // The store's memstore stays empty.
    conf.setBoolean(MemStoreLAB.USEMSLAB_KEY, false);
    try {
      table = ofUse(TableDescriptorBuilder.parseFrom(request.getTable().toByteArray()));
      region = RegionInfo.parseFrom(request.getRegion().toByteArray());
      tableDirectory = CommonFSUtils.getTableDir(root, table.getTableName());
      directory =
          AttemptDirectory.of(
              new Path(tableDirectory, region.getEncodedName()), request.getAttempt());
    } catch (DeserializationException | RuntimeException e) {
      // HBase's parsers throw what they like.
      throw new RequestException(Code.BAD_REQUEST, "Not a compaction: " + e.getMessage(), e);
    }
    output = new AttemptOutput(fs, directory, cache);
    String fault = CompactionLayout.fault(request);
    if (fault != null) {
      throw new RequestException(Code.BAD_REQUEST, fault);
    }
    if (table.getColumnFamilyCount() != 1 || !table.getTableName().equals(region.getTable())) {
      throw new RequestException(Code.BAD_REQUEST, "Not one family of one region");
    }
    if (table.getColumnFamilies()[0].isMobEnabled() != request.hasMob()) {
      throw new RequestException(Code.BAD_REQUEST, "Large objects need their own compactor");
    }
    int replication = fs.getDefaultReplication(directory);
    if (request.hasReplication() && request.getReplication() != replication) {
      throw new RequestException(
          Code.REFUSED,
          "dfs.replication is " + replication + " here, not " + request.getReplication());
    }
  }

  /**
   * Without what only the region server's store has a use for: a tracker's list of files, and a
   * memstore. Historical versions HBase keeps apart with its own compactor only, which the region
   * server's store does not have.
   */
  private TableDescriptor ofUse(TableDescriptor table) {
    TableDescriptorBuilder builder = TableDescriptorBuilder.newBuilder(table);
    for (var family : table.getColumnFamilies()) {
      // What the family says comes before what the table and the site say.
      ColumnFamilyDescriptorBuilder used =
          ColumnFamilyDescriptorBuilder.newBuilder(family)
              .setInMemoryCompaction(MemoryCompactionPolicy.NONE)
              .setValue(HStore.MEMSTORE_CLASS_NAME, DefaultMemStore.class.getName())
              .setValue(StoreFileTrackerFactory.TRACKER_IMPL, LISTING_TRACKER)
              .setValue(StoreFileWriter.ENABLE_HISTORICAL_COMPACTION_FILES, "false");
      builder.modifyColumnFamily(used.build());
    }
    return builder.build();
  }

  /**
   * Reads, merges, writes.
   *
   * @param totalCells is told how many cells the files have
   * @return the names of the new files in the attempt's directory
   * @throws IOException if it fails, or {@code goesOn} says no
   */
  List<String> run(JobThrottle throttle, BooleanSupplier goesOn, LongConsumer totalCells)
      throws IOException {
    IssnRegionFileSystem regionFiles =
        new IssnRegionFileSystem(conf, written(), tableDirectory, region, directory);
    CompactionRegion owner =
        new CompactionRegion(
            regionFiles,
            conf,
            table,
            request.getReadPoint(),
            favoredNodes(),
            request.getCompactedList(),
            goesOn);
    HStore store = owner.store(TimeZone.getTimeZone(request.getMob().getTimeZone()));
    List<HStoreFile> files = new ArrayList<>();
    CallersClock.follow(new CallersClock.Reading(request.getNow(), beginNanos));
    try {
      long cells = 0;
      for (String name : request.getFileList()) {
        HStoreFile file = AttemptStore.open(store, name);
        files.add(file);
        cells += file.getReader().getEntries();
      }
      totalCells.accept(cells);
      requireRoom(store, files);
      // The region server made the directory. If it is gone, so is the interest in this attempt,
      // and to write would make a region's directory anew that may have been archived.
      if (!goesOn.getAsBoolean() || !output.isWanted()) {
        throw new IOException("The attempt is over");
      }
      regionFiles.begin();
      CompactionRequestImpl compaction = new CompactionRequestImpl(files);
      compaction.setIsMajor(request.getMajor(), request.getAllFiles());
      List<Path> written =
          new ArrayList<>(new LayoutCompactor(request, store).compact(compaction, throttle));
      if (store instanceof MobCompactionStore mob) {
        written.addAll(mob.written());
        mobCells = mob.moved();
      }
      return written.stream().map(this::name).toList();
    } finally {
      CallersClock.leave();
      files.forEach(StoreCompaction::close);
    }
  }

  /** One that cannot be closed spoils nothing of what was written. */
  private static void close(HStoreFile file) {
    try {
      file.closeStoreFile(false);
    } catch (IOException e) {
      LOG.warn("Cannot close {}", file.getPath(), e);
    }
  }

  /**
   * Of each file there is a block as it lies and unpacked; of each new one both, until it is whole,
   * and parts of the Bloom filters of its keys and of its markers.
   */
  private void requireRoom(HStore store, List<HStoreFile> files) throws RequestException {
    long blockBytes = table.getColumnFamilies()[0].getBlocksize();
    long filterBytes = BloomFilterFactory.getBloomBlockSize(store.getReadOnlyConfiguration());
    long largest = Math.max(blockBytes, filterBytes);
    long ofNewFiles = newFiles() * 2 * (blockBytes + filterBytes);
    long needed = ofNewFiles;
    for (HStoreFile file : files) {
      HFile.Reader reader = file.getReader().getHFileReader();
      long mean = IssnStoreFileAccess.meanBlockBytes(reader);
      long block = mean > 0 ? mean : blockBytes;
      largest = Math.max(largest, block);
      needed += reader.getFileContext().isCompressedOrEncrypted() ? 2 * block : block;
    }
    long most = Runtime.getRuntime().maxMemory() / HEAP_SHARE;
    if (ofNewFiles > most || largest > USUAL_BLOCK_BYTES && needed > most) {
      // Neither is it for another worker, whose heap is as large.
      throw new RequestException(
          Code.STORAGE,
          "Its blocks take "
              + needed
              + " bytes of the heap at once, and "
              + most
              + " are for that: ISSN_HEAP, or the family's BLOCKSIZE or "
              + BloomFilterFactory.IO_STOREFILE_BLOOM_BLOCK_SIZE);
    }
  }

  /** That are written at once. */
  private long newFiles() {
    return switch (request.getLayoutCase()) {
      case WINDOWS, STRIPES -> CompactionLayout.mostFiles(request);
      // One is of the objects.
      case MOB -> 2;
      default -> 1;
    };
  }

  /** In the attempt's directory. */
  private String name(Path file) {
    return file.toUri().getPath().substring(directory.toUri().getPath().length() + 1);
  }

  /** The file system by which the new file is written. */
  private FileSystem written() {
    if (!request.getKeep() || !cache.keepsAny() || !(fs instanceof HFileSystem hfs)) {
      return fs;
    }
    Configuration ofFamily = new Configuration(conf);
    ofFamily.setInt(
        ColumnFamilyDescriptorBuilder.DFS_REPLICATION,
        table.getColumnFamilies()[0].getDFSReplication());
    return new RecordingFileSystem(hfs, ofFamily, favoredNodes(), cache, output::keeps);
  }

  private InetSocketAddress @Nullable [] favoredNodes() {
    return request.getFavoredNodeCount() == 0
        ? null
        : request.getFavoredNodeList().stream()
            .map(Address::fromString)
            .map(address -> new InetSocketAddress(address.getHostName(), address.getPort()))
            .toArray(InetSocketAddress[]::new);
  }

  /** What {@link #run} moved between store and MOB files; null: there are none. */
  @Nullable MobCells mobCells() {
    return mobCells;
  }

  /** What it writes. */
  AttemptOutput output() {
    return output;
  }

  /** Table, region and family. */
  String store() {
    return table.getTableName()
        + "/"
        + region.getEncodedName()
        + "/"
        + table.getColumnFamilies()[0].getNameAsString();
  }
}
