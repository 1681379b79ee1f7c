package io.ishbase.plugin.fuzz;

import io.ishbase.protocol.AttemptDirectory;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.ArrayBackedTag;
import org.apache.hadoop.hbase.CellComparatorImpl;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.Tag;
import org.apache.hadoop.hbase.TagType;
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

/**
 * A store on the local file system that nobody has open: puts, markers, tags, cells of one key in
 * several files, cells that refer to large objects where there are none.
 */
final class FuzzedStore {
  static final byte[] FAMILY = Bytes.toBytes("f");
  static final int ROWS = 60;
  private static final int FILES = 3;
  private static final int COLUMNS = 4;

  private final Configuration conf = HBaseConfiguration.create();
  private final TableDescriptor table =
      TableDescriptorBuilder.newBuilder(TableName.valueOf("t"))
          .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
          .build();
  private final RegionInfo region =
      RegionInfoBuilder.newBuilder(table.getTableName()).setRegionId(1).build();
  private final FileSystem fs;
  private final Path root;
  private final Path regionDirectory;
  private final List<String> files = new ArrayList<>();

  FuzzedStore(java.nio.file.Path directory) throws IOException {
    root = new Path(directory.toUri());
    conf.set("fs.defaultFS", "file:///");
    CommonFSUtils.setRootDir(conf, root);
    fs = new HFileSystem(conf, false);
    regionDirectory =
        new Path(CommonFSUtils.getTableDir(root, table.getTableName()), region.getEncodedName());
    Random random = new Random(1);
    for (int file = 0; file < FILES; file++) {
      write(String.format("%032x", file + 1), file, random);
    }
  }

  private void write(String name, int file, Random random) throws IOException {
    List<KeyValue> cells = new ArrayList<>();
    for (int row = 0; row < ROWS; row++) {
      byte[] key = Bytes.toBytes(String.format("row%03d", row));
      for (int column = 0; column < COLUMNS; column++) {
        byte[] qualifier = Bytes.toBytes("q" + column);
        for (int version = random.nextInt(3); version > 0; version--) {
          cells.add(cell(key, qualifier, 3L * file + version, random));
        }
      }
      if (random.nextInt(10) == 0) {
        cells.add(
            new KeyValue(key, FAMILY, null, 3L * file, KeyValue.Type.DeleteFamily, new byte[0]));
      }
    }
    cells.sort(CellComparatorImpl.COMPARATOR);
    StoreFileWriter writer =
        new StoreFileWriter.Builder(conf, new CacheConfig(conf), fs)
            .withFilePath(new Path(directory(), name))
            .withBloomType(BloomType.ROW)
            .withMaxKeyCount(cells.size())
            .withFileContext(
                new HFileContextBuilder()
                    .withBlockSize(1024)
                    .withIncludesTags(true)
                    .withIncludesMvcc(true)
                    .build())
            .build();
    for (KeyValue cell : cells) {
      cell.setSequenceId(file + 1L);
      writer.append(cell);
    }
    writer.appendMetadata(file + 1L, false);
    writer.close();
    files.add(name);
  }

  private static KeyValue cell(byte[] row, byte[] qualifier, long timestamp, Random random) {
    return switch (random.nextInt(12)) {
      case 0 ->
          new KeyValue(row, FAMILY, qualifier, timestamp, KeyValue.Type.DeleteColumn, new byte[0]);
      case 1 -> new KeyValue(row, FAMILY, qualifier, timestamp, Bytes.toBytes("a".repeat(40)));
      case 2 -> new KeyValue(row, FAMILY, qualifier, timestamp, Bytes.toBytes(random.nextLong()));
      case 3 -> {
        // To a large object: its length, and the name of a file.
        String[] names = {"0".repeat(72), "../../../../../../etc/passwd", "", "0123"};
        byte[] value =
            Bytes.add(Bytes.toBytes(random.nextInt()), Bytes.toBytes(names[random.nextInt(4)]));
        yield new KeyValue(
            row,
            FAMILY,
            qualifier,
            timestamp,
            value,
            new Tag[] {
              new ArrayBackedTag(TagType.MOB_REFERENCE_TAG_TYPE, ""),
              new ArrayBackedTag(
                  TagType.MOB_TABLE_NAME_TAG_TYPE, random.nextBoolean() ? "t" : "../x")
            });
      }
      default -> new KeyValue(row, FAMILY, qualifier, timestamp, new byte[random.nextInt(30)]);
    };
  }

  Configuration conf() {
    return conf;
  }

  FileSystem fs() {
    return fs;
  }

  Path root() {
    return root;
  }

  Path directory() {
    return new Path(regionDirectory, "f");
  }

  List<String> files() {
    return files;
  }

  TableDescriptor table() {
    return table;
  }

  RegionInfo region() {
    return region;
  }

  Path attempt(String name) {
    return AttemptDirectory.of(regionDirectory, name);
  }

  /**
   * Whether there is nothing below the HBase root but the store's files, and what attempts left.
   */
  List<String> strangers() throws IOException {
    List<String> found = new ArrayList<>();
    strangers(root, found);
    return found;
  }

  private void strangers(Path directory, List<String> found) throws IOException {
    for (var entry : fs.listStatus(directory)) {
      Path path = entry.getPath();
      if (path.getName().equals(".tmp")) {
        continue;
      }
      if (entry.isDirectory()) {
        strangers(path, found);
      } else if (!(path.getParent().getName().equals("f") && files.contains(path.getName()))) {
        found.add(path.toString());
      }
    }
  }
}
