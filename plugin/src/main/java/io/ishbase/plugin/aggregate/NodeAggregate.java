package io.ishbase.plugin.aggregate;

import io.ishbase.core.Reason;
import io.ishbase.plugin.metrics.InStorageMetrics;
import io.ishbase.plugin.node.DaemonException;
import io.ishbase.plugin.scan.NodeBatch;
import io.ishbase.plugin.scan.ReadContext;
import io.ishbase.plugin.scan.ReadPlan;
import io.ishbase.plugin.scan.ReadSpec;
import io.ishbase.protocol.Checksums;
import io.ishbase.protocol.MessageChecksum;
import io.ishbase.protocol.Protocol;
import io.ishbase.protocol.ReleaseAdapter;
import io.ishbase.protocol.Values;
import io.ishbase.protocol.generated.IssnProtos.AggregateFunction;
import io.ishbase.protocol.generated.IssnProtos.AggregateRequest;
import io.ishbase.protocol.generated.IssnProtos.AggregateResponse;
import io.ishbase.protocol.generated.IssnProtos.Code;
import io.ishbase.protocol.generated.IssnProtos.KeepDeleted;
import io.ishbase.protocol.generated.IssnProtos.ReadRequest;
import io.ishbase.protocol.generated.IssnProtos.RowRange;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.client.PackagePrivateFieldAccessor;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.filter.FilterList;
import org.apache.hadoop.hbase.filter.FirstKeyOnlyFilter;
import org.apache.hadoop.hbase.filter.MultiRowRangeFilter;
import org.apache.hadoop.hbase.io.TimeRange;
import org.apache.hadoop.hbase.ipc.RpcServer;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.KeyValueScanner;
import org.apache.hadoop.hbase.regionserver.ScanInfo;
import org.apache.hadoop.hbase.regionserver.StoreFileScanner;
import org.apache.hadoop.hbase.regionserver.StoreFileScannerAccess;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.EnvironmentEdgeManager;
import org.apache.hbase.thirdparty.com.google.protobuf.ByteString;
import org.apache.hbase.thirdparty.com.google.protobuf.UnsafeByteOperations;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An aggregate of a store's rows at one moment. Of those that have no cell in a memstore the
 * storage daemon that has the files computes it, answer by answer; the others, and what it does not
 * answer, are read here, at the same read point. Each row is in one answer or in one read:
 *
 * <ol>
 *   <li>Files and memstores were taken together, so a row that the memstores do not have at the
 *       read point is in the files with all that the reader sees.
 *   <li>A request names a range of rows and the rows of the memstores in it, and its answer is
 *       about all others up to a place. What is behind that place the next request asks for.
 *   <li>An answer counts only when all of it was checked. If there is none, what begins at the
 *       place is read here as a whole.
 * </ol>
 *
 * <p>HBase's scanners of the files are held meanwhile, so that these are not archived. For use by
 * one thread.
 */
final class NodeAggregate implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(NodeAggregate.class);

  private final ReadContext context;
  private final ReadSpec read;
  private final ReadPlan.Part part;
  private final List<String> names;
  private final MemstoreRows memstoreRows;
  private final long now;
  private boolean closed;

  /** Whether it is known how the daemon is. */
  private boolean isTold;

  /** The same of its aggregates. */
  private boolean isAggregateTold;

  /** What takes the parts of an aggregate, in no order. */
  interface Parts {
    /**
     * Is called before each request.
     *
     * @throws IOException if nobody waits any longer, or the region is closed
     */
    void check() throws IOException;

    /**
     * A daemon has counted {@code rows} in.
     *
     * @param value what came of theirs, in the interpreter's message; null: they have none
     * @throws DaemonException if that is no such message; then nothing is counted in
     */
    void counted(long rows, byte @Nullable [] value) throws IOException;

    /** All that {@code scan} returns is to be counted in. */
    void read(Scan scan) throws IOException;
  }

  private NodeAggregate(
      ReadContext context,
      ReadSpec read,
      ReadPlan.Part part,
      List<String> names,
      MemstoreRows memstoreRows,
      long now) {
    this.context = context;
    this.read = read;
    this.part = part;
    this.names = names;
    this.memstoreRows = memstoreRows;
    this.now = now;
  }

  /**
   * That of the files of {@code part}. Takes over all scanners, unless the scan needs none of the
   * files.
   *
   * @param others of memstores, and of files without the scan's rows
   * @return null: it needs none
   */
  static @Nullable NodeAggregate of(
      HStore store,
      ReadContext context,
      ReadSpec read,
      ReadPlan.Part part,
      List<KeyValueScanner> others)
      throws IOException {
    long now = EnvironmentEdgeManager.currentTime();
    // As HBase's StoreScanner leaves out files: with a least number of versions none for its age.
    long oldestUnexpired =
        read.family().getMinVersions() == 0 ? now - read.family().getTtl() : Long.MIN_VALUE;
    List<String> names = new ArrayList<>();
    for (int file = 0; file < part.guards().size(); file++) {
      if (StoreFileScannerAccess.mayHoldCells(
          part.guards().get(file), read.scan(), store, oldestUnexpired, true)) {
        names.add(part.names().get(file));
      }
    }
    if (names.isEmpty()) {
      return null;
    }
    List<KeyValueScanner> memstores = new ArrayList<>();
    for (KeyValueScanner other : others) {
      if (!(other instanceof StoreFileScanner)) {
        memstores.add(other);
      }
    }
    MemstoreRows rows = new MemstoreRows(memstores, read.range(), store.getComparator());
    others.stream().filter(StoreFileScanner.class::isInstance).forEach(KeyValueScanner::close);
    return new NodeAggregate(context, read, part, names, rows, now);
  }

  /**
   * Gives all parts of the aggregate.
   *
   * @param values null: of ROWS, which has none
   */
  void compute(AggregateFunction function, @Nullable Values<?> values, Parts parts)
      throws IOException {
    RowRange rest = read.range();
    while (rest != null) {
      List<byte[]> rows = memstoreRows.next(Protocol.MAX_EXCEPT_ROWS, Protocol.MAX_PUSHED_BYTES);
      RowRange behind = null;
      RowRange range = rest;
      if (memstoreRows.hasNext()) {
        ByteString last = UnsafeByteOperations.unsafeWrap(rows.get(rows.size() - 1));
        behind = rest.toBuilder().setStartRow(last).setIncludeStart(false).build();
        range = rest.toBuilder().setStopRow(last).setIncludeStop(true).build();
      }
      RowRange unanswered = ask(function, values, range, rows, parts);
      if (unanswered != null) {
        // The rest of all: it has rows of the memstores, too.
        byte[] from = unanswered.getStartRow().toByteArray();
        rows = rows.stream().filter(row -> Bytes.compareTo(row, from) < 0).toList();
        parts.read(
            here(
                rest.toBuilder()
                    .setStartRow(unanswered.getStartRow())
                    .setIncludeStart(unanswered.getIncludeStart())
                    .build()));
        behind = null;
      }
      if (!rows.isEmpty()) {
        parts.read(here(rows));
      }
      rest = behind;
    }
  }

  /**
   * Has the daemon count in a range but for some rows.
   *
   * @return what it has not answered; null: it has answered all
   */
  private @Nullable RowRange ask(
      AggregateFunction function,
      @Nullable Values<?> values,
      RowRange all,
      List<byte[]> except,
      Parts parts)
      throws IOException {
    RowRange range = all;
    while (range != null) {
      parts.check();
      try {
        AggregateRequest request = MessageChecksum.sealed(request(function, values, range, except));
        AggregateResponse answer = context.client().aggregate(part.node().address(), request);
        check(answer, request);
        parts.counted(answer.getRows(), answer.hasValue() ? answer.getValue().toByteArray() : null);
        isTold = true;
        context.health().succeeded(part.node(), this::paths);
        isAggregateTold = true;
        context.health().aggregated(part.node(), false);
        InStorageMetrics.get().aggregated(answer.getRows());
        // As HBase's scanner says of each block, for quotas and metrics.
        RpcServer.getCurrentCall()
            .ifPresent(
                call ->
                    ReleaseAdapter.addBlockBytes(
                        call,
                        Math.min(Protocol.MAX_TOLD_BYTES, Math.max(0, answer.getBlockBytes()))));
        range =
            answer.hasNextRow()
                ? range.toBuilder().setStartRow(answer.getNextRow()).setIncludeStart(true).build()
                : null;
      } catch (DaemonException e) {
        failed(e);
        return range;
      }
    }
    return null;
  }

  private void failed(DaemonException failure) {
    switch (failure.reason()) {
      // A queue of aggregates that is full or slow says nothing of reads.
      case BUSY -> {}
      case TIMEOUT -> {
        isAggregateTold = true;
        context.health().aggregated(part.node(), true);
      }
      // It has its limits, and is well.
      case BAD_REQUEST -> {
        isTold = true;
        context.health().succeeded(part.node(), this::paths);
      }
      default -> {
        isTold = true;
        context.failed(part.node(), paths(), failure);
      }
    }
    InStorageMetrics.get().fellBack(failure.reason());
    String message = "{}: the aggregate of {} at {} goes on here";
    if (failure.reason() == Reason.BAD_ANSWER) {
      LOG.warn(message, failure.reason(), paths(), part.node(), failure);
    } else {
      LOG.debug(message, failure.reason(), paths(), part.node(), failure);
    }
  }

  private List<String> paths() {
    return names.stream().map(name -> part.directory() + "/" + name).toList();
  }

  private AggregateRequest request(
      AggregateFunction function, @Nullable Values<?> values, RowRange range, List<byte[]> except) {
    ScanInfo rules = read.family();
    AggregateRequest.Builder request =
        AggregateRequest.newBuilder()
            .setRead(Checksums.sealed(read(range)))
            .setFamily(UnsafeByteOperations.unsafeWrap(rules.getFamily()))
            .setFunction(function)
            .setMinVersions(rules.getMinVersions())
            .setTtl(rules.getTtl())
            .setNow(now)
            .setKeepDeleted(
                switch (rules.getKeepDeletedCells()) {
                  case FALSE -> KeepDeleted.KEEP_NONE;
                  case TRUE -> KeepDeleted.KEEP_ALL;
                  case TTL -> KeepDeleted.KEEP_UNTIL_TTL;
                });
    if (values != null) {
      request.setValueType(values.type());
    }
    byte[] from = range.getStartRow().toByteArray();
    for (byte[] row : except) {
      if (Bytes.compareTo(row, from) >= 0) {
        request.addExceptRow(UnsafeByteOperations.unsafeWrap(row));
      }
    }
    return request.build();
  }

  private ReadRequest read(RowRange range) {
    Scan scan = read.scan();
    ReadRequest.Builder request =
        ReadRequest.newBuilder()
            .setVersion(Protocol.VERSION)
            .setDirectory(part.directory())
            .addAllFile(names)
            .setReadPoint(read.readPoint())
            .addRange(range)
            .setFamilyVersions(read.family().getMaxVersions())
            .setMaxVersions(scan.getMaxVersions());
    if (!scan.getCacheBlocks()) {
      request.setCacheBlocks(false);
    }
    if (read.columns() != null) {
      read.columns().forEach(column -> request.addColumn(UnsafeByteOperations.unsafeWrap(column)));
    }
    TimeRange ofFamily = scan.getColumnFamilyTimeRange().get(read.family().getFamily());
    TimeRange times = ofFamily == null ? scan.getTimeRange() : ofFamily;
    if (times.getMin() > 0) {
      request.setMinTimestamp(times.getMin());
    }
    if (times.getMax() < Long.MAX_VALUE) {
      request.setMaxTimestamp(times.getMax());
    }
    return request.build();
  }

  private static void check(AggregateResponse answer, AggregateRequest request)
      throws DaemonException {
    if (answer.getCode() != Code.OK) {
      throw new DaemonException(
          NodeBatch.reason(answer.getCode()),
          answer.getCode() + ": " + answer.getMessage(),
          answer.hasFailedFile() ? answer.getFailedFile() : -1);
    }
    boolean isAnswer = answer.hasAsked() && answer.getAsked() == request.getCrc32C();
    boolean mayHaveValue = request.getFunction() != AggregateFunction.ROWS && answer.getRows() > 0;
    if (!isAnswer
        || answer.getRows() < 0
        || answer.getBlockBytes() < 0
        || answer.hasValue() && !mayHaveValue
        || answer.hasNextRow() && !isInside(answer.getNextRow(), request.getRead().getRange(0))) {
      throw new DaemonException(
          Reason.BAD_ANSWER,
          "The answer breaks a rule, with "
              + answer.getRows()
              + " rows in "
              + answer.getSerializedSize()
              + " bytes");
    }
  }

  /** Whether a request from that row on asks for less than one of {@code range}. */
  private static boolean isInside(ByteString row, RowRange range) {
    byte[] next = row.toByteArray();
    if (next.length > HConstants.MAX_ROW_LENGTH
        || Bytes.compareTo(next, range.getStartRow().toByteArray()) <= 0) {
      return false;
    }
    int order = Bytes.compareTo(next, range.getStopRow().toByteArray());
    return range.getStopRow().isEmpty() || (range.getIncludeStop() ? order <= 0 : order < 0);
  }

  /**
   * Whether one cell of a row is enough. The endpoint has added a filter then; a scan that is
   * wanted for more has none.
   */
  private boolean counts() {
    return read.scan().hasFilter();
  }

  private Scan here(RowRange range) throws IOException {
    Scan scan = atReadPoint();
    if (counts()) {
      scan.setFilter(new FirstKeyOnlyFilter());
    }
    return scan.withStartRow(range.getStartRow().toByteArray(), range.getIncludeStart())
        .withStopRow(range.getStopRow().toByteArray(), range.getIncludeStop());
  }

  private Scan here(List<byte[]> rows) throws IOException {
    List<MultiRowRangeFilter.RowRange> ranges = new ArrayList<>();
    for (byte[] row : rows) {
      ranges.add(new MultiRowRangeFilter.RowRange(row, true, row, true));
    }
    Filter ofRows = new MultiRowRangeFilter(ranges);
    return atReadPoint()
        .setFilter(counts() ? new FilterList(ofRows, new FirstKeyOnlyFilter()) : ofRows)
        .withStartRow(rows.get(0))
        .withStopRow(rows.get(rows.size() - 1), true);
  }

  /** The region's scanner that keeps the read point alive is open all the time. */
  private Scan atReadPoint() throws IOException {
    Scan scan = new Scan(read.scan());
    PackagePrivateFieldAccessor.setMvccReadPoint(scan, read.readPoint());
    return scan;
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      memstoreRows.close();
      part.guards().forEach(StoreFileScanner::close);
      if (!isTold) {
        context.health().untried(part.node(), this::paths);
      }
      if (!isAggregateTold) {
        context.health().aggregateUntried(part.node());
      }
    }
  }
}
