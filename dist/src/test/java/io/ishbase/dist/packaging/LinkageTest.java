package io.ishbase.dist.packaging;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.dist.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The jars of a release beside other versions of HBase, class file by class file. */
final class LinkageTest {
  @TempDir private static Path directory;
  private static BuiltRelease built;

  @BeforeAll
  static void build() throws IOException, InterruptedException {
    built = new BuiltRelease(directory);
  }

  @ParameterizedTest
  @ValueSource(strings = {"2.5.10", "2.5.13", "2.6.1"})
  void everythingIsThere(String version) throws IOException, InterruptedException {
    Outcome fetched =
        Commands.run(
            directory,
            System.getenv(),
            List.of(Path.of("../ishbase").toRealPath().toString(), "versions", "--fetch", version));
    assertThat(fetched.code()).as(fetched.out() + fetched.err()).isZero();
    assertThat(
            Linkage.faults(built.beside(Path.of("target", "hbase-" + version)), built.installed()))
        .isEmpty();
  }

  @Test
  void withoutHBaseNothingIs() throws IOException {
    Path none = Files.createDirectories(directory.resolve("none"));
    assertThat(Linkage.faults(built.beside(none), built.installed()))
        .anyMatch(fault -> fault.endsWith("no class org/apache/hadoop/hbase/regionserver/HRegion"))
        .anyMatch(fault -> fault.endsWith(" overrides nothing"));
  }
}
