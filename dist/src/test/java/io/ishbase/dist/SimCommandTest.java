package io.ishbase.dist;

import static io.ishbase.dist.Outcome.complaint;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a user gets wrong is one line. */
class SimCommandTest {
  @TempDir private Path directory;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "cell.bytes=0",
        "cell.bytes=1e6",
        "blocks=0",
        "blocks=1e9",
        "scan.rows=0",
        "scan.rpc.cells=0",
        "block.regions=0",
        "clients=0",
        "requests=0",
        "line.mbps=0",
        "alpha=2",
        "cache=Infinity",
        "nonsense=1",
        "keys=1"
      })
  void aParameterThatCannotBeIsNamed(String change) {
    assertThat(complaint("sim", "fig20", "--quick", "--out", directory.toString(), "--set", change))
        .startsWith("ishbase: ")
        .contains(change.substring(0, change.indexOf('=')))
        .hasLineCount(1);
  }

  @Test
  void whatIsNoFileOfAPlanIsNamed() throws IOException {
    assertThat(complaint("sim", "plan", directory.toString()))
        .isEqualTo("ishbase: " + directory + " is a directory: name one file\n");
    Path huge = Files.writeString(directory.resolve("huge"), "#\n".repeat(1 << 20));
    assertThat(complaint("sim", "plan", huge.toString()))
        .startsWith("ishbase: " + huge + " has more than 1 MB")
        .hasLineCount(1);
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 0, 40_000})
  void threadsThatCannotBeAreNamed(int threads) {
    assertThat(
            complaint(
                "sim",
                "fig20",
                "--quick",
                "--out",
                directory.toString(),
                "--threads",
                Integer.toString(threads)))
        .isEqualTo("ishbase: --threads is 1 to 32767, not " + threads + "\n");
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 0, 2_000_000_000})
  void seedsThatCannotBeAreNamed(int seeds) {
    assertThat(complaint("sim", "fig20", "--quick", "--seeds", Integer.toString(seeds)))
        .isEqualTo("ishbase: --seeds is 1 to 1000, not " + seeds + "\n");
  }

  @Test
  void aPlaceThatIsNoDirectoryIsNamed() throws IOException {
    Path file = Files.writeString(directory.resolve("file"), "not a directory");
    assertThat(complaint("sim", "fig24", "--quick", "--out", file.toString()))
        .startsWith("ishbase: --out " + file)
        .hasLineCount(1);
  }
}
