package io.ishbase.dist;

import static io.ishbase.dist.Outcome.complaint;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An HBase whose files are not on the default file system, which does not answer. */
class SnapshotScanCommandTest {
  @TempDir private Path directory;

  @BeforeEach
  void configure() throws IOException {
    site("hbase-site.xml", "hbase.rootdir", directory.resolve("root").toUri().toString());
    site("core-site.xml", "fs.defaultFS", "hdfs://localhost:1");
  }

  private void site(String file, String key, String value) throws IOException {
    Files.writeString(
        directory.resolve(file),
        "<configuration><property><name>%s</name><value>%s</value></property></configuration>"
            .formatted(key, value));
  }

  private String complaintOf(String restoreDirectory) {
    return complaint(
        "snapshot-scan", "nope", "--conf", directory.toString(), "--restore-dir", restoreDirectory);
  }

  @Test
  void linksAreMadeWhereTheFilesAre() {
    assertThat(complaintOf(directory.resolve("links").toString()))
        .contains("There is no snapshot 'nope'");
  }

  @Test
  void linksToAnotherFileSystemThereAreNone() {
    assertThat(complaintOf("hdfs://localhost:1/tmp"))
        .startsWith(
            "ishbase: --restore-dir is a directory of the file system of hbase.rootdir, file:")
        .hasLineCount(1);
  }
}
