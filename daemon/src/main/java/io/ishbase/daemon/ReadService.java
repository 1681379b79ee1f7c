package io.ishbase.daemon;

import io.ishbase.protocol.CellBatch;
import io.ishbase.protocol.Positions;
import io.ishbase.protocol.Protocol;
import io.ishbase.protocol.generated.IssnProtos.Code;
import io.ishbase.protocol.generated.IssnProtos.IssnService;
import io.ishbase.protocol.generated.IssnProtos.ReadRequest;
import io.ishbase.protocol.generated.IssnProtos.ReadResponse;
import io.ishbase.protocol.generated.IssnProtos.RowRange;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.CellComparatorImpl;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.ExtendedCell;
import org.apache.hadoop.hbase.PrivateCellUtil;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.ipc.RpcServer;
import org.apache.hadoop.hbase.regionserver.IssnStoreFileAccess;
import org.apache.hadoop.hbase.regionserver.StoreFileReader;
import org.apache.hadoop.hbase.regionserver.StoreFileScanner;
import org.apache.hadoop.hbase.security.User;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hbase.thirdparty.com.google.protobuf.RpcController;
import org.apache.hbase.thirdparty.com.google.protobuf.UnsafeByteOperations;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The scan service: answers a request with the cells of its files that lie in its ranges, merged,
 * up to a budget, and with the place where the rest begins. It keeps nothing between two requests
 * but open files and cached blocks, so that any daemon that reaches the files can go on with any
 * scan.
 *
 * <p>What it leaves out, the region server's matcher would certainly discard: cells newer than the
 * read point, rows outside the ranges, and columns that were not asked for unless the cell is a
 * delete-family marker.
 */
final class ReadService implements IssnService.BlockingInterface {
  private static final Logger LOG = LoggerFactory.getLogger(ReadService.class);
  private static final CellComparator COMPARATOR = CellComparatorImpl.COMPARATOR;

  static final int MAX_FILES = 1000;
  static final int MAX_RANGES = 10_000;
  static final int MAX_COLUMNS = 10_000;

  /** Bytes of cells looked at after which the blocks behind them are given back. */
  private static final int SHIPPED_EVERY_BYTES = 1 << 20;

  /** Cells looked at between two looks at the clock. */
  private static final int LOOKS_PER_CLOCK = 256;

  private final HFileReaders readers;
  private final String rootPrefix;
  private final User owner;
  private final int handlers;
  private final int maxBatchBytes;
  private final long maxBatchNanos;
  private final DaemonMetrics metrics;
  private final AtomicInteger busyHandlers = new AtomicInteger();
  private volatile boolean stopping;

  ReadService(
      HFileReaders readers,
      Path root,
      User owner,
      int handlers,
      int maxBatchBytes,
      long maxBatchNanos,
      DaemonMetrics metrics) {
    this.readers = readers;
    String path = root.toUri().getPath();
    this.rootPrefix = path.endsWith("/") ? path : path + "/";
    this.owner = owner;
    this.handlers = handlers;
    this.maxBatchBytes = maxBatchBytes;
    this.maxBatchNanos = maxBatchNanos;
    this.metrics = metrics;
  }

  /** From now on every request is answered STOPPING. */
  void stop() {
    stopping = true;
  }

  int loadPercent() {
    return Math.min(100, 100 * busyHandlers.get() / handlers);
  }

  @Override
  public ReadResponse read(RpcController controller, ReadRequest request) {
    long start = System.nanoTime();
    busyHandlers.incrementAndGet();
    ReadResponse response;
    try {
      check(request);
      response = answer(request, start);
    } catch (RequestException e) {
      LOG.debug("{}: {}", e.code(), e.getMessage(), e);
      response = refusal(e);
    } catch (IOException | RuntimeException e) {
      RequestException classified = HFileReaders.classified(request.getDirectory(), e);
      LOG.warn("Cannot answer a read of {}: {}", request.getDirectory(), e.toString(), e);
      for (String file : request.getFileList()) {
        readers.drop(request.getDirectory() + "/" + file);
      }
      response = refusal(classified);
    } finally {
      busyHandlers.decrementAndGet();
    }
    metrics.answered(response, System.nanoTime() - start);
    return response;
  }

  private static ReadResponse refusal(RequestException e) {
    return ReadResponse.newBuilder().setCode(e.code()).setMessage(e.getMessage()).build();
  }

  private void check(ReadRequest request) throws RequestException {
    if (stopping) {
      throw new RequestException(Code.STOPPING, "This daemon is stopping");
    }
    if (request.getVersion() != Protocol.VERSION) {
      throw new RequestException(
          Code.VERSION,
          "Protocol version " + request.getVersion() + ", this daemon speaks " + Protocol.VERSION);
    }
    // With security on HBase's RPC has authenticated the caller; only region servers may read here.
    if (User.isHBaseSecurityEnabled(metrics.conf())) {
      String caller = RpcServer.getRequestUser().map(User::getShortName).orElse("");
      if (!caller.equals(owner.getShortName())) {
        throw new RequestException(Code.REFUSED, "User '" + caller + "' is no region server");
      }
    }
    String directory = request.getDirectory();
    if (!directory.startsWith(rootPrefix)
        || directory.contains("/../")
        || directory.endsWith("/..")) {
      throw new RequestException(
          Code.REFUSED, "'" + directory + "' is not below the HBase root " + rootPrefix);
    }
    bounded("files", request.getFileCount(), 1, MAX_FILES);
    bounded("ranges", request.getRangeCount(), 1, MAX_RANGES);
    bounded("columns", request.getColumnCount(), 0, MAX_COLUMNS);
    for (String file : request.getFileList()) {
      if (file.isEmpty() || file.indexOf('/') >= 0) {
        throw new RequestException(Code.BAD_REQUEST, "'" + file + "' is not a file name");
      }
    }
  }

  private static void bounded(String what, int count, int min, int max) throws RequestException {
    if (count < min || count > max) {
      throw new RequestException(
          Code.BAD_REQUEST, count + " " + what + ": must be " + min + " to " + max);
    }
  }

  private ReadResponse answer(ReadRequest request, long startNanos) throws IOException {
    List<HFileReaders.Lease> leases = new ArrayList<>(request.getFileCount());
    try {
      for (String file : request.getFileList()) {
        leases.add(readers.acquire(request.getDirectory() + "/" + file));
      }
      return new Batch(request, leases, startNanos).fill();
    } finally {
      leases.forEach(HFileReaders.Lease::release);
    }
  }

  /** The making of one answer. */
  private final class Batch {
    private final ReadRequest request;
    private final List<HFileReaders.Lease> leases;
    private final long deadlineNanos;
    private final int maxBytes;
    private final int maxRows;
    private final byte[][] columns;
    private final SortedSet<byte[]> columnSet;
    private final CellBatch.Encoder cells;

    private byte[] currentRow;
    private int rows;
    private int looked;
    private int unshippedBytes;

    Batch(ReadRequest request, List<HFileReaders.Lease> leases, long startNanos) {
      this.request = request;
      this.leases = leases;
      this.deadlineNanos = startNanos + maxBatchNanos;
      this.maxBytes =
          request.hasMaxBytes() && request.getMaxBytes() > 0
              ? Math.min(request.getMaxBytes(), maxBatchBytes)
              : maxBatchBytes;
      this.maxRows = request.hasMaxRows() ? Math.max(1, request.getMaxRows()) : Integer.MAX_VALUE;
      if (request.getColumnCount() == 0) {
        this.columnSet = null;
        this.columns = null;
      } else {
        this.columnSet = new TreeSet<>(Bytes.BYTES_COMPARATOR);
        request.getColumnList().forEach(column -> columnSet.add(column.toByteArray()));
        this.columns = columnSet.toArray(byte[][]::new);
      }
      this.cells = new CellBatch.Encoder(2048);
    }

    ReadResponse fill() throws IOException {
      ReadResponse.Builder response = ReadResponse.newBuilder().setCode(Code.OK);
      for (RowRange range : request.getRangeList()) {
        if (!fill(range, response)) {
          break;
        }
      }
      return response
          .setCellCount(cells.count())
          .setCells(UnsafeByteOperations.unsafeWrap(cells.array(), 0, cells.size()))
          .setCrc32C(CellBatch.crc32c(cells.array(), cells.size()))
          .setLoadPercent(loadPercent())
          .build();
    }

    /** Adds the cells of a range. False if the budget ended first; then {@code next} is set. */
    private boolean fill(RowRange range, ReadResponse.Builder response) throws IOException {
      byte[] startRow = range.getStartRow().toByteArray();
      byte[] stopRow = range.getStopRow().toByteArray();
      boolean bounded = range.hasStopRow() && stopRow.length > 0;
      Cell start =
          range.getIncludeStart()
              ? PrivateCellUtil.createFirstOnRow(startRow)
              : PrivateCellUtil.createLastOnRow(startRow);
      if (request.hasFrom()) {
        Cell from = Positions.seekKey(request.getFrom());
        if (COMPARATOR.compare(from, start) > 0) {
          start = from;
          if (bounded && isPast(start, stopRow, range.getIncludeStop())) {
            return true;
          }
        }
      }
      Level1Heap heap = open(range, startRow, stopRow, start);
      try {
        if (request.hasFrom()) {
          skipTo(heap);
        }
        for (ExtendedCell cell = heap.peek(); cell != null; cell = heap.peek()) {
          if (bounded && isPast(cell, stopRow, range.getIncludeStop())) {
            return true;
          }
          if (isFull(cell)) {
            response.setNext(Positions.atCell(cell, heap.currentFile()));
            return false;
          }
          if (isWanted(cell)) {
            cells.add(heap.currentFile(), cell);
          }
          advance(heap, cell);
        }
        return true;
      } finally {
        heap.close();
      }
    }

    private Level1Heap open(RowRange range, byte[] startRow, byte[] stopRow, Cell start)
        throws IOException {
      Scan scan = asScan(range, startRow, stopRow);
      List<StoreFileScanner> scanners = new ArrayList<>(leases.size());
      boolean opened = false;
      try {
        for (int file = 0; file < leases.size(); file++) {
          StoreFileReader reader = leases.get(file).reader();
          if (!reader.passesKeyRangeFilter(scan)
              || !IssnStoreFileAccess.passesBloomFilter(reader, scan, columnSet)) {
            continue;
          }
          StoreFileScanner scanner =
              reader.getStoreFileScanner(
                  request.getCacheBlocks(), true, false, request.getReadPoint(), file, false);
          scanners.add(scanner);
          scanner.seek(start);
        }
        Level1Heap heap = new Level1Heap(scanners, COMPARATOR);
        opened = true;
        return heap;
      } finally {
        if (!opened) {
          scanners.forEach(StoreFileScanner::close);
        }
      }
    }

    // Key ranges and Bloom filters are asked as HBase's scanner would ask them.
    private Scan asScan(RowRange range, byte[] startRow, byte[] stopRow) {
      return new Scan()
          .withStartRow(startRow, range.getIncludeStart())
          .withStopRow(stopRow, range.getIncludeStop());
    }

    private void skipTo(Level1Heap heap) throws IOException {
      Cell seekKey = Positions.seekKey(request.getFrom());
      ExtendedCell cell = heap.peek();
      while (cell != null
          && Positions.isBefore(COMPARATOR, cell, heap.currentFile(), seekKey, request.getFrom())) {
        heap.next();
        cell = heap.peek();
      }
    }

    private boolean isPast(Cell cell, byte[] stopRow, boolean includeStop) {
      int order = COMPARATOR.compareRows(cell, stopRow, 0, stopRow.length);
      return includeStop ? order > 0 : order >= 0;
    }

    /**
     * Whether the budget ends before {@code cell}. At least one cell is looked at in each answer.
     */
    private boolean isFull(Cell cell) {
      if (cells.size() >= maxBytes) {
        return true;
      }
      if (maxRows < Integer.MAX_VALUE && !isOnCurrentRow(cell)) {
        if (rows == maxRows) {
          return true;
        }
        rows++;
        currentRow = CellUtil.cloneRow(cell);
      }
      return ++looked % LOOKS_PER_CLOCK == 0 && System.nanoTime() - deadlineNanos > 0;
    }

    private boolean isOnCurrentRow(Cell cell) {
      return currentRow != null
          && COMPARATOR.compareRows(cell, currentRow, 0, currentRow.length) == 0;
    }

    private boolean isWanted(Cell cell) {
      return columns == null
          || isAskedFor(cell)
          || PrivateCellUtil.isDeleteFamily(cell)
          || PrivateCellUtil.isDeleteFamilyVersion(cell);
    }

    private boolean isAskedFor(Cell cell) {
      int low = 0;
      int high = columns.length - 1;
      while (low <= high) {
        int middle = (low + high) >>> 1;
        byte[] column = columns[middle];
        int order = CellUtil.compareQualifiers(cell, column, 0, column.length);
        if (order == 0) {
          return true;
        }
        if (order < 0) {
          high = middle - 1;
        } else {
          low = middle + 1;
        }
      }
      return false;
    }

    private void advance(Level1Heap heap, ExtendedCell cell) throws IOException {
      unshippedBytes += cell.getSerializedSize();
      heap.next();
      if (unshippedBytes >= SHIPPED_EVERY_BYTES) {
        unshippedBytes = 0;
        heap.shipped();
      }
    }
  }
}
