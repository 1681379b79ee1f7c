package io.ishbase.dist;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ishbase.cluster.sample.ClusterSample;
import io.ishbase.cluster.sample.Spread;
import io.ishbase.cluster.sample.TableSample;
import io.ishbase.sim.plan.Inputs;
import io.ishbase.sim.plan.PlanFile;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

/** What a plan's input says of clusters that show all, or next to nothing. */
class PlanOfClusterTextTest {
  private static final double GB = 1 << 30;

  private static TableSample shown(String name, double bytes, long reads, long writes) {
    return new TableSample(
        name,
        12,
        bytes,
        4,
        Optional.of(new Spread(0.5, 2.25, 5)),
        Optional.of(new Spread(1000, 1200.4, 1500)),
        Optional.of(new TableSample.Schema(List.of("f: ZSTD, FAST_DIFF"), 65_536, true, 2)),
        reads,
        writes,
        Optional.of(new TableSample.Kinds(0.5, 0.05, true)));
  }

  private static TableSample hidden(String name) {
    return hidden(name, 1);
  }

  private static TableSample hidden(String name, double unpacked) {
    return new TableSample(
        name,
        3,
        GB,
        unpacked,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        7_000,
        0,
        Optional.empty());
  }

  private static ClusterSample cluster(List<TableSample> tables) {
    return new ClusterSample(
        10,
        4,
        OptionalDouble.of(16),
        OptionalDouble.of(6.4 * GB),
        16 * GB,
        OptionalInt.of(9),
        Map.of("hbase.hregion.memstore.flush.size", "268435456", "dfs.replication", "3"),
        tables,
        List.of());
  }

  @Test
  void whatIsShownStandsThere() {
    List<String> lines =
        PlanOfCluster.lines(
            cluster(List.of(shown("ns:users", 300 * GB, 40_000, 5_000))), "zk:2181");
    assertThat(lines)
        .containsExactly(
            "# What the cluster at zk:2181 showed of itself within 10 s.",
            "# Put right what is marked as assumed, then: ./ishbase sim plan THIS-FILE",
            "",
            "region.servers = 4",
            "region.server.cores = 16",
            "region.server.mbps = 10000 (1000 to 25000)   # assumed: HBase does not know",
            "block.cache = 6.4 GB",
            "storage.nodes = 9",
            "storage.cores = 16 (8 to 32)   # assumed: as the region servers have",
            "storage.mbps = 10000 (1000 to 25000)   # assumed: HBase does not know",
            "",
            "flush.bytes = 256 MB",
            "replication = 2   # on average over all bytes; ns:users says 2",
            "",
            "[table ns:users]",
            "# f: ZSTD, FAST_DIFF",
            "regions = 12",
            "bytes = 300 GB",
            "row.bytes = 300.1 (125 to 375)   # HBase does not say how small encoding makes them",
            "block.bytes = 16 KB",
            "unpacked = 4",
            "files = 2.25 (1 to 5)",
            "# 40,000 rows read and 5,000 written in 10 s",
            "gets = 2000",
            "scans = 200",
            "scan.rows = 10",
            "puts = 500",
            "# skew: HBase does not know; see ./ishbase sim plan --parameters",
            "");
    Inputs inputs = PlanFile.read("f", lines);
    assertThat(inputs.middle().of("ns:users: scan.rows")).isEqualTo(10);
  }

  @Test
  void whatIsNotShownIsAssumedAndSaid() {
    ClusterSample sample =
        new ClusterSample(
            10,
            4,
            OptionalDouble.empty(),
            OptionalDouble.empty(),
            16 * GB,
            OptionalInt.empty(),
            Map.of(),
            List.of(hidden("t")),
            List.of("The page of rs1:16020 is not shown: refused"));
    List<String> lines = PlanOfCluster.lines(sample, "zk:2181");
    assertThat(lines)
        .contains(
            "# The page of rs1:16020 is not shown: refused",
            "region.server.cores = 8 (4 to 32)   # assumed: no server's page is shown",
            "block.cache = 6.4 GB   # assumed: what HBase takes of the heap",
            "storage.nodes = 4 (4 to 16)   # assumed: as many as region servers, or more",
            "row.bytes = 1000 (100 to 10000)   # assumed: no row could be read",
            "# 7,000 rows read and 0 written in 10 s; of which kind the reads are is not shown:"
                + " taken for Gets",
            "gets = 700",
            "scans = 0",
            "puts = 0");
    assertThat(PlanFile.read("f", lines).tables()).hasSize(1);
  }

  /** A page of hundreds of tables would take hours and say little. */
  @Test
  void theTablesThatMatterArePlannedFor() {
    List<TableSample> tables = new ArrayList<>();
    for (int i = 10; i < 40; i++) {
      tables.add(shown("t" + i, i == 25 ? 500 * GB : GB, i == 30 ? 90_000 : i, 0));
    }
    tables.add(shown("empty", 0, 0, 0));
    List<String> lines = PlanOfCluster.lines(cluster(tables), "zk:2181");
    assertThat(PlanFile.read("f", lines).tables())
        .hasSize(12)
        .extracting(Inputs.Table::name)
        .isSorted()
        .contains("t25", "t30", "t39")
        .doesNotContain("t10", "empty");
    assertThat(lines)
        .contains("# left out, others matter more: t10, 1 GB, 10 rows read, 0 written")
        .contains("# left out, next to nothing in it: empty, 0, 0 rows read, 0 written");
  }

  @Test
  void wideRowsAndNoLoadAreSaid() {
    TableSample wide =
        new TableSample(
            "wide",
            1,
            GB,
            1,
            Optional.empty(),
            Optional.of(new Spread(10, 1e6, 1e7)),
            Optional.empty(),
            0,
            0,
            Optional.empty());
    List<String> lines = PlanOfCluster.lines(cluster(List.of(wide)), "zk:2181");
    assertThat(lines)
        .contains(
            "# No client asked for anything meanwhile: give gets, scans, puts by hand.",
            "row.bytes = 65000 (10 to 65000)   # wider rows than a plan can have");
  }

  @Test
  void aClusterWithoutTablesIsNoPlan() {
    assertThatThrownBy(() -> PlanOfCluster.lines(cluster(List.of()), "zk:2181"))
        .isInstanceOf(CliException.class)
        .hasMessage(
            "The cluster at zk:2181 has no user table with rows in it: there is nothing to plan");
  }

  /** Whatever HBase is set to, its plan can be read. */
  @Test
  void unusualSettingsAreNoObstacle() {
    Map<String, String> unusual =
        Map.of(
            "hbase.hregion.memstore.flush.size", "1024",
            "hbase.hregion.majorcompaction", "1",
            "dfs.replication", "600");
    for (TableSample table : List.of(hidden("t"), hidden("t", 40), shown("t", GB, 1, 1))) {
      ClusterSample sample =
          new ClusterSample(
              10,
              4,
              OptionalDouble.empty(),
              OptionalDouble.empty(),
              16 * GB,
              OptionalInt.empty(),
              unusual,
              List.of(table),
              List.of());
      List<String> lines = PlanOfCluster.lines(sample, "zk:2181");
      assertThat(PlanFile.read("f", lines).tables()).hasSize(1);
    }
  }
}
