package io.ishbase.plugin.regionserver;

import io.ishbase.core.Reason;
import io.ishbase.protocol.CellBatch;
import io.ishbase.protocol.CellBatch.Gap;
import io.ishbase.protocol.Positions;
import io.ishbase.protocol.Protocol;
import io.ishbase.protocol.generated.IssnProtos.Position;
import io.ishbase.protocol.generated.IssnProtos.ReadRequest;
import io.ishbase.protocol.generated.IssnProtos.RowRange;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.PrivateCellUtil;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.monitoring.ThreadLocalServerSideScanMetrics;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.KeyValueHeap;
import org.apache.hadoop.hbase.regionserver.NonLazyKeyValueScanner;
import org.apache.hadoop.hbase.regionserver.ReversedKeyValueHeap;
import org.apache.hadoop.hbase.regionserver.ScanInfo;
import org.apache.hadoop.hbase.regionserver.StoreFileScanner;
import org.apache.hadoop.hbase.regionserver.StoreFileScannerAccess;
import org.apache.hadoop.hbase.util.Bytes;
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
final class NodeScanner extends NonLazyKeyValueScanner {
  private static final Logger LOG = LoggerFactory.getLogger(NodeScanner.class);

  /** First batch of a Get: a usual row at once, but not all versions of a hot one. */
  private static final int GET_BATCH_BYTES = 64 << 10;

  /** Versions of a column that are fetched into the cache although they are not asked for. */
  private static final int CACHED_VERSIONS = 8;

  private static final int MAX_QUICK_EMPTY_ANSWERS = 100;
  private static final long QUICK_NANOS = 10_000_000L;

  /** Requests without gaps after a gap was entered, doubled each time. */
  private static final int MAX_UNTRIMMED_REQUESTS = 1 << 20;

  /**
   * What a read asks for, the same for all of its node scanners.
   *
   * @param rowLimit rows that the client takes at most; 0: unknown
   * @param multiGet what the Get is a part of; null if it is alone, or a scan
   * @param cache what is cached of the store; null if the read may not use it
   * @param fill takes what comes into the cache; null: it does not go there
   * @param explanation takes the words if the read is to be explained, not done; else null
   */
  record Read(
      Scan scan,
      RegionInfo region,
      ScanInfo family,
      NavigableSet<byte[]> columns,
      long readPoint,
      int rowLimit,
      MultiGet multiGet,
      int firstBatchBytes,
      int maxBatchBytes,
      CachedStore cache,
      CacheFill fill,
      List<String> explanation) {}

  private final StorageNodes nodes;
  private final StorageNode node;
  private final String directory;
  private final Read read;
  private final boolean isSole;
  private final boolean reversed;
  private final CellComparator comparator;
  private CacheFill fill;
  private List<StoreFileScanner> guards;
  private List<String> files;

  private RowRange range;
  private Pushdown pushdown;
  private long oldestUnexpired;
  private ReadRequest template;
  private DaemonClient.Call call;
  private MultiGet.Answer answerToAll;
  private Position callFrom;
  private int callBytes;
  private int untrimmedRequests;
  private int untrimmedNextTime = 1;
  private int rowLimit;
  private int rowsReceived;

  private NodeBatch batch;
  private Position batchFrom;
  private int index;
  private int skipped;
  private int batches;
  private int heldBytes;
  private long usedBytes;
  private int unrecordedBytes;
  private int emptyAnswers;
  private long emptySinceNanos;

  private LocalHeap local;

  /** The next cell in the order of the scan; null at its end. */
  private Cell head;

  /** The head, or null at the end of a row of a reverse scan. */
  private Cell current;

  private boolean closed;

  /**
   * Takes over {@code guards}, which stand in ascending scanner order and share a directory.
   *
   * @param files names of their files, in the same order
   * @param isSole whether they are all that the reader sees of the store
   * @param fill takes what comes; null: nobody
   */
  NodeScanner(
      StorageNodes nodes,
      StorageNode node,
      String directory,
      List<StoreFileScanner> guards,
      List<String> files,
      Read read,
      boolean isSole,
      CacheFill fill,
      CellComparator comparator) {
    this.nodes = nodes;
    this.node = node;
    this.directory = directory;
    this.guards = guards;
    this.files = files;
    this.read = read;
    this.isSole = isSole;
    this.fill = fill;
    this.reversed = read.scan.isReversed();
    this.comparator = comparator;
    InStorageMetrics.get().opened();
  }

  /** Drops the files that the scan does not need and, if any are left, sends the first request. */
  @Override
  public boolean shouldUseScanner(Scan scan, HStore store, long oldestUnexpiredTs) {
    if (!needs(scan, store, oldestUnexpiredTs)) {
      return false;
    }
    requestFirst();
    return true;
  }

  /**
   * Drops the files that the scan does not need, and says whether any are left. What is asked of
   * them is settled here: a filter that has been at work may no longer be what it was.
   */
  boolean needs(Scan scan, HStore store, long oldestUnexpiredTs) {
    List<StoreFileScanner> needed = new ArrayList<>(guards.size());
    List<String> neededFiles = new ArrayList<>(guards.size());
    for (int i = 0; i < guards.size(); i++) {
      StoreFileScanner guard = guards.get(i);
      // The Gets of a call are to ask the same files, whichever of them may hold their rows.
      if (StoreFileScannerAccess.mayHoldCells(
          guard, scan, store, oldestUnexpiredTs, read.multiGet == null)) {
        needed.add(guard);
        neededFiles.add(files.get(i));
      } else {
        guard.close();
      }
    }
    guards = needed;
    files = neededFiles;
    oldestUnexpired = oldestUnexpiredTs;
    if (needed.isEmpty() && fill != null) {
      fill.receivedNothing();
      fill = null;
    }
    if (needed.isEmpty()) {
      return false;
    }
    template = template(true);
    return true;
  }

  /**
   * Goes to the rows of a range that lies in the scan's, behind what was read so far. To be called
   * after {@link #needs}, instead of the first seek, and as often as one likes.
   */
  void request(RowRange ofScan) {
    range = ofScan;
    drop();
    batchFrom = null;
    if (local == null) {
      template = template.toBuilder().clearRange().addRange(range).build();
      requestAlone();
    }
  }

  /** Waits for the first row of the range that was requested last. */
  void begin() throws IOException {
    if (local != null) {
      local.heap().reseek(startOf(range));
      head = local.heap().peek();
    } else {
      toFirst();
    }
    current = head;
  }

  private void requestFirst() {
    if (read.multiGet == null || !askWithOthers()) {
      requestAlone();
    }
  }

  private boolean askWithOthers() {
    ReadRequest.Builder trimmed = template.toBuilder();
    trim(trimmed);
    answerToAll =
        read.multiGet.answer(
            nodes,
            node,
            trimmed.build(),
            read.scan.getStartRow(),
            maxSequenceId(),
            read.maxBatchBytes,
            comparator);
    return answerToAll != null;
  }

  private long maxSequenceId() {
    return guards.stream().mapToLong(StoreFileScannerAccess::maxSequenceId).max().orElse(0);
  }

  private void requestAlone() {
    ReadRequest.Builder first = template.toBuilder();
    int bytes = read.firstBatchBytes;
    rowLimit = rowLimit();
    if (rowLimit > 0) {
      bytes = read.maxBatchBytes;
    }
    if (read.scan.isGetScan()) {
      bytes = Math.min(read.maxBatchBytes, GET_BATCH_BYTES);
    }
    if (!nodes.hasRoom(bytes)) {
      bytes = Math.min(bytes, read.firstBatchBytes);
    }
    send(first, null, bytes);
  }

  // Only where the reader returns every row that the daemon sends does its limit say how many to
  // send.
  private int rowLimit() {
    if (read.scan.isGetScan() || !pushdown.selectsRows()) {
      return 0;
    }
    long pages = pushdown.pageSize();
    return pages > 0 && (read.rowLimit == 0 || pages < read.rowLimit)
        ? (int) Math.min(pages, Integer.MAX_VALUE)
        : read.rowLimit;
  }

  private ReadRequest template(boolean mayFilter) {
    Scan scan = read.scan;
    if (range == null) {
      range = rangeOfScan();
    }
    ReadRequest.Builder request =
        ReadRequest.newBuilder()
            .setVersion(Protocol.VERSION)
            .setDirectory(directory)
            .addAllFile(files)
            .setReadPoint(read.readPoint)
            .addRange(range);
    if (!scan.getCacheBlocks()) {
      request.setCacheBlocks(false);
    }
    if (reversed) {
      request.setReversed(true);
    }
    pushdown = nodes.pushdown(read, isSole, node, mayFilter);
    pushdown.addTo(request, oldestUnexpired);
    if (fill != null && !bringsAll(request)) {
      abandonFill();
    }
    return request.build();
  }

  // What has expired nobody will see again, and nothing else may be missing.
  private boolean bringsAll(ReadRequest.Builder request) {
    return !request.hasFilter()
        && !request.getNoValues()
        && !request.hasMinTimestamp()
        && !request.hasMaxTimestamp()
        && (request.getColumnCount() == 0 || read.scan.isGetScan())
        && maxSequenceId() <= read.readPoint;
  }

  /**
   * The scan's rows, as far as they are the region's. HBase's reader of half a file does not always
   * stop at the half's end after a seek.
   */
  RowRange rangeOfScan() {
    Scan scan = read.scan;
    RowRange.Builder range = RowRange.newBuilder();
    if (scan.getStartRow().length > 0) {
      range.setStartRow(bytes(scan.getStartRow())).setIncludeStart(scan.includeStartRow());
    }
    byte[] stop = scan.getStopRow();
    boolean includeStop = scan.includeStopRow();
    byte[] border = reversed ? read.region.getStartKey() : read.region.getEndKey();
    if (border.length > 0 && !scan.isGetScan()) {
      int order = stop.length == 0 ? 1 : Bytes.compareTo(stop, border);
      if (stop.length == 0 || (reversed ? order < 0 : order >= 0)) {
        stop = border;
        includeStop = reversed;
      }
    }
    if (stop.length > 0) {
      range.setStopRow(bytes(stop)).setIncludeStop(includeStop);
    }
    return range.build();
  }

  private static ByteString bytes(byte[] bytes) {
    return UnsafeByteOperations.unsafeWrap(bytes);
  }

  private List<String> paths() {
    return files.stream().map(file -> directory + "/" + file).toList();
  }

  @Override
  public Cell peek() {
    return current;
  }

  @Override
  public Cell next() throws IOException {
    Cell result = current;
    if (result != null) {
      step();
      current = reversed && head != null && comparator.compareRows(head, result) != 0 ? null : head;
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
    if (template == null) {
      template = template(true);
      requestFirst();
    }
    index = -1;
    step();
  }

  private boolean seekInOrder(Cell key) throws IOException {
    if (local == null) {
      if (batchFrom != null && order(key, Positions.seekKey(batchFrom)) < 0) {
        request(Positions.atKey(key), false);
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

  /** Compares places by the order of the scan. */
  private int order(Cell cell, Cell key) {
    if (reversed) {
      int rows = comparator.compareRows(key, cell);
      if (rows != 0) {
        return rows;
      }
    }
    return PrivateCellUtil.compareKeyIgnoresMvcc(comparator, cell, key);
  }

  private boolean isBefore(Cell cell, int file, Position position) {
    Cell key = Positions.seekKey(position);
    int rows = comparator.compareRows(cell, key);
    return rows == 0
        ? Positions.isBefore(comparator, cell, file, key, position)
        : reversed ? rows > 0 : rows < 0;
  }

  private void skipTo(Cell key) throws IOException {
    while (head != null && order(head, key) < 0) {
      if (local != null) {
        if (reversed) {
          local.heap().backwardSeek(key);
        } else {
          local.heap().reseek(key);
        }
        head = local.heap().peek();
        return;
      }
      if (batch.gap(index) != Gap.NONE && order(key, gapEnd()) < 0) {
        enterGap(Positions.atKey(key));
        continue;
      }
      if (index == batch.count() - 1
          && batch.next() != null
          && call == null
          && order(Positions.seekKey(batch.next()), key) < 0) {
        // What lies between the batch and the key is not wanted.
        request(Positions.atKey(key), false);
      }
      skipped++;
      stepOver();
    }
  }

  private Cell gapEnd() {
    return batch.gap(index) == Gap.COLUMN
        ? PrivateCellUtil.createLastOnRowCol(head)
        : PrivateCellUtil.createLastOnRow(head);
  }

  /** Fetches what a gap left out, from a place in it on. */
  private void enterGap(Position from) throws IOException {
    InStorageMetrics.get().enteredGap();
    untrimmedRequests = untrimmedNextTime;
    untrimmedNextTime = Math.min(2 * untrimmedNextTime, MAX_UNTRIMMED_REQUESTS);
    request(from, false);
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
      if (batch != null && batch.next() == null) {
        head = null;
        index = batch.count() - 1;
        return;
      }
      if (call == null && answerToAll == null) {
        request(batch.next(), false);
      }
      if (!receive()) {
        return;
      }
    }
    head = batch.cell(index);
    // Half of a batch that was not the first is used: its reader goes on, so the next one may
    // travel.
    if (call == null
        && batches > 1
        && 2 * index >= batch.count()
        && batch.next() != null
        && isReadThrough()
        && rowLimit == 0) {
      request(batch.next(), true);
    }
  }

  /**
   * Asks for what lies from {@code from} on. At no time more is on its way or unread than was read
   * before, plus a first batch.
   *
   * @param ahead whether nobody waits for it yet: then only if the buffers of all reads allow it
   */
  private void request(Position from, boolean ahead) {
    // A reader that seeks over most of what it gets (many versions of few columns) is better served
    // by small batches, each at the key that it seeks.
    long wanted =
        rowLimit > 0
            ? read.maxBatchBytes
            : isReadThrough() ? read.firstBatchBytes + usedBytes : read.firstBatchBytes;
    int bytes = (int) Math.min(read.maxBatchBytes, wanted);
    if (!nodes.hasRoom(bytes)) {
      if (ahead) {
        return;
      }
      bytes = read.firstBatchBytes;
    }
    send(template.toBuilder().setFrom(from), from, bytes);
  }

  private void send(ReadRequest.Builder request, Position from, int bytes) {
    abandonCall();
    if (untrimmedRequests > 0) {
      untrimmedRequests--;
    } else {
      trim(request);
    }
    if (rowLimit > 0) {
      // The rest of the rows that the client takes now, or of those it takes the next time.
      request.setMaxRows(rowLimit - rowsReceived % rowLimit);
    }
    callFrom = from;
    callBytes = bytes;
    nodes.hold(bytes);
    call = nodes.client().read(node.address(), request.setMaxBytes(bytes).build());
  }

  private void abandonCall() {
    if (call != null) {
      call.abandon();
      call = null;
      nodes.hold(-callBytes);
    }
  }

  private void trim(ReadRequest.Builder request) {
    pushdown.trim(request);
    if (fill != null && request.hasTrimVersions()) {
      // A row with a gap is not cached, one with some more versions may be.
      request.setTrimVersions(Math.max(request.getTrimVersions(), CACHED_VERSIONS));
    }
  }

  private void fill(NodeBatch received) {
    if (fill == null) {
      return;
    }
    try {
      fill.received(received, template, callFrom);
    } catch (RuntimeException e) {
      // A defect of the cache must not become one of the read.
      LOG.warn("What {} sent of {} does not go into the cache", node, paths(), e);
      abandonFill();
    }
  }

  private void abandonFill() {
    if (fill != null) {
      fill.abandon();
      fill = null;
    }
  }

  /** Lets go of the batch. */
  private void drop() {
    if (batch != null) {
      nodes.hold(-heldBytes);
      batch = null;
    }
  }

  private boolean isReadThrough() {
    return batch == null || skipped <= batch.count() / 2;
  }

  /** Takes the answer under way. False if HBase's own path took over; then the head is set. */
  private boolean receive() throws IOException {
    NodeBatch received;
    long start = System.nanoTime();
    try {
      received =
          answerToAll != null
              ? takeFromAnswerToAll()
              : NodeBatch.of(call.await(), comparator, files.size(), read.readPoint, reversed);
      checkProgress(received);
    } catch (DaemonException e) {
      if (e.reason() == Reason.FILTER && pushdown.filterClass() != null) {
        goOnWithoutFilter(e);
        return true;
      }
      fallBack(e);
      return false;
    }
    nodes.succeeded(node, paths(), pushdown);
    if (call == null) {
      callBytes = 0;
    }
    call = null;
    nodes.hold(received.bytes() - callBytes);
    nodes.came(received.bytes());
    if (batch != null) {
      usedBytes += heldBytes;
    }
    drop();
    batch = received;
    heldBytes = received.bytes();
    skipped = 0;
    batchFrom = callFrom;
    index = 0;
    unrecordedBytes += received.bytes();
    batches++;
    if (ThreadLocalServerSideScanMetrics.isScanMetricsEnabled()) {
      // To the client's scan metrics an answer is what a block is: a read of storage.
      ThreadLocalServerSideScanMetrics.addBytesReadFromFs(received.bytes());
      ThreadLocalServerSideScanMetrics.addBlockReadOpsCount(1);
      ThreadLocalServerSideScanMetrics.addFsReadTime(
          TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start));
    }
    fill(received);
    if (rowLimit > 0) {
      rowsReceived += received.completeRows(comparator);
    }
    return true;
  }

  private NodeBatch takeFromAnswerToAll() throws IOException {
    NodeBatch taken = answerToAll.take(read.scan.getStartRow());
    while (taken == null) {
      // The budget of the answer ended before this row: the next one begins with a later one.
      askWithOthers();
      taken = answerToAll.take(read.scan.getStartRow());
    }
    if (!read.multiGet.isTimed()) {
      read.multiGet.took();
    }
    answerToAll = null;
    return taken;
  }

  private void goOnWithoutFilter(DaemonException failure) {
    LOG.info("{} does not use the filter {}", node, pushdown.filterClass(), failure);
    InStorageMetrics.get().fellBack(Reason.FILTER);
    nodes.failedFilter(node, pushdown.filterClass());
    answerToAll = null;
    Position from = callFrom;
    drop();
    template = template(false);
    if (from == null) {
      requestAlone();
    } else {
      request(from, false);
    }
  }

  private void checkProgress(NodeBatch received) throws DaemonException {
    try {
      if (callFrom != null
          && received.count() > 0
          && isBefore(received.cell(0), received.file(0), callFrom)) {
        throw new DaemonException(Reason.BAD_ANSWER, "The answer begins before " + callFrom);
      }
      Position next = received.next();
      if (next == null) {
        return;
      }
      Cell nextKey = Positions.seekKey(next);
      if (callFrom != null && order(nextKey, Positions.seekKey(callFrom)) < 0
          || received.count() > 0 && order(nextKey, received.cell(received.count() - 1)) < 0) {
        throw new DaemonException(Reason.BAD_ANSWER, "The answer goes back to " + nextKey);
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
    } catch (RuntimeException e) {
      throw new DaemonException(Reason.BAD_ANSWER, e);
    }
  }

  /** Goes on over HBase's own path, from the place where the failed request was to begin. */
  private void fallBack(DaemonException failure) throws IOException {
    List<String> paths = paths();
    nodes.failed(node, paths, failure.reason());
    InStorageMetrics.get().fellBack(failure.reason());
    String message = "{}: {} of {} go on over HBase's own path";
    if (failure.reason() == Reason.BAD_ANSWER) {
      // A defect, of a daemon or of this class; all else is everyday life.
      LOG.warn(message, failure.reason(), paths, node, failure);
    } else {
      LOG.debug(message, failure.reason(), paths, node, failure);
    }
    Position from = callFrom;
    abandonFill();
    answerToAll = null;
    abandonCall();
    drop();
    seekGuards(from);
    local =
        reversed
            ? new ReversedLocalHeap(guards, comparator)
            : new ForwardLocalHeap(guards, comparator);
    head = local.heap().peek();
    while (from != null && head != null && isBefore(head, fileOf(local.currentOrder()), from)) {
      local.heap().next();
      head = local.heap().peek();
    }
  }

  private static Cell startOf(RowRange range) {
    byte[] row = range.getStartRow().toByteArray();
    return range.getIncludeStart()
        ? PrivateCellUtil.createFirstOnRow(row)
        : PrivateCellUtil.createLastOnRow(row);
  }

  private void seekGuards(Position from) throws IOException {
    byte[] startRow = range.getStartRow().toByteArray();
    Cell key = from != null ? Positions.seekKey(from) : startOf(range);
    for (StoreFileScanner guard : guards) {
      if (!reversed) {
        guard.seek(key);
      } else if (from == null && startRow.length == 0) {
        guard.seekToLastRow();
      } else {
        guard.backwardSeek(key);
      }
    }
  }

  /** The merge of the guards. */
  private interface LocalHeap {
    KeyValueHeap heap();

    long currentOrder();
  }

  private static final class ForwardLocalHeap extends KeyValueHeap implements LocalHeap {
    ForwardLocalHeap(List<StoreFileScanner> scanners, CellComparator comparator)
        throws IOException {
      super(scanners, comparator);
    }

    @Override
    public KeyValueHeap heap() {
      return this;
    }

    @Override
    public long currentOrder() {
      return current.getScannerOrder();
    }
  }

  private static final class ReversedLocalHeap extends ReversedKeyValueHeap implements LocalHeap {
    ReversedLocalHeap(List<StoreFileScanner> scanners, CellComparator comparator)
        throws IOException {
      super(scanners, comparator);
    }

    @Override
    public KeyValueHeap heap() {
      return this;
    }

    @Override
    public long currentOrder() {
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
      if (local.heap().peek() != null) {
        local.heap().recordBlockSize(blockSizeConsumer);
      }
    } else if (unrecordedBytes > 0) {
      blockSizeConsumer.accept(unrecordedBytes);
      unrecordedBytes = 0;
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
    abandonFill();
    abandonCall();
    drop();
    if (local != null) {
      local.heap().close();
    }
    guards.forEach(StoreFileScanner::close);
    head = null;
    current = null;
  }
}
