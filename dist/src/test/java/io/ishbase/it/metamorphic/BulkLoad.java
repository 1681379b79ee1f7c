package io.ishbase.it.metamorphic;

import java.io.IOException;
import java.util.Comparator;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.CellComparatorImpl;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.io.hfile.HFileContextBuilder;
import org.apache.hadoop.hbase.tool.BulkLoadHFiles;
import org.apache.hadoop.hbase.util.BloomFilterUtil;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * {@code load ROW f:q@5=v f:q@3 ; ROW ...}: a file for each family. A cell without a value deletes
 * its column up to its time.
 */
final class BulkLoad {
  private final Rig rig;
  private final TableName name;
  private final FileTime clock;

  BulkLoad(Rig rig, TableName name, FileTime clock) {
    this.rig = rig;
    this.name = name;
    this.clock = clock;
  }

  void of(Line line) throws IOException {
    Configuration conf = new Configuration(rig.cluster().util().getConfiguration());
    // Where the tool splits a file it does not look at the table's value.
    conf.set(BloomFilterUtil.PREFIX_LENGTH_KEY, TableOptions.PREFIX_LENGTH);
    FileSystem fs = rig.cluster().util().getTestFileSystem();
    Path directory =
        new Path(rig.cluster().util().getDataTestDirOnTestFS(), UUID.randomUUID().toString());
    for (Map.Entry<String, TreeSet<KeyValue>> family : cells(line).entrySet()) {
      try (HFile.Writer writer =
          HFile.getWriterFactory(conf, new CacheConfig(conf))
              .withPath(fs, new Path(new Path(directory, family.getKey()), "loaded"))
              .withFileContext(new HFileContextBuilder().build())
              .create()) {
        for (KeyValue cell : family.getValue()) {
          writer.append(cell);
        }
      }
    }
    BulkLoadHFiles.create(conf).bulkLoad(name, directory);
    fs.delete(directory, true);
  }

  private Map<String, TreeSet<KeyValue>> cells(Line line) {
    Map<String, TreeSet<KeyValue>> families = new TreeMap<>(Comparator.naturalOrder());
    for (Line part : line.parts()) {
      for (String word : part.words()) {
        CellText cell = CellText.of(word);
        families
            .computeIfAbsent(cell.family(), family -> new TreeSet<>(CellComparatorImpl.COMPARATOR))
            .add(
                new KeyValue(
                    Bytes.toBytes(part.verb()),
                    cell.familyBytes(),
                    cell.qualifierBytes(),
                    cell.timestamp(clock),
                    cell.value() == null ? KeyValue.Type.DeleteColumn : KeyValue.Type.Put,
                    cell.value() == null ? new byte[0] : cell.valueBytes()));
      }
    }
    return families;
  }
}
