package io.ishbase.plugin.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.coprocessor.CoprocessorHost;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessor;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.coprocessor.RegionObserver;
import org.apache.hadoop.hbase.filter.BinaryComparator;
import org.apache.hadoop.hbase.filter.ColumnPrefixFilter;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.filter.MultiRowRangeFilter;
import org.apache.hadoop.hbase.filter.RegexStringComparator;
import org.apache.hadoop.hbase.filter.RowFilter;
import org.apache.hadoop.hbase.filter.ValueFilter;
import org.apache.hadoop.hbase.mob.MobFileCache;
import org.apache.hadoop.hbase.regionserver.HMobStore;
import org.apache.hadoop.hbase.regionserver.InternalScanner;
import org.apache.hadoop.hbase.util.Bytes;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rows that daemons and the cache leave out, where they are not simply all of a scan. */
class UnseenRowsTest {
  private static final byte[] F = Bytes.toBytes("f");
  private static final byte[] Q = Bytes.toBytes("q1");
  private static final byte[] NONE = Bytes.toBytes("none");
  private static final long CACHE = 64L << 20;

  @TempDir private Path directory;

  private interface Hooked {
    void run(RegionCoprocessorEnvironment env) throws IOException;
  }

  /** A coprocessor that reads the region where HBase tells it of a row that was filtered. */
  public static final class NestedReads implements RegionCoprocessor, RegionObserver {
    static @Nullable Hooked hook;

    @Override
    public Optional<RegionObserver> getRegionObserver() {
      return Optional.of(this);
    }

    @Override
    public boolean postScannerFilterRow(
        ObserverContext<RegionCoprocessorEnvironment> context,
        InternalScanner scanner,
        Cell row,
        boolean hasMore)
        throws IOException {
      Hooked once = hook;
      if (once != null) {
        hook = null;
        try {
          once.run(context.getEnvironment());
        } finally {
          hook = once;
        }
      }
      return hasMore;
    }
  }

  @AfterEach
  void unhook() {
    NestedReads.hook = null;
  }

  private static byte[] key(int row) {
    return Bytes.toBytes(String.format("%04d", row));
  }

  private LocalRegion region(int rows, int versions, long cache) throws IOException {
    LocalRegion region =
        LocalRegion.ofOneFamily(
            directory,
            ColumnFamilyDescriptorBuilder.newBuilder(F).setMaxVersions(versions).build(),
            cache);
    for (int row = 0; row < rows; row++) {
      Put put = new Put(key(row));
      for (int version = 1; version <= versions; version++) {
        put.addColumn(F, Q, version, Bytes.toBytes("v" + version));
      }
      region.region().put(put);
    }
    region.region().flush(true);
    return region;
  }

  private static Scan scan(@Nullable Filter filter) {
    Scan scan = new Scan();
    scan.setFilter(filter);
    scan.setScanMetricsEnabled(true);
    return scan;
  }

  private static RowCounts count(LocalRegion region, Scan scan) throws IOException {
    return RowCounts.of(region, scan, LocalRegion.IN_STORAGE);
  }

  /**
   * At a scan's end HBase may look for a row that is not there, and count it.
   *
   * @param twice of rows that may count twice
   */
  private static void assertAsInHBase(LocalRegion region, Scan scan, long twice)
      throws IOException {
    RowCounts stock = RowCounts.of(region, scan, LocalRegion.STOCK);
    RowCounts ours = count(region, scan);
    assertThat(ours.filtered()).isBetween(stock.filtered() - 1, stock.filtered() + twice);
    assertThat(ours.scanned()).isBetween(stock.scanned() - 1, stock.scanned() + twice);
    assertThat(ours.region()).isBetween(stock.region() - 1, stock.region() + twice);
  }

  /** A step into a gap asks for the rest of the batch again. */
  @Test
  void rowsBehindAGapCountOnce() throws IOException {
    try (LocalRegion region = region(200, 3, 0)) {
      // Of these HBase steps to the second version.
      for (int row = 0; row < 10; row++) {
        region.region().delete(new Delete(key(row * 6)).addColumn(F, Q, 3));
      }
      Scan scan = scan(new RowFilter(CompareOperator.EQUAL, new RegexStringComparator("[02468]$")));
      assertAsInHBase(region, scan, 0);
    }
  }

  /** Behind 64 short runs the scanner has asked for all, and finds a long run. */
  @Test
  void rowsThatAreCachedCountOnce() throws IOException {
    try (LocalRegion region = region(600, 1, CACHE)) {
      for (int row = 0; row < 170; row += 2) {
        region.get(new Get(key(row)), LocalRegion.IN_STORAGE);
        region.get(new Get(key(row)), LocalRegion.IN_STORAGE);
      }
      for (int time = 0; time < 2; time++) {
        region.scan(
            new Scan().withStartRow(key(300)).withStopRow(key(500)), LocalRegion.IN_STORAGE);
      }
      Scan scan =
          scan(new RowFilter(CompareOperator.EQUAL, new RegexStringComparator("[05]$")))
              .withStartRow(key(1));
      assertAsInHBase(region, scan, 0);
    }
  }

  /** What a coprocessor's own Get leaves behind. */
  @Test
  void readsWithinAReadDoNotCountInIt() throws IOException {
    try (LocalRegion region = region(50, 1, 0)) {
      region.answerAggregates(NestedReads.class);
      region.reopen();
      region.region().put(new Put(key(9999)).addColumn(F, Q, NONE));
      Scan scan = scan(new RowFilter(CompareOperator.NOT_EQUAL, new BinaryComparator(key(9999))));
      RowCounts without = count(region, scan);
      NestedReads.hook =
          env -> {
            for (int row = 0; row < 20; row++) {
              env.getRegion().get(new Get(key(row)).addColumn(F, NONE));
            }
          };
      RowCounts with = count(region, scan);
      assertThat(with.filtered()).isEqualTo(without.filtered());
      assertThat(with.scanned()).isEqualTo(without.scanned());
    }
  }

  /** What a coprocessor's own read with a filter takes away. */
  @Test
  void readsWithinAReadDoNotTakeItsCount() throws IOException {
    try (LocalRegion region = region(300, 1, CACHE)) {
      region.answerAggregates(NestedReads.class);
      region.reopen();
      for (int time = 0; time < 2; time++) {
        region.scan(new Scan(), LocalRegion.IN_STORAGE);
      }
      Scan scan = scan(new RowFilter(CompareOperator.EQUAL, new BinaryComparator(NONE)));
      RowCounts without = count(region, scan);
      NestedReads.hook =
          env ->
              env.getRegion()
                  .get(
                      new Get(key(7))
                          .setFilter(
                              new ValueFilter(CompareOperator.EQUAL, new BinaryComparator(Q))));
      RowCounts with = count(region, scan);
      assertThat(with.filtered()).isEqualTo(without.filtered());
    }
  }

  /** A client that takes ten rows. */
  @Test
  void rowsBehindTheLastThatIsTakenDoNotCount() throws IOException {
    try (LocalRegion region = region(2000, 1, 0)) {
      for (boolean limited : new boolean[] {true, false}) {
        Scan scan = scan(new RowFilter(CompareOperator.EQUAL, new RegexStringComparator("[0]$")));
        if (limited) {
          scan.setLimit(10).setCaching(10);
        }
        scan = scan.setLimit(limited ? 10 : -1);
        RowCounts stock = RowCounts.of(region, scan, LocalRegion.STOCK, 10);
        RowCounts ours = RowCounts.of(region, scan, LocalRegion.IN_STORAGE, 10);
        assertThat(ours.filtered()).isBetween(stock.filtered() - 1, stock.filtered() + 10);
      }
    }
  }

  @Test
  void getsOfACallCountTheirOwn() throws IOException {
    try (LocalRegion region = region(50, 1, 0)) {
      List<Get> gets = new ArrayList<>();
      for (int row = 0; row < 20; row++) {
        gets.add(
            new Get(key(row))
                .setFilter(new ValueFilter(CompareOperator.EQUAL, new BinaryComparator(NONE))));
      }
      for (int carriedOut : new int[] {20, 1}) {
        long before = region.region().getFilteredReadRequestsCount();
        region.multiGet(gets, carriedOut, LocalRegion.STOCK);
        long between = region.region().getFilteredReadRequestsCount();
        region.multiGet(gets, carriedOut, LocalRegion.IN_STORAGE);
        long after = region.region().getFilteredReadRequestsCount();
        assertThat(after - between).as("of " + carriedOut).isEqualTo(between - before);
      }
    }
  }

  /**
   * Values of several columns of a row do not fit, and what was read behind them is asked again.
   */
  @Test
  void rowsBehindLargeObjectsThatDoNotFitCountOnce()
      throws IOException, ReflectiveOperationException {
    try (LocalRegion region =
        LocalRegion.ofOneFamily(
            directory,
            ColumnFamilyDescriptorBuilder.newBuilder(F)
                .setMobEnabled(true)
                .setMobThreshold(100)
                .build(),
            0)) {
      for (int row = 0; row < 400; row++) {
        Put put = new Put(key(row));
        for (int q = 0; q < 8; q++) {
          put.addColumn(F, Bytes.toBytes("q" + q), new byte[4000]);
        }
        region.region().put(put);
      }
      region.region().flush(true);
      // A region server would have given it to the store.
      Field files = HMobStore.class.getDeclaredField("mobFileCache");
      files.setAccessible(true);
      files.set(
          region.region().getStore(F),
          new MobFileCache(region.region().getReadOnlyConfiguration()));
      Scan scan = scan(new RowFilter(CompareOperator.EQUAL, new RegexStringComparator("[02468]$")));
      assertAsInHBase(region, scan, 0);
    }
  }

  /** A row of the memstore ahead of them. */
  @Test
  void cachedRowsBehindOneOfTheMemstoreCount() throws IOException {
    try (LocalRegion region = region(300, 1, CACHE)) {
      for (int time = 0; time < 2; time++) {
        region.scan(new Scan(), LocalRegion.IN_STORAGE);
      }
      for (int row = 0; row < 300; row += 40) {
        region.region().put(new Put(key(row)).addColumn(F, Q, Q));
      }
      assertAsInHBase(region, scan(new ColumnPrefixFilter(NONE)), 300 / 40 + 1);
    }
  }

  /** HBase jumps over rows where a filter says so. */
  @Test
  void cachedRowsThatAHintPassesOverDoNotCount() throws IOException {
    try (LocalRegion region = region(300, 1, CACHE)) {
      for (int time = 0; time < 2; time++) {
        region.scan(new Scan(), LocalRegion.IN_STORAGE);
      }
      Scan scan =
          scan(
              new MultiRowRangeFilter(
                  new ArrayList<>(
                      List.of(new MultiRowRangeFilter.RowRange(key(290), true, key(295), false)))));
      assertAsInHBase(region, scan, 0);
    }
  }

  @Test
  void rowsAreForgottenWhenTheRegionGetsOtherCoprocessors() throws IOException {
    try (LocalRegion region = region(1, 1, CACHE)) {
      Get get = new Get(key(0));
      region.region().get(get);
      region.daemons().taken();
      region.region().get(get);
      assertThat(region.daemons().taken()).as("cached").isEmpty();
      Configuration changed = new Configuration(region.region().getReadOnlyConfiguration());
      changed.set(CoprocessorHost.USER_REGION_COPROCESSOR_CONF_KEY, NestedReads.class.getName());
      region.region().onConfigurationChange(changed);
      region.region().get(get);
      assertThat(region.daemons().taken()).hasSize(1);
    }
  }
}
