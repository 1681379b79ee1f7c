package io.ishbase.plugin.regionserver;

import io.ishbase.core.Reason;
import io.ishbase.protocol.Positions;
import io.ishbase.protocol.Protocol;
import io.ishbase.protocol.generated.IssnProtos.Position;
import io.ishbase.protocol.generated.IssnProtos.ReadRequest;
import io.ishbase.protocol.generated.IssnProtos.RowRange;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.function.IntConsumer;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.PrivateCellUtil;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.KeyValueHeap;
import org.apache.hadoop.hbase.regionserver.NonReversedNonLazyKeyValueScanner;
import org.apache.hadoop.hbase.regionserver.StoreFileScanner;
import org.apache.hadoop.hbase.regionserver.StoreFileScannerAccess;
import org.apache.hbase.thirdparty.com.google.protobuf.ByteString;
import org.apache.hbase.thirdparty.com.google.protobuf.UnsafeByteOperations;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All of a store's HFiles on one storage node, as one scanner: the merge of the files arrives from
 * the daemon there, in batches, and goes into HBase's own heap, level 2 of the two-level heap
 * (IS-HBase, section 5.2.1).
 *
 * <p>It owns HBase's scanner of each of the files, its <em>guards</em>. Unused, they cost no I/O,
 * and they hold the references that keep the files from being archived. When a request fails for
 * whatever reason, the guards are merged here instead, from exactly the place that the failed
 * request was to begin at: HBase's own path takes over, and what stood in the heap before stays
 * true.
 *
 * <p>Two cells that are equal but for their file sort by file, the newest first, so {@link
 * #getScannerOrder()} follows the current cell. HBase's heap asks for it whenever it compares, and
 * a scanner does not move while it stands in the heap.
 *
 * <p>Relies on HBase 2.6: {@code StoreScanner} asks {@code shouldUseScanner} of all scanners before
 * it seeks the first, so requests to several nodes are under way together; seeks go forward once a
 * cell was handed out. Like all of HBase's store scanners it is used by one thread at a time.
 */
final class NodeScanner extends NonReversedNonLazyKeyValueScanner {
  private static final Logger LOG = LoggerFactory.getLogger(NodeScanner.class);

  /** First batch of a Get: a usual row at once, but not all versions of a hot one. */
  private static final int GET_BATCH_BYTES = 64 << 10;

  private static final int MAX_QUICK_EMPTY_ANSWERS = 100;
  private static final long QUICK_NANOS = 10_000_000L;

  /** What a read asks for, the same for all of its node scanners. */
  record Read(
      Scan scan,
      NavigableSet<byte[]> columns,
      long readPoint,
      boolean cacheBlocks,
      int firstBatchBytes,
      int maxBatchBytes) {}

  private final StorageNodes nodes;
  private final StorageNode node;
  private final String directory;
  private final Read read;
  private final CellComparator comparator;
  private List<StoreFileScanner> guards;

  private ReadRequest template;
  private DaemonClient.Call call;
  private Position callFrom;
  private int batchBytes;
  private int batches;

  private NodeBatch batch;
  private Position batchFrom;
  private int index;
  private int skipped;
  private int unrecordedBytes;
  private int emptyAnswers;
  private long emptySinceNanos;

  private LocalHeap local;
  private Cell current;
  private boolean closed;

  /** Takes over {@code guards}, which stand in ascending scanner order and share a directory. */
  NodeScanner(
      StorageNodes nodes,
      StorageNode node,
      String directory,
      List<StoreFileScanner> guards,
      Read read,
      CellComparator comparator) {
    this.nodes = nodes;
    this.node = node;
    this.directory = directory;
    this.guards = guards;
    this.read = read;
    this.comparator = comparator;
    InStorageMetrics.get().opened();
  }

  /** Drops the files that the scan does not need and, if any are left, sends the first request. */
  @Override
  public boolean shouldUseScanner(Scan scan, HStore store, long oldestUnexpiredTs) {
    List<StoreFileScanner> needed = new ArrayList<>(guards.size());
    for (StoreFileScanner guard : guards) {
      if (StoreFileScannerAccess.mayHoldCells(guard, scan, store, oldestUnexpiredTs)) {
        needed.add(guard);
      } else {
        guard.close();
      }
    }
    guards = needed;
    if (needed.isEmpty()) {
      return false;
    }
    start();
    return true;
  }

  private void start() {
    template = template();
    batchBytes = read.firstBatchBytes;
    int rows = rowsHint();
    ReadRequest.Builder first = template.toBuilder();
    if (rows > 0) {
      // One row more than the client will take: the first cell after the last row ends it.
      first.setMaxRows(rows + 1);
      batchBytes = read.maxBatchBytes;
    }
    if (read.scan.isGetScan()) {
      batchBytes = Math.min(read.maxBatchBytes, GET_BATCH_BYTES);
    }
    call = nodes.client().read(node.address(), first.setMaxBytes(batchBytes).build());
  }

  // Only a scan without a filter returns the rows that it reads.
  private int rowsHint() {
    Scan scan = read.scan;
    if (scan.isGetScan() || scan.hasFilter()) {
      return 0;
    }
    if (scan.getLimit() > 0) {
      return scan.getLimit();
    }
    return scan.getCaching() > 0 && scan.getCaching() < 100_000 ? scan.getCaching() : 0;
  }

  private ReadRequest template() {
    Scan scan = read.scan;
    RowRange.Builder range = RowRange.newBuilder();
    if (scan.getStartRow().length > 0) {
      range.setStartRow(bytes(scan.getStartRow())).setIncludeStart(scan.includeStartRow());
    }
    if (scan.getStopRow().length > 0) {
      range.setStopRow(bytes(scan.getStopRow())).setIncludeStop(scan.includeStopRow());
    }
    ReadRequest.Builder request =
        ReadRequest.newBuilder()
            .setVersion(Protocol.VERSION)
            .setDirectory(directory)
            .setReadPoint(read.readPoint)
            .addRange(range);
    guards.forEach(guard -> request.addFile(guard.getFilePath().getName()));
    if (!read.cacheBlocks) {
      request.setCacheBlocks(false);
    }
    // A filter sees every row, even one that has none of the columns, in HBase's filterRowKey: a
    // WhileMatchFilter may end the scan there. Only where no such row matters are columns left out.
    if (read.columns != null && (!scan.hasFilter() || scan.isGetScan())) {
      read.columns.forEach(column -> request.addColumn(bytes(column)));
    }
    return request.build();
  }

  private static ByteString bytes(byte[] bytes) {
    return UnsafeByteOperations.unsafeWrap(bytes);
  }

  private List<String> paths() {
    return guards.stream().map(guard -> guard.getFilePath().toUri().getPath()).toList();
  }

  @Override
  public Cell peek() {
    return current;
  }

  @Override
  public Cell next() throws IOException {
    Cell result = current;
    if (result != null) {
      advance();
    }
    return result;
  }

  @Override
  public boolean seek(Cell key) throws IOException {
    if (local != null) {
      return reseek(key);
    }
    if (template == null) {
      start();
    }
    if (batchFrom != null
        && PrivateCellUtil.compareKeyIgnoresMvcc(comparator, key, Positions.seekKey(batchFrom))
            < 0) {
      request(Positions.atKey(key));
      batch = null;
    }
    index = -1;
    advance();
    return forwardTo(key);
  }

  @Override
  public boolean reseek(Cell key) throws IOException {
    if (local != null) {
      if (current != null && compare(current, key) < 0) {
        local.reseek(key);
        current = local.peek();
      }
      return current != null;
    }
    return forwardTo(key);
  }

  private int compare(Cell cell, Cell key) {
    return PrivateCellUtil.compareKeyIgnoresMvcc(comparator, cell, key);
  }

  private boolean forwardTo(Cell key) throws IOException {
    while (current != null && compare(current, key) < 0) {
      if (local != null) {
        return reseek(key);
      }
      if (index == batch.count() - 1
          && batch.next() != null
          && call == null
          && compare(Positions.seekKey(batch.next()), key) < 0) {
        // What lies between the batch and the key is not wanted.
        request(Positions.atKey(key));
      }
      skipped++;
      advance();
    }
    return current != null;
  }

  private void advance() throws IOException {
    if (local != null) {
      local.next();
      current = local.peek();
      return;
    }
    index++;
    while (batch == null || index == batch.count()) {
      if (batch != null && batch.next() == null) {
        current = null;
        index = batch.count() - 1;
        return;
      }
      if (call == null) {
        request(batch.next());
      }
      if (!receive()) {
        return;
      }
    }
    current = batch.cell(index);
  }

  private void request(Position from) {
    if (call != null) {
      call.abandon();
    }
    callFrom = from;
    // A reader that seeks over most of what it gets (many versions of few columns) is better served
    // by
    // small batches, each at the key that it seeks.
    batchBytes =
        isReadThrough() ? Math.min(read.maxBatchBytes, batchBytes * 2) : read.firstBatchBytes;
    call =
        nodes
            .client()
            .read(
                node.address(), template.toBuilder().setFrom(from).setMaxBytes(batchBytes).build());
  }

  private boolean isReadThrough() {
    return batch == null || skipped <= batch.count() / 2;
  }

  /**
   * Takes the answer under way. False if HBase's own path took over; then {@code current} is set.
   */
  private boolean receive() throws IOException {
    NodeBatch received;
    try {
      received = NodeBatch.of(call.await(), comparator, guards.size(), read.readPoint);
      checkProgress(received);
    } catch (DaemonException e) {
      fallBack(e);
      return false;
    }
    nodes.succeeded(node, paths());
    call = null;
    boolean readOn = batches > 0 && isReadThrough() && read.scan.getLimit() <= 0;
    batch = received;
    skipped = 0;
    batchFrom = callFrom;
    index = 0;
    unrecordedBytes += received.bytes();
    batches++;
    // The reader of a second batch reads on: the next one travels while this one is consumed.
    if (received.next() != null && readOn) {
      request(received.next());
    }
    return true;
  }

  private void checkProgress(NodeBatch received) throws DaemonException {
    if (callFrom != null
        && received.count() > 0
        && Positions.isBefore(
            comparator,
            received.cell(0),
            received.file(0),
            Positions.seekKey(callFrom),
            callFrom)) {
      throw new DaemonException(Reason.BAD_ANSWER, "The answer begins before " + callFrom);
    }
    Position next = received.next();
    if (next == null) {
      return;
    }
    Cell nextKey;
    try {
      nextKey = Positions.seekKey(next);
      if (callFrom != null && compare(nextKey, Positions.seekKey(callFrom)) < 0
          || received.count() > 0 && compare(nextKey, received.cell(received.count() - 1)) < 0) {
        throw new DaemonException(Reason.BAD_ANSWER, "The answer goes back to " + nextKey);
      }
    } catch (RuntimeException e) {
      throw new DaemonException(Reason.BAD_ANSWER, e);
    }
    if (received.count() > 0) {
      emptyAnswers = 0;
      return;
    }
    // An honest daemon sends an empty answer only after it has worked for its batch time.
    if (emptyAnswers++ == 0) {
      emptySinceNanos = System.nanoTime();
    }
    long nanos = System.nanoTime() - emptySinceNanos;
    if (next.equals(callFrom)
        || emptyAnswers > MAX_QUICK_EMPTY_ANSWERS && nanos < emptyAnswers * QUICK_NANOS) {
      throw new DaemonException(Reason.BAD_ANSWER, "The answers make no progress");
    }
  }

  /** Goes on over HBase's own path, from the place where the failed request was to begin. */
  private void fallBack(DaemonException failure) throws IOException {
    List<String> paths = paths();
    nodes.failed(node, paths, failure.reason());
    InStorageMetrics.get().fellBack(failure.reason());
    LOG.debug("{}: {} of {} go on over HBase's own path", failure.reason(), paths, node, failure);
    call = null;
    Cell from =
        callFrom != null
            ? Positions.seekKey(callFrom)
            : read.scan.includeStartRow()
                ? PrivateCellUtil.createFirstOnRow(read.scan.getStartRow())
                : PrivateCellUtil.createLastOnRow(read.scan.getStartRow());
    for (StoreFileScanner guard : guards) {
      guard.seek(from);
    }
    local = new LocalHeap(guards, comparator);
    if (callFrom != null) {
      while (local.peek() != null
          && Positions.isBefore(
              comparator, local.peek(), fileOf(local.currentOrder()), from, callFrom)) {
        local.next();
      }
    }
    batch = null;
    current = local.peek();
  }

  /** The merge of the guards. */
  private static final class LocalHeap extends KeyValueHeap {
    LocalHeap(List<StoreFileScanner> scanners, CellComparator comparator) throws IOException {
      super(scanners, comparator);
    }

    long currentOrder() {
      return current.getScannerOrder();
    }
  }

  private int fileOf(long order) {
    for (int file = 0; file < guards.size(); file++) {
      if (guards.get(file).getScannerOrder() == order) {
        return file;
      }
    }
    throw new IllegalStateException("No file of order " + order);
  }

  @Override
  public long getScannerOrder() {
    if (current == null) {
      return 0;
    }
    return local != null ? local.currentOrder() : guards.get(batch.file(index)).getScannerOrder();
  }

  @Override
  public boolean isFileScanner() {
    return true;
  }

  /** Says what the batches since the last call measured, as HBase says it of blocks. */
  @Override
  public void recordBlockSize(IntConsumer blockSizeConsumer) {
    if (local != null) {
      if (local.peek() != null) {
        local.recordBlockSize(blockSizeConsumer);
      }
    } else if (unrecordedBytes > 0) {
      blockSizeConsumer.accept(unrecordedBytes);
      unrecordedBytes = 0;
    }
  }

  @Override
  public void shipped() throws IOException {
    if (local != null) {
      local.shipped();
    }
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    InStorageMetrics.get().closed();
    if (call != null) {
      call.abandon();
    }
    if (local != null) {
      local.close();
    }
    guards.forEach(StoreFileScanner::close);
    current = null;
  }
}
