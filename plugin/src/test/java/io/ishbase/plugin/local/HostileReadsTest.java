package io.ishbase.plugin.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ishbase.core.Reason;
import io.ishbase.core.Setting;
import io.ishbase.core.hot.HotInterval;
import io.ishbase.core.hot.HotIntervals;
import io.ishbase.plugin.local.LocalDaemons.Fault;
import io.ishbase.plugin.metrics.InStorageMetrics;
import io.ishbase.plugin.regionserver.Inside;
import io.ishbase.plugin.scan.MultiGet;
import io.ishbase.testing.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.filter.FilterList;
import org.apache.hadoop.hbase.filter.PrefixFilter;
import org.apache.hadoop.hbase.filter.SingleColumnValueFilter;
import org.apache.hadoop.hbase.ipc.RpcCall;
import org.apache.hadoop.hbase.ipc.RpcServer;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.InternalScanner;
import org.apache.hadoop.hbase.regionserver.KeyValueScanner;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.apache.hadoop.hbase.regionserver.ScannerContext;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.CollectionBackedScanner;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Reads and settings that HBase bears, and what is put upon it has to bear, too. */
class HostileReadsTest {
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final byte[] ROW = Bytes.toBytes("r");

  @TempDir private Path directory;

  private LocalRegion region(long cacheBytes) throws IOException {
    LocalRegion region = LocalRegion.ofOneFamily(directory, FAMILY, cacheBytes);
    region.region().put(new Put(ROW).addColumn(FAMILY, FAMILY, ROW));
    region.region().flush(true);
    return region;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void aCallOfManyKindsOfGetsTakesNoTimeOfItsOwn(int rowsOfAKind) throws IOException {
    try (LocalRegion region = region(0)) {
      List<Get> gets = new ArrayList<>();
      for (int i = 0; i < 20_000; i++) {
        byte[] qualifier = Bytes.toBytes(i / rowsOfAKind);
        gets.add(new Get(Bytes.toBytes("r" + i)).addColumn(FAMILY, qualifier));
      }
      List<List<Cell>> rows =
          Assertions.assertTimeoutPreemptively(
              Duration.ofMinutes(1), () -> region.multiGet(gets, LocalRegion.IN_STORAGE));
      assertThat(rows).hasSize(gets.size());
    }
  }

  /** To look into it would take more of the stack than there is, in the midst of HBase's doing. */
  @Test
  void aReadWithADeepFilterIsHBasesAndLeavesNoFileOpen() throws IOException {
    Filter filter = new PrefixFilter(ROW);
    for (int i = 0; i < 20_000; i++) {
      filter = new FilterList(filter);
    }
    Scan scan =
        new Scan()
            .setTimeRange(1, Long.MAX_VALUE)
            .setFilter(filter)
            .setAttribute(Setting.READ.key(), Bytes.toBytes(LocalRegion.IN_STORAGE));
    try (LocalRegion region = region(1 << 20)) {
      long before = InStorageMetrics.get().fallbacks(Reason.BAD_REQUEST);
      region.region().getScanner(scan).close();
      assertThat(InStorageMetrics.get().fallbacks(Reason.BAD_REQUEST)).isEqualTo(before + 1);
      assertThat(region.region().getStore(FAMILY).getStorefiles())
          .hasSize(1)
          .noneMatch(HStoreFile::isReferencedInReads);
    }
  }

  /** Else what the call was answered would be held until the thread has another one. */
  @Test
  void aCallThatAsksForARowInTwoWaysHoldsNothingBehindItsEnd() throws IOException {
    try (LocalRegion region = region(0)) {
      byte[] other = Bytes.toBytes("s");
      List<Get> gets =
          List.of(
              new Get(ROW),
              new Get(other),
              new Get(ROW).addColumn(FAMILY, FAMILY),
              new Get(other).addColumn(FAMILY, FAMILY),
              new Get(Bytes.toBytes("t")).addColumn(FAMILY, FAMILY));
      List<List<Cell>> rows = region.multiGet(gets, LocalRegion.IN_STORAGE);
      assertThat(rows.get(0)).hasSize(1);
      assertThat(rows.get(2)).isEqualTo(rows.get(0));
      assertThat(rows.get(1)).isNull();
      assertThat(heldBytes(region)).isZero();
    }
  }

  private static long heldBytes(LocalRegion region) {
    return Inside.nodes(region.region()).getHeldBytes();
  }

  /** Else all Gets of the call but the first would go alone. */
  @Test
  void aCallWhoseFirstRowAnotherGetFetchesIsOneRequest() throws IOException {
    try (LocalRegion region = region(1 << 20)) {
      List<Get> gets = new ArrayList<>(List.of(new Get(ROW)));
      for (String row : List.of("s", "t", "u")) {
        region.region().put(new Put(Bytes.toBytes(row)).addColumn(FAMILY, FAMILY, ROW));
        gets.add(new Get(Bytes.toBytes(row)));
      }
      region.region().flush(true);
      region.daemons().duringNext(() -> region.multiGet(gets, LocalRegion.IN_STORAGE));
      assertThat(region.get(new Get(ROW), LocalRegion.IN_STORAGE)).hasSize(1);
      assertThat(region.daemons().taken())
          .extracting(exchange -> exchange.request().getRangeCount())
          .containsExactly(gets.size(), 1);
    }
  }

  /** HBase answers the rest of a call that has become too large without carrying it out. */
  @Test
  void whatACallWasAnsweredGoesWithItIfItIsBrokenOff() throws IOException {
    try (LocalRegion region = region(0)) {
      byte[] other = Bytes.toBytes("s");
      region.region().put(new Put(other).addColumn(FAMILY, ROW, new byte[10]));
      region.region().flush(true);
      List<Get> gets = List.of(new Get(ROW), new Get(other));
      for (int i = 0; i < 50; i++) {
        region.multiGet(gets, 1, LocalRegion.IN_STORAGE);
      }
      assertThat(heldBytes(region)).isZero();
      Await.until(
          "calls to be forgotten",
          () -> {
            System.gc();
            multiGet(region, gets);
            return MultiGet.callsWithAnswers() < 10;
          });
    }
  }

  private static void multiGet(LocalRegion region, List<Get> gets) {
    try {
      region.multiGet(gets, LocalRegion.IN_STORAGE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Of one cell. */
  private static final class Added extends CollectionBackedScanner implements InternalScanner {
    Added(KeyValue cell) {
      super(new ArrayList<>(List.of(cell)), CellComparator.getInstance());
    }

    @Override
    public boolean next(List<Cell> result, ScannerContext context) {
      result.add(next());
      return false;
    }
  }

  /**
   * A coprocessor's own cells of a row take part in what a filter makes of it: here the file's part
   * alone would have it dropped.
   */
  @Test
  void scannersThatACoprocessorAddsAreJudgedWithTheFiles() throws IOException {
    try (LocalRegion region = region(0)) {
      byte[] x = Bytes.toBytes("x");
      region.region().put(new Put(Bytes.toBytes("added")).addColumn(FAMILY, x, Bytes.toBytes(3)));
      region.region().flush(true);
      List<List<Cell>> answers = new ArrayList<>();
      for (String mode : List.of("stock", LocalRegion.IN_STORAGE)) {
        SingleColumnValueFilter filter =
            new SingleColumnValueFilter(FAMILY, x, CompareOperator.EQUAL, Bytes.toBytes(5));
        Scan scan = new Scan().setFilter(filter);
        scan.setAttribute("ishbase.read", Bytes.toBytes(mode));
        KeyValue own = new KeyValue(Bytes.toBytes("added"), FAMILY, Bytes.toBytes("y"), 1, x);
        List<Cell> all = new ArrayList<>();
        KeyValueScanner added = new Added(own);
        try (RegionScanner scanner = region.region().getScanner(scan, List.of(added))) {
          List<Cell> row = new ArrayList<>();
          boolean more = true;
          while (more) {
            more = scanner.next(row);
            all.addAll(row);
            row.clear();
          }
        }
        answers.add(all);
      }
      assertThat(answers.get(1)).isEqualTo(answers.get(0));
    }
  }

  /** HBase's quotas and limits are told of no less than the daemons say they have read. */
  @Test
  void blocksWithoutEndHaveOne() throws IOException {
    try (LocalRegion region = region(0)) {
      for (int i = 0; i < 100; i++) {
        region.region().put(new Put(Bytes.toBytes("s" + i)).addColumn(FAMILY, ROW, new byte[1000]));
      }
      region.region().flush(true);
      region.daemons().taken();
      region.daemons().next(Fault.BLOCKS, Fault.BLOCKS);
      List<Long> told = new ArrayList<>();
      Optional<RpcCall> outer = RpcServer.unsetCurrentCall();
      RpcServer.setCurrentCall(telling(told));
      try (RegionScanner scanner = region.open(new Scan(), LocalRegion.IN_STORAGE)) {
        assertThat(LocalRegion.next(scanner, 1)).hasSize(1);
        // Over the end of a batch, and HBase asks only at the cell behind.
        scanner.reseek(Bytes.toBytes("s99"));
        assertThat(LocalRegion.next(scanner, 2)).hasSize(1);
      } finally {
        RpcServer.unsetCurrentCall();
        outer.ifPresent(RpcServer::setCurrentCall);
      }
      assertThat(region.daemons().taken()).hasSize(2);
      assertThat(told).allMatch(bytes -> bytes >= 0);
      // A quota pays for them.
      assertThat(told.stream().mapToLong(Long::longValue).sum()).isBetween(1L << 20, 1L << 30);
    }
  }

  /** Rows that are to be cached, which this cannot be. */
  @Test
  void answersThatAreMuchTooLongEndAWarmUp() throws IOException {
    try (LocalRegion region = region(64 << 20)) {
      region.daemons().taken();
      Fault[] lies = new Fault[50];
      Arrays.fill(lies, Fault.HUGE);
      region.daemons().next(lies);
      HotIntervals.Builder hot = new HotIntervals.Builder(HotIntervals.LEAST_BYTES);
      for (int i = 0; i < lies.length; i++) {
        // Runs of rows: each has a request of its own.
        hot.add(new HotInterval(Bytes.toBytes("w" + (100 + i)), Bytes.toBytes("w" + (101 + i)), 1));
      }
      assertThatThrownBy(() -> Inside.fetchHotRows(region.region(), hot.build()))
          .isInstanceOf(IOException.class)
          .hasMessageStartingWith("an answer of ");
      assertThat(region.daemons().taken()).hasSize(17);
    }
  }

  @Test
  void aHotRowThatHasGrownEndsNoWarmUp() throws Exception {
    try (LocalRegion region = region(64 << 20)) {
      byte[] grown = Bytes.toBytes("grown");
      region.region().put(new Put(grown).addColumn(FAMILY, FAMILY, new byte[5 << 20]));
      region.region().flush(true);
      HotIntervals.Builder hot = new HotIntervals.Builder(HotIntervals.LEAST_BYTES);
      hot.add(new HotInterval(grown, Arrays.copyOf(grown, grown.length + 1), 2));
      hot.add(new HotInterval(ROW, Arrays.copyOf(ROW, ROW.length + 1), 1));
      region.daemons().taken();
      Inside.fetchHotRows(region.region(), hot.build());
      List<LocalDaemons.Exchange> asked = region.daemons().taken();
      LocalDaemons.Exchange last = asked.get(asked.size() - 1);
      // Not printed: 5 MB.
      assertThat(asked.get(0).response().getCells().size()).isGreaterThan(5 << 20);
      assertThat(last.request().getRange(0).getStartRow().toByteArray()).isEqualTo(ROW);
      assertThat(last.response().getCellCount()).isEqualTo(1);
    }
  }

  private static RpcCall telling(List<Long> blockBytes) {
    return (RpcCall)
        Proxy.newProxyInstance(
            RpcCall.class.getClassLoader(),
            new Class<?>[] {RpcCall.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("incrementBlockBytesScanned")) {
                blockBytes.add(((Number) arguments[0]).longValue());
              }
              Class<?> type = method.getReturnType();
              return type == Optional.class
                  ? Optional.empty()
                  : type == boolean.class
                      ? (Object) false
                      : type == long.class ? (Object) (-1L) : type == int.class ? 0 : null;
            });
  }

  @ParameterizedTest
  @ValueSource(longs = {1L << 46, 1L << 51, 1L << 62, Long.MAX_VALUE})
  void aCacheBeyondAllMemoryClosesNoRegion(long cacheBytes) throws IOException {
    try (LocalRegion region = region(cacheBytes)) {
      for (int read = 0; read < 3; read++) {
        assertThat(region.get(new Get(ROW), LocalRegion.IN_STORAGE)).hasSize(1);
        assertThat(region.scan(new Scan(), LocalRegion.IN_STORAGE)).hasSize(1);
      }
      assertThat(region.faultsOfCache()).isEmpty();
    }
  }
}
