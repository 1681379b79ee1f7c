package io.ishbase.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.plugin.metrics.CompactionMetrics;
import io.ishbase.plugin.metrics.InStorageMetrics;
import io.ishbase.testing.Seed;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.hbase.MemoryCompactionPolicy;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Reads through the segment cache while rows are written and deleted, flushed, compacted at
 * workers, loaded in bulk, and their regions split and moved: a read finds what had been
 * acknowledged before it began or something newer, nothing that was not begun when it ended, and
 * every row. {@code -Dishbase.growing.steps=N} changes the files more often.
 */
@OwnJvm
class GrowingValuesTest {
  private static final int STEPS = Integer.getInteger("ishbase.growing.steps", 60);
  private static final int MAX_REGIONS = 4;
  private static final int WRITERS = 2;
  private static final int READERS = 2;

  private static MiniCluster cluster;

  private final AtomicBoolean done = new AtomicBoolean();

  @BeforeAll
  static void start() throws Exception {
    cluster =
        MiniCluster.start(
            conf -> {
              CompactionDifferentialTest.offload(conf);
              // Not for all rows of both tables: some are evicted all the time.
              conf.set("ishbase.answer.compression", "zstd");
              conf.set("ishbase.cache.compression", "zstd");
              conf.setLong("ishbase.cache.bytes", 128 << 10);
              conf.setInt("ishbase.batch.first.bytes", 512);
              conf.setInt("ishbase.batch.max.bytes", 2048);
            });
    cluster.util.getMiniHBaseCluster().startRegionServerAndWait(180_000);
    cluster.util.getAdmin().balancerSwitch(false, true);
    cluster.startDaemons();
  }

  @AfterAll
  static void stop() throws Exception {
    cluster.close();
  }

  private static ColumnFamilyDescriptorBuilder family() {
    return ColumnFamilyDescriptorBuilder.newBuilder(GrowingTable.FAMILY).setBlocksize(1024);
  }

  @Test
  void readsFindWhatWasAcknowledgedAndNothingOlder() throws Exception {
    List<GrowingTable> tables =
        List.of(
            new GrowingTable(
                cluster,
                "plain",
                family().setInMemoryCompaction(MemoryCompactionPolicy.NONE).build()),
            new GrowingTable(
                cluster,
                "versions",
                family()
                    .setMaxVersions(3)
                    .setInMemoryCompaction(MemoryCompactionPolicy.EAGER)
                    .build()));
    Random random = new Random(Seed.get());
    List<GrowingReader> readers = new ArrayList<>();
    List<Callable<Void>> tasks = new ArrayList<>();
    for (int i = 0; i < READERS; i++) {
      GrowingReader reader = new GrowingReader(new Random(random.nextLong()));
      readers.add(reader);
      tasks.add(() -> read(reader, tables));
    }
    for (int i = 0; i < WRITERS; i++) {
      int writer = i;
      Random own = new Random(random.nextLong());
      tasks.add(() -> write(writer, own, tables));
    }
    tasks.add(() -> changeFiles(new Random(random.nextLong()), tables));
    long offloaded = CompactionMetrics.get().offloaded();
    ExecutorService threads = Executors.newFixedThreadPool(tasks.size());
    try {
      for (Future<Void> task : threads.invokeAll(tasks, 15, TimeUnit.MINUTES)) {
        task.get();
      }
    } finally {
      threads.shutdownNow();
    }
    int gets = readers.stream().mapToInt(GrowingReader::gets).sum();
    int scans = readers.stream().mapToInt(GrowingReader::scans).sum();
    int resumed = readers.stream().mapToInt(GrowingReader::resumed).sum();
    long hits = NodesBean.cacheCounter("hits");
    long requests = InStorageMetrics.get().requests();
    offloaded = CompactionMetrics.get().offloaded() - offloaded;
    System.out.printf(
        "%d calls of Gets, %d scans, %d more resumed; %d rows of them from the cache, %d requests;"
            + " %d compactions at workers%n",
        gets, scans, resumed, hits, requests, offloaded);
    assertThat(scans).as("scans that were checked in full").isGreaterThan(resumed);
    assertThat(gets).isPositive();
    assertThat(hits).as("rows from the cache").isGreaterThan(gets);
    assertThat(requests).isPositive();
    assertThat(offloaded).isPositive();
    assertThat(NodesBean.checkCache()).isEmpty();
  }

  /** Runs one of the threads; the others end when it fails. */
  private void until(Callable<Boolean> step) throws Exception {
    boolean succeeded = false;
    try {
      boolean more = true;
      while (more && !done.get()) {
        more = step.call();
      }
      succeeded = more;
    } finally {
      if (!succeeded) {
        done.set(true);
      }
    }
  }

  private Void read(GrowingReader reader, List<GrowingTable> tables) throws Exception {
    try (Table first = tables.get(0).table();
        Table second = tables.get(1).table()) {
      until(
          () -> {
            reader.read(tables.get(0), first);
            reader.read(tables.get(1), second);
            return true;
          });
    }
    return null;
  }

  private Void write(int writer, Random random, List<GrowingTable> tables) throws Exception {
    try (Table first = tables.get(0).table();
        Table second = tables.get(1).table()) {
      until(
          () -> {
            int row = random.nextInt(GrowingTable.ROWS / 3) * 3 + 1 + writer;
            boolean isFirst = random.nextBoolean();
            GrowingTable growing = tables.get(isFirst ? 0 : 1);
            growing.put(isFirst ? first : second, row);
            if (random.nextInt(6) == 0) {
              growing.deleteOlder(isFirst ? first : second, row, random.nextBoolean());
            }
            return true;
          });
    }
    return null;
  }

  private Void changeFiles(Random random, List<GrowingTable> tables) throws Exception {
    int[] steps = {0};
    until(
        () -> {
          change(random, tables.get(random.nextInt(tables.size())));
          return ++steps[0] < STEPS;
        });
    return null;
  }

  private static void change(Random random, GrowingTable growing) throws Exception {
    int kind = random.nextInt(20);
    if (kind < 8) {
      cluster.util.flush(growing.name());
    } else if (kind < 11) {
      cluster.util.compact(growing.name(), false);
    } else if (kind < 13) {
      cluster.util.compact(growing.name(), true);
    } else if (kind < 17) {
      growing.bulkLoad(random);
    } else {
      growing.changeRegions(
          () -> {
            if (kind < 18) {
              split(random, growing);
            } else {
              move(random, growing);
            }
            return null;
          });
    }
  }

  private static void split(Random random, GrowingTable growing) throws Exception {
    List<HRegion> regions = cluster.regions(growing.name());
    byte[] row = GrowingTable.row(random.nextInt(GrowingTable.ROWS));
    boolean isPossible =
        regions.size() < MAX_REGIONS
            && regions.stream()
                .noneMatch(region -> region.getStores().stream().anyMatch(HStore::hasReferences))
            && regions.stream()
                .noneMatch(region -> Arrays.equals(region.getRegionInfo().getStartKey(), row));
    if (isPossible) {
      cluster.split(growing.name(), row);
    } else {
      cluster.util.compact(growing.name(), true);
    }
  }

  private static void move(Random random, GrowingTable growing) throws IOException {
    List<HRegion> regions = cluster.regions(growing.name());
    RegionInfo region = regions.get(random.nextInt(regions.size())).getRegionInfo();
    List<ServerName> servers =
        cluster.util.getMiniHBaseCluster().getLiveRegionServerThreads().stream()
            .map(thread -> thread.getRegionServer().getServerName())
            .toList();
    cluster
        .util
        .getAdmin()
        .move(region.getEncodedNameAsBytes(), servers.get(random.nextInt(servers.size())));
    cluster.util.waitUntilNoRegionsInTransition(180_000);
  }
}
