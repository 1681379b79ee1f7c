package io.ishbase.plugin.scan;

import static java.util.Objects.requireNonNull;

import io.ishbase.plugin.hbase.FilteredRows;
import io.ishbase.plugin.metrics.InStorageMetrics;
import io.ishbase.plugin.node.DaemonException;
import io.ishbase.protocol.CellBatch;
import io.ishbase.protocol.CellBatch.Gap;
import io.ishbase.protocol.Positions;
import io.ishbase.protocol.ReleaseAdapter;
import io.ishbase.protocol.generated.IssnProtos.Position;
import io.ishbase.protocol.generated.IssnProtos.RowRange;
import java.io.IOException;
import java.util.List;
import java.util.function.IntConsumer;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.PrivateCellUtil;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.ipc.RpcServer;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.NonLazyKeyValueScanner;
import org.apache.hadoop.hbase.regionserver.StoreFileScannerAccess;
import org.jspecify.annotations.Nullable;

/**
 * All of a store's HFiles on one storage node, as one scanner: the merge of the files arrives from
 * the daemon there, in batches, and goes into HBase's own heap, level 2 of the two-level heap
 * (IS-HBase, section 5.2.1).
 *
 * <p>It owns HBase's scanner of each of the files, its {@link Guards}. When a request fails for
 * whatever reason, they are merged here instead, from exactly the place that the failed request was
 * to begin at: HBase's own path takes over, and what stood in the heap before stays true.
 *
 * <p>Two cells that are equal but for their file sort by file, the newest first, so {@link
 * #getScannerOrder()} follows the current cell. HBase's heap asks for it whenever it compares, and
 * a scanner does not move while it stands in the heap.
 *
 * <p>A batch may have gaps ({@link CellBatch}). A seek across one costs nothing; a step into one,
 * or a seek to a place inside, asks the daemon again, this time for everything.
 *
 * <p>In a reverse scan rows come in descending order, the cells of a row in the usual one. There
 * HBase steps to the end of a row, where this scanner pretends to have ended, and then seeks the
 * row before.
 *
 * <p>Relies on HBase 2.6: {@code StoreScanner} asks {@code shouldUseScanner} of all scanners before
 * it seeks the first, so requests to several nodes are under way together; seeks go forward once a
 * cell was handed out. Like all of HBase's store scanners it is used by one thread at a time.
 */
public final class NodeScanner extends NonLazyKeyValueScanner implements RangeScanner {
  private final ReadContext context;
  private final ReadSpec read;
  private final ScanOrder order;
  private final Guards guards;
  private final NodeRequests requests;

  private @Nullable NodeBatch batch;
  private @Nullable Position batchFrom;
  private int index;

  /** Bytes of blocks that the daemon read up to the current cell and that HBase was not told of. */
  private long unrecordedBytes;

  /** Cells of the batch whose blocks are counted in. */
  private int countedCells;

  private final boolean countsFiltered;

  /** The cell of the batch ahead of which rows were left out that are not counted yet. */
  private int filteredAt;

  /** HBase's own path, once it took over. */
  private Guards.@Nullable Merge local;

  /** The next cell in the order of the scan; null at its end. */
  private @Nullable Cell head;

  /** The head, or null at the end of a row of a reverse scan. */
  private @Nullable Cell current;

  private boolean closed;

  /**
   * Takes over the part's guards.
   *
   * @param isSole whether the part's files are all that the reader sees of the store
   * @param fill takes what comes; null: nobody
   */
  public NodeScanner(
      ReadContext context,
      ReadPlan.Part part,
      ReadSpec read,
      boolean isSole,
      @Nullable FillSink fill,
      CellComparator comparator) {
    this.context = context;
    this.read = read;
    this.order = new ScanOrder(comparator, read.scan().isReversed());
    this.countsFiltered = FilteredRows.areCounted(read.scan());
    this.guards = new Guards(part.directory(), part.guards(), part.names(), order);
    this.requests = new NodeRequests(context, part.node(), read, guards, isSole, fill, order);
    InStorageMetrics.get().opened();
  }

  /** Drops the files that the scan does not need and, if any are left, sends the first request. */
  @Override
  public boolean shouldUseScanner(Scan scan, HStore store, long oldestUnexpiredTs) {
    if (!needs(scan, store, oldestUnexpiredTs)) {
      return false;
    }
    requests.first();
    return true;
  }

  @Override
  public boolean needs(Scan scan, HStore store, long oldestUnexpiredTs) {
    // The Gets of a call are to ask the same files, whichever of them may hold their rows.
    boolean byRow = read.multiGet() == null;
    long cutOff = requests.cutOff(oldestUnexpiredTs);
    List<String> before = guards.names();
    boolean isAnyNeeded =
        guards.retain(
            guard -> StoreFileScannerAccess.mayHoldCells(guard, scan, store, cutOff, byRow));
    if (guards.names().size() < before.size()) {
      context.health().untriedFiles(() -> guards.pathsWithout(before));
    }
    if (!isAnyNeeded) {
      requests.nothingNeeded();
      return false;
    }
    requests.prepare(oldestUnexpiredTs);
    return true;
  }

  @Override
  public void request(RowRange ofScan) {
    requests.narrow(ofScan);
    drop();
    batchFrom = null;
    if (local == null) {
      requests.firstAlone();
    }
  }

  @Override
  public void begin() throws IOException {
    if (local != null) {
      local.heap().reseek(Guards.startOf(requests.range()));
      head = local.heap().peek();
    } else {
      toFirst();
    }
    current = head;
  }

  @Override
  public @Nullable Cell peek() {
    return current;
  }

  @Override
  public @Nullable Cell next() throws IOException {
    Cell result = current;
    if (result != null) {
      step();
      current =
          order.reversed() && head != null && order.comparator().compareRows(head, result) != 0
              ? null
              : head;
    }
    return result;
  }

  @Override
  public boolean seek(Cell key) throws IOException {
    return seekInOrder(key);
  }

  @Override
  public boolean backwardSeek(Cell key) throws IOException {
    return seekInOrder(key);
  }

  @Override
  public boolean seekToLastRow() throws IOException {
    if (head == null) {
      toFirst();
    }
    current = head;
    return current != null;
  }

  private void toFirst() throws IOException {
    if (!requests.isPrepared()) {
      requests.prepare(0);
      requests.first();
    }
    index = -1;
    step();
  }

  private boolean seekInOrder(Cell key) throws IOException {
    if (local == null && (head == null || order.compare(key, head) < 0)) {
      if (batchFrom != null && order.compare(key, Positions.seekKey(batchFrom)) < 0) {
        requests.next(Positions.atKey(key), false);
        drop();
      }
      toFirst();
    }
    return reseek(key);
  }

  @Override
  public boolean reseek(Cell key) throws IOException {
    skipTo(key);
    current = head;
    return current != null;
  }

  @Override
  public boolean seekToPreviousRow(Cell key) throws IOException {
    return reseek(PrivateCellUtil.createLastOnRow(key));
  }

  private void skipTo(Cell key) throws IOException {
    // The first was read, and HBase seeks to go on.
    boolean isRead = true;
    while (head != null && order.compare(head, key) < 0) {
      if (local != null) {
        local.skipTo(key);
        head = local.heap().peek();
        return;
      }
      NodeBatch in = batch();
      Gap gap = in.gap(index);
      if (gap != Gap.NONE && order.compare(key, gapEnd(gap, head)) < 0) {
        enterGap(Positions.atKey(key));
        continue;
      }
      if (index == in.count() - 1
          && in.next() != null
          && !requests.isUnderWay()
          && order.compare(Positions.seekKey(in.next()), key) < 0) {
        // What lies between the batch and the key is not wanted.
        requests.next(Positions.atKey(key), false);
      }
      if (!isRead) {
        requests.growth().skipped();
      }
      isRead = false;
      stepOver();
    }
  }

  /** What the head is of while HBase's own path has not taken over. */
  private NodeBatch batch() {
    return requireNonNull(batch, "a head of no batch");
  }

  private static Cell gapEnd(Gap gap, Cell before) {
    return gap == Gap.COLUMN
        ? PrivateCellUtil.createLastOnRowCol(before)
        : PrivateCellUtil.createLastOnRow(before);
  }

  /** Fetches what a gap left out, from a place in it on. */
  private void enterGap(Position from) throws IOException {
    InStorageMetrics.get().enteredGap();
    requests.growth().enteredGap();
    requests.next(from, false);
    drop();
    index = -1;
    stepOver();
  }

  private void step() throws IOException {
    if (local == null && batch != null && index >= 0 && batch.gap(index) != Gap.NONE) {
      enterGap(Positions.afterCell(batch.cell(index), batch.file(index)));
    } else {
      stepOver();
    }
  }

  /** Moves to the next cell that the daemon sent. */
  private void stepOver() throws IOException {
    if (local != null) {
      local.heap().next();
      head = local.heap().peek();
      return;
    }
    index++;
    while (batch == null || index == batch.count()) {
      Position rest = batch == null ? null : batch.next();
      if (batch != null) {
        countFiltered(batch, Integer.MAX_VALUE);
      }
      if (batch != null && rest == null) {
        head = null;
        index = batch.count() - 1;
        countRest(batch);
        return;
      }
      if (!requests.isUnderWay()) {
        requests.next(requireNonNull(rest, "the first request is the scan's"), false);
      }
      if (!receive()) {
        return;
      }
    }
    countFiltered(batch, index + 1);
    head = batch.cell(index);
    if (batch.next() != null && requests.mayRunAhead(index)) {
      requests.next(batch.next(), true);
    }
  }

  /** The rest of the batch is not wanted. */
  private void drop() {
    requests.growth().dropped(index + 1);
    letGo();
  }

  private void letGo() {
    if (batch != null) {
      countBlocks(batch);
      context.buffers().hold(-batch.bytes());
      batch = null;
    }
  }

  // What the daemon read for cells that the reader does not come to, HBase would not have read.
  private void countBlocks(NodeBatch of) {
    int to = index >= of.count() - 1 ? Integer.MAX_VALUE : index + 1;
    if (to > countedCells) {
      unrecordedBytes += of.blockBytes(countedCells, to);
      countedCells = to;
    }
  }

  /**
   * Counts rows that were left out ahead of the cells up to an index: HBase's scanner, too, counts
   * those that it comes to.
   */
  private void countFiltered(NodeBatch of, int to) {
    if (countsFiltered && filteredAt < to) {
      FilteredRows.add(of.filteredRows(filteredAt, to));
      filteredAt = of.filteredAt(to);
    }
  }

  /**
   * Counts what the daemons read behind the last cell: HBase asks only the scanner that has the
   * next one. Here, not in {@link #close}: HBase closes the scanners of a call behind it.
   */
  private void countRest(NodeBatch last) {
    countBlocks(last);
    RpcServer.getCurrentCall()
        .ifPresent(
            call -> {
              ReleaseAdapter.addBlockBytes(call, unrecordedBytes);
              unrecordedBytes = 0;
            });
  }

  /** Takes the answer under way. False if HBase's own path took over; then the head is set. */
  private boolean receive() throws IOException {
    NodeBatch received;
    try {
      received = requests.await();
    } catch (DaemonException e) {
      requests.giveUp(e);
      drop();
      local = guards.merge(requests.range(), requests.from());
      head = local.heap().peek();
      return false;
    }
    letGo();
    batch = received;
    batchFrom = requests.from();
    index = 0;
    countedCells = 0;
    filteredAt = batch.filteredAt(0);
    return true;
  }

  @Override
  public long getScannerOrder() {
    if (current == null) {
      return 0;
    }
    return local != null ? local.currentOrder() : guards.order(batch().file(index));
  }

  @Override
  public boolean isFileScanner() {
    return true;
  }

  /** Says what the daemons read of blocks since the last call. */
  @Override
  public void recordBlockSize(IntConsumer blockSizeConsumer) {
    if (local != null) {
      if (local.heap().peek() != null) {
        local.heap().recordBlockSize(blockSizeConsumer);
      }
    } else if (batch != null) {
      countBlocks(batch);
    }
    if (unrecordedBytes > 0) {
      int told = (int) Math.min(unrecordedBytes, Integer.MAX_VALUE);
      blockSizeConsumer.accept(told);
      unrecordedBytes -= told;
    }
  }

  @Override
  public void shipped() throws IOException {
    if (local != null) {
      local.heap().shipped();
    }
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    InStorageMetrics.get().closed();
    requests.close();
    drop();
    if (local != null) {
      local.heap().close();
    }
    guards.close();
    head = null;
    current = null;
  }
}
