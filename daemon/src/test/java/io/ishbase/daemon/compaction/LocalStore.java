package io.ishbase.daemon.compaction;

import io.ishbase.core.compaction.ProcessorBudget;
import io.ishbase.protocol.AttemptDirectory;
import io.ishbase.protocol.Protocol;
import io.ishbase.protocol.WriterSettings;
import io.ishbase.protocol.generated.CompactionProtos.CompactRequest;
import io.ishbase.protocol.generated.CompactionProtos.Entry;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.fs.HFileSystem;
import org.apache.hadoop.hbase.io.compress.Compression;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.HFileContextBuilder;
import org.apache.hadoop.hbase.regionserver.StoreFileWriter;
import org.apache.hadoop.hbase.regionserver.StoreUtils;
import org.apache.hadoop.hbase.util.CommonFSUtils;
import org.apache.hbase.thirdparty.com.google.protobuf.UnsafeByteOperations;

/** A store on the local file system that nobody has open: files are put into it and compacted. */
final class LocalStore {
  static {
    // The default is Hadoop's, which needs a native library.
    Configuration codecs = new Configuration(false);
    codecs.set(
        "hbase.io.compress.zstd.codec", "org.apache.hadoop.hbase.io.compress.zstd.ZstdCodec");
    Compression.Algorithm.ZSTD.reload(codecs);
  }

  private final Configuration site = HBaseConfiguration.create();
  private final TableDescriptor table;
  private final RegionInfo region;
  private final FileSystem fs;
  private final Path root;
  private final Path regionDirectory;
  private final List<String> files = new ArrayList<>();
  private int attempts;

  LocalStore(java.nio.file.Path directory, ColumnFamilyDescriptor family) throws IOException {
    table =
        TableDescriptorBuilder.newBuilder(TableName.valueOf("t")).setColumnFamily(family).build();
    region = RegionInfoBuilder.newBuilder(table.getTableName()).build();
    root = new Path(directory.toUri());
    CommonFSUtils.setRootDir(site, root);
    fs = new HFileSystem(site, true);
    regionDirectory =
        new Path(CommonFSUtils.getTableDir(root, table.getTableName()), region.getEncodedName());
  }

  Configuration site() {
    return site;
  }

  FileSystem fs() {
    return fs;
  }

  ColumnFamilyDescriptor family() {
    return table.getColumnFamilies()[0];
  }

  /** A file as a flush with the family's settings writes it. */
  HFileContextBuilder usual() {
    return new HFileContextBuilder()
        .withBlockSize(family().getBlocksize())
        .withCompression(family().getCompressionType())
        .withDataBlockEncoding(family().getDataBlockEncoding())
        .withHBaseCheckSum(true)
        .withBytesPerCheckSum(StoreUtils.getBytesPerChecksum(site))
        .withCompressTags(family().isCompressTags())
        .withIncludesMvcc(true);
  }

  /** Adds a file of those cells, which are in order. */
  Path add(List<? extends Cell> cells, HFileContextBuilder context) throws IOException {
    return add(cells, context, String.format("%032x", files.size() + 1));
  }

  /** The same, as if it had been loaded: its cells have the sequence id that the load got. */
  Path load(List<? extends Cell> cells, HFileContextBuilder context, int sequenceId)
      throws IOException {
    return add(cells, context, String.format("%032x_SeqId_%d_", files.size() + 1, sequenceId));
  }

  private Path add(List<? extends Cell> cells, HFileContextBuilder context, String name)
      throws IOException {
    Path path = new Path(new Path(regionDirectory, family().getNameAsString()), name);
    StoreFileWriter writer =
        new StoreFileWriter.Builder(site, new CacheConfig(site), fs)
            .withFilePath(path)
            .withBloomType(family().getBloomFilterType())
            .withMaxKeyCount(cells.size())
            .withFileContext(context.build())
            .build();
    long sequenceId = 1;
    for (Cell cell : cells) {
      writer.append(cell);
      sequenceId = Math.max(sequenceId, cell.getSequenceId());
    }
    writer.appendMetadata(sequenceId, false);
    writer.close();
    files.add(path.getName());
    return path;
  }

  /** What a compaction wrote, and how many blocks it copied. */
  record Output(Path file, long copiedBlocks, long cells) {}

  /**
   * Compacts all files.
   *
   * @param copy whether blocks may be copied; otherwise it is HBase's compactor
   * @param all whether the store has no others, so that markers are dropped
   */
  Output compact(boolean copy, boolean major, boolean all, long readPoint) throws Exception {
    Configuration daemon = new Configuration(site);
    daemon.set("ishbase.issn.compactions.copy", copy ? "auto" : "none");
    String name = String.format("%032x", ++attempts);
    Path attempt = AttemptDirectory.of(regionDirectory, name);
    fs.mkdirs(attempt);
    CompactRequest.Builder request =
        CompactRequest.newBuilder()
            .setVersion(Protocol.VERSION)
            .setAttempt(name)
            .setRegionServer("rs,1,1")
            .setTable(UnsafeByteOperations.unsafeWrap(TableDescriptorBuilder.toByteArray(table)))
            .setRegion(UnsafeByteOperations.unsafeWrap(RegionInfo.toByteArray(region)))
            .setMajor(major)
            .setAllFiles(all)
            .setReadPoint(readPoint)
            .setNow(System.currentTimeMillis())
            .setBytes(1)
            .setLeaseMillis(1000)
            .addAllFile(files);
    List<String> settings = WriterSettings.of(site);
    for (int i = 0; i < settings.size(); i += 2) {
      request.addSetting(Entry.newBuilder().setKey(settings.get(i)).setValue(settings.get(i + 1)));
    }
    ProcessorBudget budget = new ProcessorBudget(1, 1, () -> 0, () -> 0, () -> 1, System::nanoTime);
    JobThrottle throttle = new JobThrottle(budget, 0, 1, () -> true);
    List<String> output =
        new StoreCompaction(
                request.build(), WriterSettings.without(daemon), fs, root, new RemoteCache(0))
            .run(throttle, () -> true, cells -> {});
    return new Output(new Path(attempt, output.get(0)), throttle.copiedBlocks(), throttle.cells());
  }

  /** Whether the codec's classes are here. */
  static boolean has(Compression.Algorithm codec) {
    try {
      codec.getCompressor();
      return true;
    } catch (RuntimeException | LinkageError e) {
      return false;
    }
  }
}
