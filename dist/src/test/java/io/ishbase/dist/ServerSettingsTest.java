package io.ishbase.dist;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

final class ServerSettingsTest {
  @TempDir private Path dir;

  @Command
  private static final class Holder {
    @Mixin private ServerSettings settings;
  }

  private static ServerSettings parse(String... arguments) {
    Holder holder = new Holder();
    new CommandLine(holder).parseArgs(arguments);
    return holder.settings;
  }

  @Test
  void propertiesMayBeRepeatedAndHoldEqualSigns() {
    assertThat(parse("--site", "a.b=1", "--site", "c=d=e").site())
        .isEqualTo(Map.of("a.b", "1", "c", "d=e"));
    assertThat(parse().site()).isEmpty();
  }

  @Test
  void whatTheClusterNeedsOrNoServerTakesIsRefused() {
    for (String key :
        new String[] {
          "hbase.rootdir",
          "hbase.zookeeper.quorum",
          "hbase.regionserver.info.port",
          "ishbase.issn.datanode",
          "dfs.datanode.data.dir"
        }) {
      assertThatThrownBy(() -> parse("--site", key + "=x").site())
          .isInstanceOf(CliException.class)
          .hasMessageContaining(key);
    }
    assertThatThrownBy(() -> parse("--site", "ishbase.batch.first.bytes=10").site())
        .hasMessageContaining("ishbase.batch.first.bytes = '10': must be a whole number from 256");
    assertThatThrownBy(() -> parse("--site", "ishbase.none=10").site())
        .hasMessageContaining("There is no setting ishbase.none");
  }

  @Test
  void aClassPathIsOfJarsAndDirectoriesOfJars() throws IOException {
    Path one = Files.createFile(dir.resolve("one.jar"));
    Path more = Files.createDirectory(dir.resolve("more"));
    Path two = Files.createFile(more.resolve("two.jar"));
    Path three = Files.createFile(more.resolve("three.jar"));
    Files.createFile(more.resolve("readme.txt"));

    assertThat(parse("--classpath", one + ":" + more).jars()).containsExactly(one, three, two);
    assertThat(parse("--classpath", more.toString(), "--classpath", one.toString()).jars())
        .containsExactly(three, two, one);
    Path none = dir.resolve("none.jar");
    assertThatThrownBy(() -> parse("--classpath", none.toString()).jars())
        .isInstanceOf(CliException.class)
        .hasMessageContaining("--classpath " + none);
  }
}
