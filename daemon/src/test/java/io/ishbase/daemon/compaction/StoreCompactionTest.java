package io.ishbase.daemon.compaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.core.compaction.ProcessorBudget;
import io.ishbase.daemon.rpc.RequestException;
import io.ishbase.protocol.AttemptDirectory;
import io.ishbase.protocol.Protocol;
import io.ishbase.protocol.WriterSettings;
import io.ishbase.protocol.generated.CompactionProtos.CompactRequest;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.fs.HFileSystem;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.HFileContextBuilder;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.StoreFileWriter;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.CommonFSUtils;
import org.apache.hbase.thirdparty.com.google.protobuf.UnsafeByteOperations;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Compactions as the daemon carries them out, on the files of a region that nobody has open. */
class StoreCompactionTest {
  private static final String ATTEMPT = "0123456789abcdef".repeat(2);
  private static final byte[] FAMILY = Bytes.toBytes("f");

  @TempDir java.nio.file.Path temp;

  private final Configuration site = HBaseConfiguration.create();
  private final TableDescriptor table =
      TableDescriptorBuilder.newBuilder(TableName.valueOf("t"))
          .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
          .build();
  private final RegionInfo region = RegionInfoBuilder.newBuilder(table.getTableName()).build();
  private FileSystem fs;
  private Path root;
  private Path store;
  private Path attempt;

  @BeforeEach
  void makeFiles() throws IOException {
    root = new Path(temp.toUri());
    CommonFSUtils.setRootDir(site, root);
    fs = new HFileSystem(site, true);
    Path regionDirectory =
        new Path(CommonFSUtils.getTableDir(root, table.getTableName()), region.getEncodedName());
    store = new Path(regionDirectory, "f");
    attempt = AttemptDirectory.of(regionDirectory, ATTEMPT);
    fs.mkdirs(attempt);
    for (int file = 1; file <= 2; file++) {
      write(new Path(store, String.valueOf(file).repeat(32)), file);
    }
  }

  private void write(Path path, int sequenceId) throws IOException {
    StoreFileWriter writer =
        new StoreFileWriter.Builder(site, new CacheConfig(site), fs)
            .withFilePath(path)
            .withBloomType(BloomType.ROW)
            .withMaxKeyCount(10)
            .withFileContext(new HFileContextBuilder().withIncludesMvcc(true).build())
            .build();
    for (int row = 0; row < 10; row++) {
      KeyValue cell = new KeyValue(Bytes.toBytes("r" + row), FAMILY, FAMILY, sequenceId, FAMILY);
      cell.setSequenceId(sequenceId);
      writer.append(cell);
    }
    writer.appendMetadata(sequenceId, false);
    writer.close();
  }

  private CompactRequest.Builder request() throws IOException {
    CompactRequest.Builder request =
        CompactRequest.newBuilder()
            .setVersion(Protocol.VERSION)
            .setAttempt(ATTEMPT)
            .setRegionServer("rs,1,1")
            .setTable(UnsafeByteOperations.unsafeWrap(TableDescriptorBuilder.toByteArray(table)))
            .setRegion(UnsafeByteOperations.unsafeWrap(RegionInfo.toByteArray(region)))
            .setMajor(true)
            .setAllFiles(true)
            .setReadPoint(100)
            .setNow(System.currentTimeMillis())
            .setBytes(1)
            .setLeaseMillis(1000);
    namesIn(store).forEach(request::addFile);
    return request;
  }

  private List<String> namesIn(Path directory) throws IOException {
    return Arrays.stream(fs.listStatus(directory))
        .map(FileStatus::getPath)
        .map(Path::getName)
        .sorted()
        .toList();
  }

  private List<String> compact(CompactRequest request) throws IOException, RequestException {
    ProcessorBudget budget = new ProcessorBudget(1, 1, () -> 0, () -> 0, () -> 1, System::nanoTime);
    return new StoreCompaction(request, WriterSettings.without(site), fs, root, new RemoteCache(0))
        .run(new JobThrottle(budget, 0, 1, () -> true), () -> true, cells -> {});
  }

  @Test
  void anotherFileTrackerInItsSiteDoesNotMakeItWriteIntoTheStore() throws Exception {
    site.set("hbase.store.file-tracker.impl", "FILE");
    List<String> before = namesIn(store);
    List<String> output = compact(request().build());
    assertThat(namesIn(store)).isEqualTo(before);
    assertThat(output).hasSize(1);
    assertThat(fs.exists(new Path(attempt, output.get(0)))).isTrue();
  }

  @Test
  void whateverTheTrackerNothingIsWrittenOutsideTheAttempt() throws Exception {
    for (String tracker : List.of("DEFAULT", "FILE")) {
      TableDescriptor tracked =
          TableDescriptorBuilder.newBuilder(table)
              .setValue("hbase.store.file-tracker.impl", tracker)
              .build();
      List<String> before = everythingBut(attempt);
      List<String> output =
          compact(
              request()
                  .setTable(
                      UnsafeByteOperations.unsafeWrap(TableDescriptorBuilder.toByteArray(tracked)))
                  .build());
      assertThat(everythingBut(attempt)).as(tracker).isEqualTo(before);
      assertThat(fs.exists(new Path(attempt, output.get(0)))).as(tracker).isTrue();
    }
  }

  private List<String> everythingBut(Path directory) throws IOException {
    List<String> paths = new ArrayList<>();
    var files = fs.listFiles(root, true);
    while (files.hasNext()) {
      String path = files.next().getPath().toUri().getPath();
      if (!path.startsWith(directory.toUri().getPath())) {
        paths.add(path);
      }
    }
    return paths.stream().sorted().toList();
  }
}
