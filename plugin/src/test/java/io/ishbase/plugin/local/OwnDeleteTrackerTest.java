package io.ishbase.plugin.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessor;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.coprocessor.RegionObserver;
import org.apache.hadoop.hbase.filter.BinaryComparator;
import org.apache.hadoop.hbase.filter.SingleColumnValueFilter;
import org.apache.hadoop.hbase.filter.ValueFilter;
import org.apache.hadoop.hbase.regionserver.querymatcher.DeleteTracker;
import org.apache.hadoop.hbase.regionserver.querymatcher.ScanDeleteTracker;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A coprocessor's delete tracker hides cells that no marker hides. */
class OwnDeleteTrackerTest {
  private static final byte[] ROW = Bytes.toBytes("a");
  private static final byte[] F = Bytes.toBytes("f");
  private static final byte[] Q = Bytes.toBytes("q");
  private static final byte[] OTHER = Bytes.toBytes("r");
  private static final byte[] HIDDEN = Bytes.toBytes("hidden");
  private static final byte[] SEEN = Bytes.toBytes("seen");

  /** Whether readers do not see what is hidden: it is not dropped, as flushes see it. */
  private static volatile boolean hides;

  /** Takes cells with a value for deleted. */
  public static final class Hides implements RegionCoprocessor, RegionObserver {
    @Override
    public Optional<RegionObserver> getRegionObserver() {
      return Optional.of(this);
    }

    @Override
    public DeleteTracker postInstantiateDeleteTracker(
        ObserverContext<RegionCoprocessorEnvironment> context, DeleteTracker tracker) {
      return new ScanDeleteTracker(CellComparator.getInstance()) {
        @Override
        public boolean isEmpty() {
          return false;
        }

        @Override
        public DeleteResult isDeleted(Cell cell) {
          return hides && CellUtil.matchingValue(cell, HIDDEN)
              ? DeleteResult.VERSION_DELETED
              : super.isDeleted(cell);
        }
      };
    }
  }

  @Test
  void byVersionAtADaemon(@TempDir Path directory) throws Exception {
    seesTheOlder(
        directory,
        new Scan()
            .setFilter(new ValueFilter(CompareOperator.EQUAL, new BinaryComparator(SEEN)))
            .addColumn(F, Q));
  }

  @Test
  void byRowAtADaemon(@TempDir Path directory) throws Exception {
    seesTheOlder(directory, ofRow());
  }

  private static void seesTheOlder(Path directory, Scan scan) throws Exception {
    try (LocalRegion local = LocalRegion.ofOneFamily(directory, F, 0)) {
      hides = false;
      local.answerAggregates(Hides.class);
      local.region().put(new Put(ROW).addColumn(F, Q, 5, SEEN).addColumn(F, OTHER, 5, SEEN));
      local.flush();
      local.region().put(new Put(ROW).addColumn(F, Q, 10, HIDDEN));
      local.flush();
      hides = true;
      List<List<Cell>> stock = local.scan(new Scan(scan), LocalRegion.STOCK);
      assertThat(stock).hasSize(1);
      assertThat(local.scan(new Scan(scan), LocalRegion.IN_STORAGE)).isEqualTo(stock);
    }
  }

  @Test
  void byRowInTheCache(@TempDir Path directory) throws Exception {
    try (LocalRegion local = LocalRegion.ofOneFamily(directory, F, 4 << 20)) {
      hides = false;
      local.answerAggregates(Hides.class);
      local.region().put(new Put(ROW).addColumn(F, Q, 10, HIDDEN).addColumn(F, OTHER, 5, SEEN));
      local.flush();
      hides = true;
      List<List<Cell>> stock = local.scan(ofRow(), LocalRegion.STOCK);
      assertThat(stock).hasSize(1);
      // It fills the cache.
      local.scan(new Scan(), LocalRegion.IN_STORAGE);
      assertThat(local.scan(ofRow(), LocalRegion.IN_STORAGE)).isEqualTo(stock);
    }
  }

  private static Scan ofRow() {
    return new Scan().setFilter(new SingleColumnValueFilter(F, Q, CompareOperator.EQUAL, SEEN));
  }
}
