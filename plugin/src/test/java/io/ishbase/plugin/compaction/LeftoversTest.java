package io.ishbase.plugin.compaction;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LeftoversTest {
  @TempDir private java.nio.file.Path directory;
  private boolean fails;

  private final RawLocalFileSystem fs =
      new RawLocalFileSystem() {
        @Override
        public boolean delete(Path path, boolean recursive) throws IOException {
          if (fails) {
            throw new IOException("safe mode");
          }
          return super.delete(path, recursive);
        }
      };

  @BeforeEach
  void start() throws IOException {
    fs.initialize(java.net.URI.create("file:///"), new Configuration());
  }

  private Path make(String name) throws IOException {
    return new Path(Files.createDirectories(directory.resolve(name)).toString());
  }

  @Test
  void onlyWhatCouldNotBeDeletedHereIsSwept() throws IOException {
    Path own = make("region/.tmp/ishbase-compaction-own");
    Path moved = make("region/.tmp/f/moved");
    Path ofOther = make("region/.tmp/ishbase-compaction-other");
    Path elsewhere = make("region2/.tmp/ishbase-compaction-own");
    fails = true;
    for (Path path : new Path[] {own, moved, elsewhere}) {
      Leftovers.delete(fs, path);
    }
    fails = false;
    Leftovers.sweep(fs, own.getParent());
    assertThat(fs.exists(own)).isFalse();
    assertThat(fs.exists(moved)).isFalse();
    assertThat(fs.exists(ofOther)).as("another server's").isTrue();
    assertThat(fs.exists(elsewhere)).isTrue();
    Leftovers.sweep(fs, elsewhere.getParent());
    assertThat(fs.exists(elsewhere)).isFalse();
  }
}
