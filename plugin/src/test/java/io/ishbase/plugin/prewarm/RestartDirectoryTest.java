package io.ishbase.plugin.prewarm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RestartDirectoryTest {
  @TempDir private Path home;

  @Test
  void isMadeForItsOwnerAlone() throws IOException {
    Path directory = home.resolve("a/b");
    assertThat(RestartDirectory.of(directory.toString())).isNotNull();
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory)))
        .isEqualTo("rwx------");
  }

  @Test
  void isNotUsedWhereOthersMayRead() throws IOException {
    Path directory =
        Files.createDirectory(
            home.resolve("open"),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-x---"));
    assertThat(RestartDirectory.of(directory.toString())).isNull();
  }

  @Test
  void isNotUsedUnlessItIsADirectory() throws IOException {
    assertThat(RestartDirectory.of("")).isNull();
    assertThat(RestartDirectory.of("not/absolute")).isNull();
    assertThat(RestartDirectory.of("/\0")).isNull();
    assertThat(RestartDirectory.of(Files.createFile(home.resolve("file")).toString())).isNull();
  }

  @Test
  void whatNobodyCameForIsSwept() throws IOException {
    RestartDirectory directory = RestartDirectory.of(home.resolve("swept").toString());
    assertThat(directory).isNotNull();
    String name = "0".repeat(32) + "." + "f".repeat(32);
    Path old = Files.createFile(home.resolve("swept/" + name + ".rows"));
    Files.setLastModifiedTime(old, FileTime.fromMillis(0));
    Path oldFlushed = Files.createFile(home.resolve("swept/" + name + ".flushed.rows"));
    Files.setLastModifiedTime(oldFlushed, FileTime.fromMillis(0));
    Path fresh = Files.createFile(home.resolve("swept/1" + name.substring(1) + ".rows"));
    Files.setLastModifiedTime(fresh, FileTime.fromMillis(System.currentTimeMillis() + 60_000));
    Path others = Files.createFile(home.resolve("swept/orders.rows"));
    Files.setLastModifiedTime(others, FileTime.fromMillis(0));
    directory.sweep();
    assertThat(old).doesNotExist();
    assertThat(oldFlushed).doesNotExist();
    assertThat(fresh).exists();
    assertThat(others).exists();
  }
}
