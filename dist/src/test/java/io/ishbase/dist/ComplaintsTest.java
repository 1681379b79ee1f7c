package io.ishbase.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One line for what somebody gets wrong, before anything is begun. */
class ComplaintsTest {
  @TempDir private Path directory;

  @Test
  void aCapWithoutNetworkNamespaces() {
    for (String command : List.of("up", "demo")) {
      assertThat(Outcome.complaint(command, "--loopback", "--mbps", "100"))
          .as(command)
          .isEqualToIgnoringNewLines(
              "ishbase: No cap without network namespaces: leave --mbps or --loopback away");
    }
  }

  @Test
  void whatCanBeNoTablesName() {
    assertThat(
            Outcome.complaint(
                "attach", "--hbase-conf", directory.toString(), "--table", "bad table"))
        .startsWith("ishbase: 'bad table' cannot be a table's name:");
  }

  @Test
  void aConfigurationThatIsNoXmlIsNamed() throws IOException {
    Path site = Files.writeString(directory.resolve("hbase-site.xml"), "<configuration><property>");
    assertThat(Outcome.complaint("doctor", "--hbase-conf", directory.toString()))
        .contains("ishbase: a configuration file is no XML:")
        .contains(site.toString());
  }

  /** HBase's client lists what each of its tries ended with, and where. */
  @Test
  void anHBaseThatDoesNotAnswer() {
    Configuration conf = new Configuration(false);
    conf.set("hbase.zookeeper.quorum", "zk1,zk2");
    conf.set("hbase.zookeeper.property.clientPort", "2182");
    IOException last = new IOException("ConnectionLoss for /hbase/master\n\tat somewhere");
    IOException tries = new IOException("Failed after attempts=3, exceptions:\nfirst\n", last);
    assertThat(TargetCluster.noAnswer(conf, tries))
        .hasMessage(
            "No HBase answers with ZooKeeper at zk1:2182,zk2:2182: ConnectionLoss for"
                + " /hbase/master");
  }

  @Test
  void aDirectoryThatCannotBeMade() throws IOException {
    Path file = Files.writeString(directory.resolve("file"), "");
    String there = file.toString();
    assertThat(Outcome.complaint("sim", "plan", "docs/plan-example.conf", "--out", there + "/x"))
        .contains("--out " + there + "/x is no directory and cannot become one");
  }
}
