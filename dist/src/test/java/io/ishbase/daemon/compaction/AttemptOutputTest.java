package io.ishbase.daemon.compaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.it.OwnJvm;
import java.io.IOException;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is left of an attempt whose region server has given it up. */
@OwnJvm // HBase's mini clusters delete the directory in which Jetty unpacks what HDFS's pages need
class AttemptOutputTest {
  @TempDir private static Path base;
  private static MiniDFSCluster hdfs;
  private static FileSystem fs;

  @BeforeAll
  static void start() throws IOException {
    hdfs = new MiniDFSCluster.Builder(new Configuration(), base.toFile()).build();
    fs = hdfs.getFileSystem();
  }

  @AfterAll
  static void stop() {
    hdfs.shutdown();
  }

  private static org.apache.hadoop.fs.Path attemptOf(String region) {
    return new org.apache.hadoop.fs.Path("/data/t/" + region + "/.tmp/ishbase-compaction-1");
  }

  private static AttemptOutput begun(String region) throws IOException {
    fs.mkdirs(attemptOf(region));
    AttemptOutput output = new AttemptOutput(fs, attemptOf(region), new RemoteCache(0));
    assertThat(output.isWanted()).isTrue();
    return output;
  }

  private static void write(String region) throws IOException {
    fs.create(new org.apache.hadoop.fs.Path(attemptOf(region), "f/file")).close();
  }

  @Test
  void theDirectoryIsLeftToTheRegionServerThatMadeIt() throws IOException {
    AttemptOutput output = begun("open");
    write("open");
    output.delete();
    assertThat(fs.listStatus(attemptOf("open"))).isEmpty();
  }

  /** A worker that stood still between the look at the directory and the creation of a file. */
  @Test
  void aDirectoryThatAFileHasMadeAnewGoesWithIt() throws IOException {
    AttemptOutput output = begun("waited");
    org.apache.hadoop.fs.Path region = attemptOf("waited").getParent().getParent();
    fs.create(new org.apache.hadoop.fs.Path(region, ".regioninfo")).close();
    fs.delete(attemptOf("waited"), true);
    assertThat(new AttemptOutput(fs, attemptOf("waited"), new RemoteCache(0)).isWanted()).isFalse();
    write("waited");
    output.delete();
    assertThat(fs.exists(attemptOf("waited"))).isFalse();
    assertThat(fs.listStatus(region)).hasSize(1);
  }

  @Test
  void neitherDoesARegionComeBackThatIsArchived() throws IOException {
    AttemptOutput output = begun("archived");
    org.apache.hadoop.fs.Path region = attemptOf("archived").getParent().getParent();
    fs.delete(region, true);
    output.delete();
    write("archived");
    output.delete();
    assertThat(fs.exists(region)).isFalse();
    assertThat(fs.exists(region.getParent())).isTrue();
  }
}
