package io.ishbase.plugin.aggregate;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import io.ishbase.core.Reason;
import io.ishbase.core.Setting;
import io.ishbase.plugin.node.DaemonException;
import io.ishbase.protocol.Tally;
import io.ishbase.protocol.Values;
import io.ishbase.protocol.generated.IssnProtos.AggregateFunction;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.client.IsolationLevel;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.coprocessor.ColumnInterpreter;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessor;
import org.apache.hadoop.hbase.exceptions.TimeoutIOException;
import org.apache.hadoop.hbase.filter.FirstKeyOnlyFilter;
import org.apache.hadoop.hbase.ipc.CallerDisconnectedException;
import org.apache.hadoop.hbase.ipc.RpcCall;
import org.apache.hadoop.hbase.ipc.RpcServer;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.Region.Operation;
import org.apache.hadoop.hbase.regionserver.RegionCoprocessorHost;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.apache.hadoop.hbase.regionserver.Shipper;
import org.apache.hadoop.hbase.security.access.AccessController;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.EnvironmentEdgeManager;
import org.jspecify.annotations.Nullable;

/**
 * The aggregates of one region, as HBase's {@code AggregateImplementation} of 2.6 forms them. Of
 * counts of rows, sums, minima and maxima a storage daemon computes what it can ({@link
 * NodeAggregate}); the others are formed here, of what the region's scanner returns. Other than
 * HBase's endpoint, what a user may not see is no part of them. Thread safe.
 */
final class RegionAggregates {
  /** Rows after which a scanner gives back the blocks behind them. */
  private static final int CALLS_PER_SHIPPED = 100;

  private final HRegion region;

  RegionAggregates(HRegion region) {
    this.region = region;
  }

  /**
   * The response to a call of the service.
   *
   * @return null: there is no value
   */
  @Nullable Message answer(String method, Message request) throws IOException {
    Scan scan = AggregateMessages.scan(request);
    if (method.equals("GetRowNum")) {
      return rows(scan);
    }
    if (scan.numFamilies() == 0) {
      throw new IOException("The scan names no family");
    }
    announce(scan);
    String className = AggregateMessages.interpreterClass(request);
    ColumnInterpreter<?, ?, ?, ?, ?> interpreter =
        Interpreters.make(className, AggregateMessages.specific(request));
    return switch (method) {
      case "GetSum" -> tally(AggregateFunction.SUM, interpreter, scan);
      case "GetMin" -> tally(AggregateFunction.MIN, interpreter, scan);
      case "GetMax" -> tally(AggregateFunction.MAX, interpreter, scan);
      case "GetAvg" -> statistics(RowStatistics.Kind.AVERAGE, interpreter, scan);
      case "GetStd" -> statistics(RowStatistics.Kind.DEVIATION, interpreter, scan);
      case "GetMedian" -> statistics(RowStatistics.Kind.MEDIAN, interpreter, scan);
      default -> throw new IOException("No such aggregate: " + method);
    };
  }

  /**
   * Tells the table's coprocessors of the scan, as of one that a client opens: those for access and
   * visibility refuse it, or add a filter to it.
   */
  private void announce(Scan scan) throws IOException {
    RegionCoprocessorHost host = region.getCoprocessorHost();
    if (host == null) {
      return;
    }
    if (!scan.hasFamilies()) {
      region.getTableDescriptor().getColumnFamilyNames().forEach(scan::addFamily);
    }
    host.preScannerOpen(scan);
  }

  private Message rows(Scan scan) throws IOException {
    // HBase's endpoint takes the first column out before it reads. Where that was the only one, it
    // counts rows with any cell of the family, and clients get used to what they get.
    boolean namesNone = first(scan, true) == null;
    announce(scan);
    boolean mayAsk = isPlain(scan);
    if (namesNone && !scan.hasFilter()) {
      scan.setFilter(new FirstKeyOnlyFilter());
    }
    RowCount count = new RowCount();
    aggregate(scan, mayAsk, AggregateFunction.ROWS, null, count);
    return AggregateMessages.response(
        List.of(ByteString.copyFrom(Bytes.toBytes(count.rows))), null);
  }

  private @Nullable Message tally(
      AggregateFunction function, ColumnInterpreter<?, ?, ?, ?, ?> interpreter, Scan scan)
      throws IOException {
    Values<?> values = Values.readBy(interpreter.getClass().getName());
    Message result;
    if (values == null) {
      result = other(function, interpreter, scan);
    } else {
      boolean mayAsk = values.isOrderFree(function) && isPlain(scan);
      result = known(function, values, scan, mayAsk);
    }
    return result == null ? null : AggregateMessages.response(List.of(result.toByteString()), null);
  }

  private <T> @Nullable Message known(
      AggregateFunction function, Values<T> values, Scan scan, boolean mayAsk) throws IOException {
    Tally<T, T> tally = values.tally(function, scan.getFamilies()[0], first(scan, false));
    aggregate(scan, mayAsk, function, values, new ValueParts<>(values, tally));
    return tally.result();
  }

  private <T, S> @Nullable Message other(
      AggregateFunction function, ColumnInterpreter<T, S, ?, ?, ?> interpreter, Scan scan)
      throws IOException {
    Tally<T, S> tally =
        new Tally<>(function, interpreter, scan.getFamilies()[0], first(scan, false));
    readAll(
        scan,
        cells -> {
          for (Cell cell : cells) {
            tally.add(cell);
          }
        },
        false);
    return tally.result();
  }

  private <T, S> @Nullable Message statistics(
      RowStatistics.Kind kind, ColumnInterpreter<T, S, ?, ?, ?> interpreter, Scan scan)
      throws IOException {
    byte[] family = scan.getFamilies()[0];
    NavigableSet<byte[]> columns = scan.getFamilyMap().get(family);
    byte[] last = columns == null || columns.size() < 2 ? null : columns.last();
    RowStatistics<T, S> statistics =
        new RowStatistics<>(interpreter, family, first(scan, false), last, kind);
    if (kind != RowStatistics.Kind.MEDIAN) {
      // HBase counts calls of its scanner: one more, if rows without a result are left for the last
      // one. A daemon may have left out what would have been seen of them.
      scan.setAttribute(Setting.READ.key(), Bytes.toBytes("stock"));
    }
    readAll(scan, statistics, Values.readBy(interpreter.getClass().getName()) != null);
    return statistics.result();
  }

  /** The first column that the scan names of its first family; null: it names none. */
  private static byte @Nullable [] first(Scan scan, boolean takesOut) {
    NavigableSet<byte[]> columns =
        scan.hasFamilies() ? scan.getFamilyMap().get(scan.getFamilies()[0]) : null;
    if (columns == null || columns.isEmpty()) {
      return null;
    }
    return takesOut ? columns.pollFirst() : columns.first();
  }

  /**
   * Whether a daemon may be asked for the scan's aggregate, as far as can be said here: what the
   * scan returns of a row follows from the row's cells in one store, and nobody else has a say in
   * it. What coprocessors do, that for visibility above all, they do at the region server.
   *
   * @param scan announced
   */
  private boolean isPlain(Scan scan) {
    return !scan.hasFilter()
        && !scan.isReversed()
        && !scan.isRaw()
        && !scan.isGetScan()
        && scan.getBatch() <= 0
        && scan.getMaxResultsPerColumnFamily() < 0
        && scan.getRowOffsetPerColumnFamily() <= 0
        && scan.getIsolationLevel() == IsolationLevel.READ_COMMITTED
        && (scan.hasFamilies() ? scan.numFamilies() : region.getStores().size()) == 1
        && !isObserved();
  }

  private boolean isObserved() {
    RegionCoprocessorHost host = region.getCoprocessorHost();
    return host != null
        && host.findCoprocessors(RegionCoprocessor.class).stream()
            .anyMatch(
                coprocessor ->
                    coprocessor.getRegionObserver().isPresent()
                        && !isAccessController(coprocessor));
  }

  /**
   * HBase's AccessController, which has refused the scan or given it a filter when it was
   * announced, or has no more to say to it: whoever may read the family sees all of its cells.
   */
  private static boolean isAccessController(RegionCoprocessor coprocessor) {
    return coprocessor.getClass() == AccessController.class;
  }

  private void aggregate(
      Scan scan,
      boolean mayAsk,
      AggregateFunction function,
      @Nullable Values<?> values,
      ReadParts parts)
      throws IOException {
    if (!mayAsk || !aggregated(scan, function, values, parts)) {
      readAll(scan, parts);
    }
  }

  /** Whether the aggregate was formed; else nothing was counted in. */
  private boolean aggregated(
      Scan scan, AggregateFunction function, @Nullable Values<?> values, ReadParts parts)
      throws IOException {
    try (AggregateWish wish = new AggregateWish(scan);
        RegionScanner scanner = wish.open(region)) {
      NodeAggregate granted = wish.granted();
      if (granted != null) {
        granted.compute(function, values, parts);
      } else if (!wish.isRefused()) {
        readAll(scanner, parts, true);
      }
      return !wish.isRefused();
    }
  }

  /** What takes the cells of rows. */
  interface Rows {
    /** The cells that one call of a region's scanner gave: those of a row, or none. */
    void add(List<Cell> cells) throws IOException;
  }

  private void readAll(Scan scan, Rows rows) throws IOException {
    readAll(scan, rows, true);
  }

  /**
   * Reads a scan's rows.
   *
   * @param copies whether {@code rows} keep nothing of cells: who knows what an interpreter of
   *     others does with those that HBase's endpoint never gives back?
   */
  private void readAll(Scan scan, Rows rows, boolean copies) throws IOException {
    RegionScanner scanner = open(scan);
    try {
      readAll(scanner, rows, copies);
    } finally {
      close(scanner);
    }
  }

  /** The region's scanner, or what a coprocessor has made of it. */
  private RegionScanner open(Scan scan) throws IOException {
    RegionScanner scanner = region.getScanner(scan);
    RegionCoprocessorHost host = region.getCoprocessorHost();
    if (host == null) {
      return scanner;
    }
    boolean opened = false;
    try {
      RegionScanner made = host.postScannerOpen(scan, scanner);
      opened = true;
      return made;
    } finally {
      if (!opened) {
        scanner.close();
      }
    }
  }

  /** Closes what {@link #open} gave, unless a coprocessor keeps it. */
  private void close(RegionScanner scanner) throws IOException {
    RegionCoprocessorHost host = region.getCoprocessorHost();
    boolean isKept = false;
    try {
      isKept = host != null && host.preScannerClose(scanner);
    } finally {
      if (!isKept) {
        scanner.close();
      }
    }
    if (host != null && !isKept) {
      host.postScannerClose(scanner);
    }
  }

  private static void readAll(RegionScanner scanner, Rows rows, boolean copies) throws IOException {
    List<Cell> cells = new ArrayList<>();
    int calls = 0;
    boolean more;
    do {
      cells.clear();
      more = scanner.next(cells);
      rows.add(cells);
      if (copies && ++calls % CALLS_PER_SHIPPED == 0 && scanner instanceof Shipper shipper) {
        shipper.shipped();
      }
    } while (more);
  }

  /** Parts of an aggregate, some of which are rows that are read here. */
  private abstract class ReadParts implements NodeAggregate.Parts, Rows {
    @Override
    public void check() throws IOException {
      // As the region's scanner does for each row.
      region.startRegionOperation(Operation.SCAN);
      region.closeRegionOperation(Operation.SCAN);
      long deadline = RpcServer.getCurrentCall().map(RpcCall::getDeadline).orElse(Long.MAX_VALUE);
      if (EnvironmentEdgeManager.currentTime() > deadline) {
        // A client that asks again does so over the same connection.
        throw new TimeoutIOException("The caller of an aggregate of " + region + " has given up");
      }
      long goneMillis = RpcServer.getCurrentCall().map(RpcCall::disconnectSince).orElse(-1L);
      if (goneMillis >= 0) {
        throw new CallerDisconnectedException(
            "The caller of an aggregate of " + region + " has gone " + goneMillis + " ms ago");
      }
    }

    @Override
    public void read(Scan scan) throws IOException {
      readAll(scan, this);
    }
  }

  private final class RowCount extends ReadParts {
    private long rows;

    @Override
    public void add(List<Cell> cells) {
      if (!cells.isEmpty()) {
        rows++;
      }
    }

    @Override
    public void counted(long more, byte @Nullable [] value) {
      rows += more;
    }
  }

  private final class ValueParts<T> extends ReadParts {
    private final Values<T> values;
    private final Tally<T, T> tally;

    ValueParts(Values<T> values, Tally<T, T> tally) {
      this.values = values;
      this.tally = tally;
    }

    @Override
    public void add(List<Cell> cells) throws IOException {
      for (Cell cell : cells) {
        tally.add(cell);
      }
    }

    @Override
    public void counted(long rows, byte @Nullable [] value) throws IOException {
      if (value == null) {
        return;
      }
      T part;
      try {
        part = values.parse(value);
      } catch (IOException e) {
        throw new DaemonException(Reason.BAD_ANSWER, e);
      }
      tally.addValue(part);
    }
  }
}
