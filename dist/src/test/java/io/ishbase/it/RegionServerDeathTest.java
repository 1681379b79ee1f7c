package io.ishbase.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.plugin.metrics.InStorageMetrics;
import io.ishbase.testing.Await;
import io.ishbase.testing.Seed;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A region server's process is killed while it takes writes, flushes, compacts at a worker and
 * fills its segment cache. What it had acknowledged is there afterwards, and nothing else.
 */
class RegionServerDeathTest {
  private static final TableName NAME = TableName.valueOf("deaths");
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final byte[] QUALIFIER = Bytes.toBytes("q");
  private static final int ROWS = 400;
  private static final int WRITES_BEFORE = 3000;
  private static final int WRITES_AFTER = 300;

  @TempDir private Path directory;

  private final Random random = new Random(Seed.get());
  private final Map<String, String> acknowledged = new TreeMap<>();
  private final AtomicInteger writes = new AtomicInteger();
  private final AtomicInteger writesAtDeath = new AtomicInteger(Integer.MAX_VALUE / 2);

  @Test
  void whatWasAcknowledgedSurvivesAKill() throws Exception {
    try (MiniCluster cluster =
        MiniCluster.start(
            conf -> {
              CompactionDifferentialTest.offload(conf);
              conf.setInt("ishbase.cache.bytes", 8 << 20);
              conf.setInt("zookeeper.session.timeout", 15_000);
            })) {
      cluster.startDaemons();
      try (RegionServerProcess victim =
          new RegionServerProcess(cluster.util.getConfiguration(), directory)) {
        moveTo(victimName(cluster), cluster, victim);
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try {
          Future<?> writer = threads.submit(() -> write(cluster));
          Future<?> reader = threads.submit(() -> readWhatGrows(cluster));
          for (int flush = 1; flush <= 4; flush++) {
            int next = flush * WRITES_BEFORE / 4;
            Await.until(next + " writes", () -> writes.get() >= next || writer.isDone());
            cluster.util.getAdmin().flush(NAME);
          }
          cluster.util.getAdmin().majorCompact(NAME);
          int now = writes.get();
          Await.until("more writes", () -> writes.get() > now + 50 || writer.isDone());
          victim.kill();
          writesAtDeath.set(writes.get());
          writer.get(3, TimeUnit.MINUTES);
          reader.get(1, TimeUnit.MINUTES);
        } finally {
          threads.shutdownNow();
        }
        assertThat(cluster.regions(NAME)).as("regions that came over").hasSize(3);
        long cells = InStorageMetrics.get().cells();
        for (String mode : new String[] {MiniCluster.STOCK, MiniCluster.IN_STORAGE}) {
          assertThat(all(cluster, mode)).as(mode).isEqualTo(acknowledged);
        }
        // The dead server's memstores were written to files when the logs were replayed.
        assertThat(InStorageMetrics.get().cells()).isGreaterThanOrEqualTo(cells + ROWS / 2);
        assertThat(all(cluster, MiniCluster.IN_STORAGE)).as("cached").isEqualTo(acknowledged);
        assertThat(NodesBean.checkCache()).isEmpty();
      }
    }
  }

  private static ServerName victimName(MiniCluster cluster) throws IOException {
    Admin admin = cluster.util.getAdmin();
    ServerName mine = cluster.util.getMiniHBaseCluster().getRegionServer(0).getServerName();
    Await.until("the region server", () -> others(admin, mine) != null);
    return others(admin, mine);
  }

  private static ServerName others(Admin admin, ServerName mine) {
    try {
      return admin.getRegionServers().stream()
          .filter(server -> !server.equals(mine))
          .findFirst()
          .orElse(null);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void moveTo(ServerName server, MiniCluster cluster, RegionServerProcess process)
      throws Exception {
    Admin admin = cluster.util.getAdmin();
    admin.createTable(
        TableDescriptorBuilder.newBuilder(NAME)
            .setColumnFamily(
                ColumnFamilyDescriptorBuilder.newBuilder(FAMILY).setMaxVersions(3).build())
            .build(),
        new byte[][] {RandomCells.row(ROWS / 3), RandomCells.row(2 * ROWS / 3)});
    admin.balancerSwitch(false, true);
    // Until its znode is there the master takes a new server for a dead one, and moves nothing to
    // it.
    Await.until(
        "the regions to move",
        () -> {
          for (HRegion region : cluster.regions(NAME)) {
            move(region, server, cluster);
          }
          return cluster.regions(NAME).isEmpty() || !process.isAlive();
        });
    assertThat(process.isAlive()).as(process::lastLines).isTrue();
  }

  private static void move(HRegion region, ServerName server, MiniCluster cluster) {
    try {
      cluster.util.getAdmin().move(region.getRegionInfo().getEncodedNameAsBytes(), server);
      cluster.util.waitUntilNoRegionsInTransition();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Rows whose numbers grow. A put that the death interrupts is repeated by the client. */
  private Void write(MiniCluster cluster) throws IOException {
    try (Table table = cluster.connection().getTable(NAME)) {
      while (writes.get() < writesAtDeath.get() + WRITES_AFTER) {
        byte[] row = RandomCells.row(random.nextInt(ROWS));
        String value = String.format("%08d", writes.get());
        table.put(new Put(row).addColumn(FAMILY, QUALIFIER, Bytes.toBytes(value)));
        synchronized (acknowledged) {
          acknowledged.put(Bytes.toString(row), value);
        }
        writes.incrementAndGet();
      }
    }
    return null;
  }

  /** No read is older than what was acknowledged before it began, whatever happens meanwhile. */
  private Void readWhatGrows(MiniCluster cluster) throws IOException {
    Random rows = new Random(random.nextLong());
    try (Table table = cluster.connection().getTable(NAME)) {
      while (writes.get() < writesAtDeath.get() + WRITES_AFTER) {
        String row = Bytes.toString(RandomCells.row(rows.nextInt(ROWS)));
        String before;
        synchronized (acknowledged) {
          before = acknowledged.get(row);
        }
        Result result =
            table.get(MiniCluster.in(MiniCluster.IN_STORAGE, new Get(Bytes.toBytes(row))));
        if (before != null) {
          assertThat(Bytes.toString(result.value())).isGreaterThanOrEqualTo(before);
        }
      }
    }
    return null;
  }

  private static Map<String, String> all(MiniCluster cluster, String mode) throws IOException {
    Map<String, String> rows = new TreeMap<>();
    try (Table table = cluster.connection().getTable(NAME);
        ResultScanner scanner = table.getScanner(MiniCluster.in(mode, new Scan()))) {
      for (Result result : scanner) {
        rows.put(Bytes.toString(result.getRow()), Bytes.toString(result.value()));
      }
    }
    return rows;
  }
}
