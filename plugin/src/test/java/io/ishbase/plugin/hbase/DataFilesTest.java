package io.ishbase.plugin.hbase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.FileNotFoundException;
import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.io.HFileLink;
import org.apache.hadoop.hbase.util.HFileArchiveUtil;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DataFilesTest {
  private static final TableName TABLE = TableName.valueOf("space", "table");
  private static final String REGION = "0123456789abcdef0123456789abcdef";
  private static final String OTHER = "fedcba9876543210fedcba9876543210";
  private static final String NAME = "a1b2c3";

  @TempDir private java.nio.file.Path directory;
  private final Configuration conf = new Configuration();
  private FileSystem fs;
  private Path root;
  private Path data;
  private Path archived;

  @BeforeEach
  void makeFile() throws IOException {
    fs = FileSystem.getLocal(conf);
    root = fs.makeQualified(new Path(directory.toString()));
    conf.set(HConstants.HBASE_DIR, root.toString());
    data = new Path(root, "data/space/table/" + REGION + "/f/" + NAME);
    archived = new Path(HFileArchiveUtil.getStoreArchivePath(conf, TABLE, REGION, "f"), NAME);
    fs.create(data).close();
  }

  private void archive() throws IOException {
    fs.mkdirs(archived.getParent());
    fs.rename(data, archived);
  }

  @Test
  void aFileIsFollowedIntoTheArchive() throws IOException {
    assertThat(DataFiles.now(conf, fs, data)).isEqualTo(data);
    archive();
    assertThat(DataFiles.now(conf, fs, data)).isEqualTo(archived);
    assertThat(DataFiles.now(conf, fs, archived)).isEqualTo(archived);
    fs.delete(archived, false);
    assertThatThrownBy(() -> DataFiles.now(conf, fs, data))
        .isInstanceOf(FileNotFoundException.class);
  }

  @Test
  void aFilesCellsLieWhereItsLinkOrItsHalfLeads() throws IOException {
    Path family = new Path(root, "data/space/clone/" + OTHER + "/f");
    Path link = new Path(family, HFileLink.createHFileLinkName(TABLE, REGION, NAME));
    Path half = new Path(family, NAME + "." + REGION);
    Path wholeOfHalf = new Path(root, "data/space/clone/" + REGION + "/f/" + NAME);
    Path halfOfLink = new Path(family, link.getName() + "." + REGION);
    assertThat(DataFiles.target(conf, fs, data)).isEqualTo(data);
    assertThat(DataFiles.target(conf, fs, half)).isEqualTo(wholeOfHalf);
    assertThat(DataFiles.target(conf, fs, link)).isEqualTo(data);
    assertThat(DataFiles.target(conf, fs, halfOfLink)).isEqualTo(data);
    archive();
    assertThat(DataFiles.target(conf, fs, link)).isEqualTo(archived);
    assertThat(DataFiles.target(conf, fs, halfOfLink)).isEqualTo(archived);
    assertThat(DataFiles.whole(half)).isEqualTo(wholeOfHalf);
    assertThat(DataFiles.whole(halfOfLink)).isEqualTo(halfOfLink);
  }

  @Test
  void aRegionsOwnFilesAreInItsDirectory() {
    assertThat(DataFiles.isOf(REGION, data)).isTrue();
    assertThat(DataFiles.isOf(OTHER, data)).isFalse();
    assertThat(DataFiles.isOf(REGION, new Path("/f/" + NAME))).isFalse();
    assertThat(DataFiles.isOf(REGION, new Path("/x" + REGION.substring(1) + "/f/a"))).isFalse();
  }
}
