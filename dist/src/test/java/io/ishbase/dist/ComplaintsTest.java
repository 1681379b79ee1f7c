package io.ishbase.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One line for what somebody gets wrong, before anything is begun. */
class ComplaintsTest {
  @TempDir private Path directory;

  @Test
  void aCapWithoutNetworkNamespaces() {
    assertThat(Outcome.complaint("up", "--loopback", "--mbps", "100"))
        .isEqualToIgnoringNewLines(
            "ishbase: No cap without network namespaces: leave --mbps or --loopback away");
  }

  @Test
  void aConfigurationThatIsNoXmlIsNamed() throws IOException {
    Path site = Files.writeString(directory.resolve("hbase-site.xml"), "<configuration><property>");
    assertThat(Outcome.complaint("doctor", "--hbase-conf", directory.toString()))
        .contains("ishbase: a configuration file is no XML:")
        .contains(site.toString());
  }

  @Test
  void aDirectoryThatCannotBeMade() throws IOException {
    Path file = Files.writeString(directory.resolve("file"), "");
    String there = file.toString();
    assertThat(Outcome.complaint("sim", "plan", "docs/plan-example.conf", "--out", there + "/x"))
        .contains("--out " + there + "/x is no directory and cannot become one");
  }
}
