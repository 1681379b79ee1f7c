package io.ishbase.plugin.compaction;

import io.ishbase.core.compaction.LocalReason;
import io.ishbase.plugin.metrics.CompactionMetrics;
import io.ishbase.plugin.settings.StoreSettings;
import io.ishbase.protocol.SeekKeys;
import io.ishbase.protocol.generated.CompactionProtos.CompactRequest;
import io.ishbase.protocol.generated.CompactionProtos.Stripes;
import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.random.RandomGenerator;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.PrivateCellUtil;
import org.apache.hadoop.hbase.Tag;
import org.apache.hadoop.hbase.TagType;
import org.apache.hadoop.hbase.io.hfile.DataBlockIndex;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.io.hfile.HFileScanner;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.KeyValueHeap;
import org.apache.hadoop.hbase.regionserver.ScanInfo;
import org.apache.hadoop.hbase.regionserver.ScanType;
import org.apache.hadoop.hbase.regionserver.StoreFileScanner;
import org.apache.hadoop.hbase.regionserver.querymatcher.CompactionScanQueryMatcher;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.EnvironmentEdgeManager;
import org.jspecify.annotations.Nullable;

/**
 * Some rows of a compaction, for which the region server finds out what is to be in the new files:
 * by HBase's own rules (its {@code CompactionScanQueryMatcher}) over the old files, at the worker's
 * read point. What the rows are is not told to the worker.
 *
 * <p>Rows in which something expires about now are left out: the worker saw the time of its own
 * beginning. So are sequence ids, which HBase drops by the age of files.
 */
final class CompactionSample implements Closeable {
  private static final long LEAST_BYTES = 64 << 10;

  /** After so much, what was read before is let go. */
  private static final long SHIPPED_BYTES = 256 << 10;

  /** A row is compared to its end, unless there is so much more of it. */
  private static final long WIDE_ROW_BYTES = 16 << 20;

  private static final long LEAST_SKEW_MILLIS = 30_000;
  private static final long MOST_SKEW_MILLIS = Duration.ofDays(1).toMillis();

  private final HStore store;
  private final ScanInfo rules;
  private final CellComparator order;
  private final CompactionScanQueryMatcher matcher;
  private final long readPoint;
  private final KeyValueHeap old;
  private final PriorityQueue<Written> written;

  /** Between these, in milliseconds, the worker's time was. */
  private final long earliest;

  private final long latest;
  private long read;
  private long shipped;

  /** Of the present row: whether the worker may be right with other cells, too. */
  private boolean isUndecided;

  /** Of the present row: whether versions of the column without a name were passed over. */
  private boolean passedUnnamed;

  /** Of the present row; null: none yet. */
  private @Nullable String difference;

  /** What is wrong whatever the time was; null: nothing yet. */
  private @Nullable String denial;

  /** A new file, at one of its cells. */
  private record Written(HFileScanner scanner, FileClaims claims) {
    Cell cell() {
      return scanner.getCell();
    }
  }

  /**
   * Opens the files at {@code first}; the caller closes the results.
   *
   * @param request to which {@code results} are the answer
   * @param files that were compacted
   * @param first its row and those behind it are compared; null: from the first on
   */
  private CompactionSample(
      HStore store,
      CompactRequest request,
      Collection<HStoreFile> files,
      Collection<FileClaims> results,
      @Nullable Cell first)
      throws IOException {
    this.store = store;
    this.rules = store.getScanInfo();
    this.order = store.getComparator();
    this.matcher = matcher(store, request, files);
    this.readPoint = request.getReadPoint();
    // Not less than HBase's default: a table has the setting too, and would have workers doubted.
    long skew =
        Math.min(
            MOST_SKEW_MILLIS,
            Math.max(
                LEAST_SKEW_MILLIS,
                store.getReadOnlyConfiguration().getLong("hbase.master.maxclockskew", 0)));
    this.earliest = request.getNow() - skew;
    this.latest = Math.max(request.getNow(), EnvironmentEdgeManager.currentTime()) + skew;
    this.written = new PriorityQueue<>((one, other) -> order.compare(one.cell(), other.cell()));
    for (FileClaims result : results) {
      HFileScanner scanner =
          result.cells().getScanner(store.getReadOnlyConfiguration(), false, true);
      if (seek(scanner, first)) {
        written.add(new Written(scanner, result));
      }
    }
    this.old = heap(files, first);
  }

  /**
   * Compares as much of a compaction as the store's settings say.
   *
   * @param request to which {@code results} are the answer
   * @param files that were compacted, which {@code input} describes
   * @throws OffloadException if cells are not what they should be, or cannot be compared
   * @throws InterruptedIOException if the store closes
   * @throws IOException if the new files cannot be read
   */
  static void check(
      HStore store,
      CompactRequest request,
      Collection<HStoreFile> files,
      CompactionInput input,
      List<HFile.Reader> results)
      throws IOException {
    int oneIn = StoreSettings.of(store).verifiesCompactionsOneIn();
    if (oneIn == 0) {
      return;
    }
    long part = Math.max(LEAST_BYTES, input.bytes() / oneIn);
    long bytes = oneIn == 1 || part >= input.bytes() ? Long.MAX_VALUE : part;
    List<FileClaims> claims = new ArrayList<>();
    try {
      for (HFile.Reader result : results) {
        claims.add(claims(store, result));
      }
      // A part that begins before the first row, and so has it, is as likely as any other.
      RandomGenerator random = ThreadLocalRandom.current();
      Cell first =
          bytes == Long.MAX_VALUE || random.nextInt(oneIn) == 0 ? null : randomRow(files, random);
      if (check(store, request, files, claims, first, bytes) == 0 && first != null) {
        // It was behind all of them.
        check(store, request, files, claims, null, bytes);
      }
    } catch (OffloadException | UnreadableResult e) {
      throw e;
    } catch (IOException | RuntimeException e) {
      // No fault of the worker: the store's own files, or HBase's rules.
      InterruptedIOException interruption = StoreWait.interruption(e);
      throw interruption != null ? interruption : new OffloadException(LocalReason.HERE, e);
    } finally {
      claims.forEach(FileClaims::close);
    }
  }

  private static FileClaims claims(HStore store, HFile.Reader result) throws IOException {
    try {
      return new FileClaims(store, result);
    } catch (IOException | RuntimeException e) {
      throw UnreadableResult.of(e);
    }
  }

  /** A new file is not what it should be. */
  private static final class UnreadableResult extends IOException {
    private static final long serialVersionUID = 1;

    private UnreadableResult(Exception cause) {
      super(cause);
    }

    static IOException of(Exception failure) {
      InterruptedIOException interruption = StoreWait.interruption(failure);
      return interruption != null ? interruption : new UnreadableResult(failure);
    }
  }

  private static long check(
      HStore store,
      CompactRequest request,
      Collection<HStoreFile> files,
      List<FileClaims> results,
      @Nullable Cell first,
      long bytes)
      throws IOException {
    try (CompactionSample sample = new CompactionSample(store, request, files, results, first)) {
      String difference = sample.compare(bytes);
      if (difference != null) {
        throw new OffloadException(LocalReason.WRONG_CELLS, difference);
      }
      CompactionMetrics.get().verified(sample.read);
      return sample.read;
    }
  }

  /** About as likely of each data block; null: there is no cell. */
  private static @Nullable Cell randomRow(Collection<HStoreFile> files, RandomGenerator random)
      throws IOException {
    // Of half a file, too, all of it: HBase's store file reader would only guess where it begins.
    List<HFile.Reader> readers =
        files.stream()
            .map(file -> file.getReader().getHFileReader())
            .filter(reader -> reader.getEntries() > 0)
            .toList();
    long place = random.nextLong(1 + readers.stream().mapToLong(HFile.Reader::length).sum());
    for (HFile.Reader reader : readers) {
      place -= reader.length();
      if (place <= 0) {
        List<Cell> keys = DataBlockIndex.rootKeys(reader);
        reader.getLastKey().ifPresent(keys::add);
        int block = random.nextInt(keys.size() - 1);
        return PrivateCellUtil.createFirstOnRow(
            RandomRow.between(
                CellUtil.cloneRow(keys.get(block)),
                CellUtil.cloneRow(keys.get(block + 1)),
                random));
      }
    }
    return null;
  }

  private static boolean seek(HFileScanner scanner, @Nullable Cell first) throws IOException {
    try {
      if (first == null) {
        return scanner.seekTo();
      }
      return switch (scanner.seekTo(first)) {
        // Between two blocks, too: at the cell behind.
        case 0, HConstants.INDEX_KEY_MAGIC -> true;
        case -1 -> scanner.seekTo();
        // At the last cell before.
        default -> scanner.next();
      };
    } catch (IOException | RuntimeException e) {
      throw UnreadableResult.of(e);
    }
  }

  private KeyValueHeap heap(Collection<HStoreFile> files, @Nullable Cell first) throws IOException {
    List<StoreFileScanner> scanners =
        StoreFileScanner.getScannersForStoreFiles(
            files, false, /* usePread= */ true, false, false, Long.MAX_VALUE);
    boolean isOpen = false;
    try {
      for (StoreFileScanner scanner : scanners) {
        scanner.seek(first == null ? PrivateCellUtil.createFirstOnRow(new byte[0]) : first);
      }
      KeyValueHeap heap = new KeyValueHeap(scanners, order);
      isOpen = true;
      return heap;
    } finally {
      if (!isOpen) {
        scanners.forEach(StoreFileScanner::close);
      }
    }
  }

  /** The rules of HBase's compactors. */
  private static CompactionScanQueryMatcher matcher(
      HStore store, CompactRequest request, Collection<HStoreFile> files) throws IOException {
    ScanInfo rules = store.getScanInfo();
    Stripes stripes = request.getStripes();
    return CompactionScanQueryMatcher.create(
        rules,
        request.getAllFiles() && !request.hasStripes()
            ? ScanType.COMPACT_DROP_DELETES
            : ScanType.COMPACT_RETAIN_DELETES,
        request.getReadPoint(),
        request.getAllFiles() ? earliestPut(files) : HConstants.LATEST_TIMESTAMP,
        request.getNow() - rules.getTtl(),
        request.getNow(),
        stripes.hasMajorFrom() ? stripes.getMajorFrom().toByteArray() : null,
        stripes.hasMajorTo() ? stripes.getMajorTo().toByteArray() : null,
        store.getCoprocessorHost());
  }

  /** From a family's deletion on, all that is older can be none. */
  private static long earliestPut(Collection<HStoreFile> files) throws IOException {
    long earliest = HConstants.LATEST_TIMESTAMP;
    for (HStoreFile file : files) {
      Map<byte[], byte[]> info = file.getReader().loadFileInfo();
      byte[] time = info.get(HStoreFile.EARLIEST_PUT_TS);
      earliest =
          Math.min(earliest, time == null ? HConstants.OLDEST_TIMESTAMP : Bytes.toLong(time));
    }
    return earliest;
  }

  /**
   * Compares.
   *
   * @param bytes of cells of the old files, after which it ends with the row
   * @return the first difference, or null
   * @throws InterruptedIOException if the store closes
   */
  private @Nullable String compare(long bytes) throws IOException {
    while (read < bytes) {
      Cell oldest = old.peek();
      Cell given = written();
      if (oldest == null || given != null && order.compareRows(given, oldest) < 0) {
        return given == null ? null : difference(null, given);
      }
      isUndecided = false;
      passedUnnamed = false;
      difference = null;
      compareRow(
          CellUtil.cloneRow(oldest),
          bytes > Long.MAX_VALUE - WIDE_ROW_BYTES ? bytes : bytes + WIDE_ROW_BYTES);
      if (denial != null) {
        return denial;
      }
      if (difference != null && !isUndecided) {
        return difference;
      }
    }
    return null;
  }

  private void compareRow(byte[] row, long mostBytes) throws IOException {
    matcher.setToNewRow(PrivateCellUtil.createFirstOnRow(row));
    Cell cell = old.peek();
    while (cell != null && CellUtil.matchingRows(cell, row)) {
      read += PrivateCellUtil.estimatedSerializedSizeOf(cell);
      if (read > mostBytes) {
        // Not to its end: nobody knows.
        isUndecided = true;
        return;
      }
      isUndecided |= changes(cell) || passedUnnamed && mayBePassedOver(cell);
      step(cell);
      Cell next = old.peek();
      if (next != null && order.compare(next, cell) <= 0) {
        // HBase's rules of new version behaviour may say for ever where to go, and it is here.
        isUndecided = true;
        old.next();
      }
      ship();
      cell = old.peek();
    }
    Cell more = written();
    while (more != null && CellUtil.matchingRows(more, row)) {
      take(null);
      more = written();
    }
  }

  private void step(Cell cell) throws IOException {
    switch (matcher.match(cell)) {
      case INCLUDE:
        take(cell);
        old.next();
        break;
      case INCLUDE_AND_SEEK_NEXT_COL:
        take(cell);
        toNextColumn(cell);
        break;
      case INCLUDE_AND_SEEK_NEXT_ROW:
        take(cell);
        old.reseek(PrivateCellUtil.createLastOnRow(cell));
        break;
      case SEEK_NEXT_COL:
        toNextColumn(cell);
        break;
      case SEEK_NEXT_ROW:
      case DONE:
        old.reseek(PrivateCellUtil.createLastOnRow(cell));
        break;
      default:
        old.next();
    }
  }

  private void toNextColumn(Cell cell) throws IOException {
    passedUnnamed |= cell.getQualifierLength() == 0;
    old.reseek(SeekKeys.ahead(matcher.getKeyForNextColumn(cell)));
  }

  /**
   * Markers of the column without a name, and of the family, lie between its versions, as does what
   * a reader does not see yet. Whether HBase passes them over with the versions depends on where
   * its blocks end (HBASE-18471).
   */
  private boolean mayBePassedOver(Cell cell) {
    return cell.getQualifierLength() == 0
        && (PrivateCellUtil.isDelete(cell.getTypeByte()) || cell.getSequenceId() > readPoint);
  }

  /** Compares the next cell that was written; {@code kept} null: there is to be none. */
  private void take(@Nullable Cell kept) throws IOException {
    Cell given = written();
    if (kept != null && (given == null || !CellUtil.matchingRows(given, kept))) {
      given = null;
    }
    if (difference == null && (kept == null || given == null || !isSame(kept, given))) {
      difference = difference(kept, given);
    }
    if (given != null) {
      ask(given);
      next();
    }
  }

  /** Asks the file whether HBase will look for the cell in it. */
  private void ask(Cell given) throws IOException {
    if (denial == null) {
      String why = written.element().claims().denies(given);
      denial = why == null ? null : "The worker's file denies " + named(given) + ", by " + why;
    }
  }

  private @Nullable Cell written() {
    Written next = written.peek();
    return next == null ? null : next.cell();
  }

  private void next() throws IOException {
    Written next = written.remove();
    try {
      if (next.scanner().next()) {
        written.add(next);
      } else {
        next.scanner().close();
      }
    } catch (IOException | RuntimeException e) {
      throw UnreadableResult.of(e);
    }
  }

  private boolean isSame(Cell kept, Cell given) {
    return CellUtil.equals(kept, given)
        // A compaction may move a value between the store's file and a MOB file.
        && (store.getColumnFamilyDescriptor().isMobEnabled()
            || CellUtil.matchingValue(kept, given)
                && Arrays.equals(
                    PrivateCellUtil.cloneTags(kept), PrivateCellUtil.cloneTags(given)));
  }

  private static String difference(@Nullable Cell kept, @Nullable Cell given) {
    return String.format(
        "HBase's rules keep %s, and the worker wrote %s",
        kept == null ? "nothing more of the row" : named(kept),
        given == null ? "nothing more of the row" : named(given));
  }

  private static String named(Cell cell) {
    return CellUtil.getCellKeyAsString(cell)
        + ", "
        + cell.getValueLength()
        + " bytes of value, "
        + cell.getTagsLength()
        + " of tags";
  }

  /** Whether what HBase does with it was another thing earlier, or will be later. */
  private boolean changes(Cell cell) {
    return changes(cell, rules.getTtl())
        // HBase's new version behaviour lets go of those with a file in which all have expired.
        || rules.isNewVersionBehavior() && latest - cell.getTimestamp() > rules.getTtl()
        || rules.getTimeToPurgeDeletes() > 0
            && PrivateCellUtil.isDelete(cell.getTypeByte())
            && changes(cell, rules.getTimeToPurgeDeletes())
        || PrivateCellUtil.getTag(cell, TagType.TTL_TAG_TYPE)
            .map(ttl -> changes(cell, Tag.getValueAsLong(ttl)))
            .orElse(false);
  }

  private boolean changes(Cell cell, long age) {
    return earliest - cell.getTimestamp() <= age && latest - cell.getTimestamp() > age;
  }

  /** Lets go of what was read. */
  private void ship() throws IOException {
    if (read - shipped < SHIPPED_BYTES) {
      return;
    }
    shipped = read;
    StoreWait.checkOpen(store);
    matcher.beforeShipped();
    old.shipped();
    for (Written each : written) {
      each.scanner().shipped();
    }
  }

  @Override
  public void close() {
    old.close();
    written.forEach(each -> each.scanner().close());
  }
}
