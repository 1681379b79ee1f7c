package io.ishbase.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MachineLimitsTest {
  @TempDir private Path root;

  private long bytes(String groups) throws IOException {
    return MachineLimits.groupBytes(
        Files.writeString(root.resolve("groups"), groups), root.resolve("fs"), 1000);
  }

  private void limit(String group, String text) throws IOException {
    Path directory = Files.createDirectories(root.resolve("fs").resolve(group));
    Files.writeString(directory.resolve("memory.max"), text + "\n");
  }

  @Test
  void theLeastLimitOnTheWayUpCounts() throws IOException {
    limit("", "max");
    limit("a", "500");
    limit("a/b", "700");
    assertThat(bytes("0::/a/b\n")).isEqualTo(500);
    limit("a/b", "300");
    assertThat(bytes("0::/a/b\n")).isEqualTo(300);
  }

  @Test
  void noLimitIsNone() throws IOException {
    limit("a", "max");
    limit("b", "nonsense");
    assertThat(bytes("0::/a\n")).isEqualTo(1000);
    assertThat(bytes("0::/b\n")).isEqualTo(1000);
    assertThat(bytes("0::/../../..\n")).isEqualTo(1000);
    assertThat(bytes("4:memory:/a\n")).isEqualTo(1000);
    assertThat(MachineLimits.groupBytes(root.resolve("none"), root, 1000)).isEqualTo(1000);
  }

  @Test
  void thisMachineHasSome() {
    assertThat(MachineLimits.memoryBytes()).isGreaterThan(1L << 28);
    assertThat(MachineLimits.processors()).isPositive();
  }
}
