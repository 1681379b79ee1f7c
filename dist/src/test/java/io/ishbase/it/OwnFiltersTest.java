package io.ishbase.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.core.Reason;
import io.ishbase.dist.Main;
import io.ishbase.dist.cluster.ClusterProbe;
import io.ishbase.plugin.metrics.InStorageMetrics;
import io.ishbase.protocol.generated.IssnProtos.FilterScope;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.filter.FilterList;
import org.apache.hadoop.hbase.filter.PrefixFilter;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.EnvironmentEdgeManager;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/**
 * Filter classes of a user's own: pushed down if they are declared and the daemon knows them, else
 * applied where HBase applies them. And what {@code explain} says of reads.
 */
@OwnJvm
class OwnFiltersTest {
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final byte[] QUALIFIER = Bytes.toBytes("q");
  private static final TableName NAME = TableName.valueOf("own");
  private static final int ROWS = 300;
  private static final byte LAST = '7';

  private static MiniCluster cluster;

  @BeforeAll
  static void start() throws Exception {
    cluster =
        MiniCluster.start(
            conf -> {
              conf.set(
                  "ishbase.filters.cell.local",
                  OwnFilters.Declared.class.getName()
                      + ", "
                      + OwnFilters.UnknownThere.class.getName());
              conf.set("ishbase.read", MiniCluster.IN_STORAGE);
              conf.setInt("hbase.regionserver.info.port", 0);
            });
    cluster.startDaemons(
        conf -> conf.set("ishbase.filters.cell.local", OwnFilters.Declared.class.getName()));
    cluster
        .util
        .getAdmin()
        .createTable(
            TableDescriptorBuilder.newBuilder(NAME)
                .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
                .build());
    try (Table table = cluster.connection().getTable(NAME)) {
      List<Put> puts = new ArrayList<>();
      for (int row = 0; row < ROWS; row++) {
        puts.add(
            new Put(RandomCells.row(row))
                .addColumn(FAMILY, QUALIFIER, Bytes.toBytes("value " + row)));
      }
      table.put(puts);
    }
    cluster.util.flush(NAME);
    MiniCluster.await(
        "an answer from a daemon",
        () -> {
          try {
            ReadCheck.scan(cluster.connection(), NAME, new Scan());
            return InStorageMetrics.get().cells() >= ROWS;
          } catch (IOException e) {
            throw new AssertionError(e);
          }
        });
  }

  @AfterAll
  static void stop() throws Exception {
    cluster.close();
  }

  /** What a scan with a filter cost. */
  private record Cost(long pushed, long cells, long filterFallbacks) {}

  private static Cost scan(Filter filter) throws IOException {
    InStorageMetrics metrics = InStorageMetrics.get();
    Scan stock = MiniCluster.in(MiniCluster.STOCK, new Scan()).setFilter(filter);
    List<String> expected = ReadCheck.scan(cluster.connection(), NAME, stock);
    assertThat(expected).hasSize(ROWS / 10);
    long pushed = metrics.pushedFilters(FilterScope.BY_VERSION);
    long cells = metrics.cells();
    long fallbacks = metrics.fallbacks(Reason.FILTER);
    assertThat(ReadCheck.scan(cluster.connection(), NAME, new Scan().setFilter(filter)))
        .isEqualTo(expected);
    return new Cost(
        metrics.pushedFilters(FilterScope.BY_VERSION) - pushed,
        metrics.cells() - cells,
        metrics.fallbacks(Reason.FILTER) - fallbacks);
  }

  @Test
  void aDeclaredClassIsPushedDown() throws Exception {
    Filter filter = new OwnFilters.Declared(LAST);
    assertThat(scan(filter)).isEqualTo(new Cost(1, ROWS / 10, 0));
    assertThat(scan(new FilterList(new PrefixFilter(Bytes.toBytes("row")), filter)))
        .isEqualTo(new Cost(1, ROWS / 10, 0));
  }

  @Test
  void anUndeclaredClassIsNot() throws Exception {
    assertThat(scan(new OwnFilters.Undeclared(LAST))).isEqualTo(new Cost(0, ROWS, 0));
  }

  @Test
  void aClassThatTheDaemonDoesNotKnowIsAppliedHere() throws Exception {
    Filter filter = new OwnFilters.UnknownThere(LAST);
    // The quarantine lasts a second of the region server's clock, which stands.
    AtomicLong clock = new AtomicLong(EnvironmentEdgeManager.currentTime());
    EnvironmentEdgeManager.injectEdge(clock::get);
    try {
      assertThat(scan(filter)).isEqualTo(new Cost(1, ROWS, 1));
      clock.addAndGet(999);
      assertThat(scan(filter)).isEqualTo(new Cost(0, ROWS, 0));
      // The quarantine of one class is not that of others, not even in a list.
      assertThat(scan(new FilterList(new OwnFilters.Declared(LAST))).pushed()).isEqualTo(1);
      try (ClusterProbe probe = new ClusterProbe(cluster.util.getConfiguration())) {
        assertThat(probe.quarantined())
            .anyMatch(name -> name.startsWith(OwnFilters.UnknownThere.class.getName()));
      }
      clock.addAndGet(1);
      assertThat(scan(filter)).as("tried again").isEqualTo(new Cost(1, ROWS, 1));
    } finally {
      EnvironmentEdgeManager.reset();
    }
  }

  /** What {@code ./ishbase explain} prints. */
  private static List<String> explain(String... arguments) {
    List<String> all = new ArrayList<>(List.of("explain", NAME.getNameAsString(), "--zookeeper"));
    all.add("localhost:" + cluster.util.getZkCluster().getClientPort());
    all.addAll(List.of(arguments));
    PrintStream before = System.out;
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
    try {
      assertThat(new CommandLine(new Main()).execute(all.toArray(new String[0]))).isZero();
    } finally {
      System.setOut(before);
    }
    return printed.toString(StandardCharsets.UTF_8).lines().toList();
  }

  @Test
  void explainShowsFilesNodesAndPushdown() throws Exception {
    String file =
        cluster.regions(NAME).get(0).getStore(FAMILY).getStorefiles().stream()
            .map(storeFile -> storeFile.getPath().getName())
            .findFirst()
            .orElseThrow();
    long cells = InStorageMetrics.get().cells();
    List<String> lines = explain();
    assertThat(lines.get(0)).isEqualTo("family f of region " + regionName());
    assertThat(lines.get(1)).isEqualTo("in-storage reads");
    assertThat(lines.get(2)).startsWith("asks 127.0.0.1,").contains("/own/");
    assertThat(lines.get(3)).isEqualTo("  " + file);
    assertThat(lines)
        .contains(
            "  no other file and no memstore has cells that the reader may see",
            "  leaves gaps behind 2 versions of a column",
            "the memstore has no cells");
    assertThat(explain("--filter", "ValueFilter(=,'substring:7')"))
        .anyMatch(line -> line.matches("  applies ValueFilter.* judging by cell"));
    assertThat(explain("--filter", "WHILE ValueFilter(=,'substring:7')"))
        .anyMatch(
            line -> line.matches("  does not apply WhileMatchFilter.*: it may end the scan .*"));
    assertThat(explain("--columns", "f:q", "--limit", "3"))
        .contains("  leaves out all but 1 columns", "the client takes 3 rows at most at a time");
    assertThat(explain("--get", "zzz"))
        .anyMatch(line -> line.matches("does not read .*" + file + ": it has none of the rows"));
    assertThat(InStorageMetrics.get().cells()).as("nothing is read").isEqualTo(cells);
  }

  private static String regionName() {
    return cluster.regions(NAME).get(0).getRegionInfo().getRegionNameAsString();
  }
}
