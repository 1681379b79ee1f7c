package io.ishbase.plugin.shadow;

import static java.util.Objects.requireNonNull;

import io.ishbase.core.ReadMode;
import io.ishbase.core.Setting;
import io.ishbase.plugin.metrics.InStorageMetrics;
import io.ishbase.protocol.ReleaseAdapter;
import io.ishbase.protocol.StorageReads;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.NotServingRegionException;
import org.apache.hadoop.hbase.PrivateCellUtil;
import org.apache.hadoop.hbase.Tag;
import org.apache.hadoop.hbase.TagType;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.IsolationLevel;
import org.apache.hadoop.hbase.client.PackagePrivateFieldAccessor;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.filter.ColumnValueFilter;
import org.apache.hadoop.hbase.filter.CompareFilter;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.filter.FilterList;
import org.apache.hadoop.hbase.filter.RandomRowFilter;
import org.apache.hadoop.hbase.filter.SingleColumnValueFilter;
import org.apache.hadoop.hbase.filter.SkipFilter;
import org.apache.hadoop.hbase.filter.WhileMatchFilter;
import org.apache.hadoop.hbase.ipc.RpcCall;
import org.apache.hadoop.hbase.ipc.RpcServer;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.NoLimitScannerContext;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.apache.hadoop.hbase.regionserver.ScannerContext;
import org.apache.hadoop.hbase.regionserver.ScannerContext.LimitScope;
import org.apache.hadoop.hbase.regionserver.Shipper;
import org.apache.hadoop.hbase.regionserver.WatchedRegionScanners;
import org.apache.hadoop.hbase.shaded.protobuf.ProtobufUtil;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.EnvironmentEdgeManager;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One read that is answered over HBase's own path as well, at the same read point, cell by cell as
 * its user gets it. At the first difference HBase's scanner takes over, and the store is closed to
 * other ways than HBase's for a while. The comparison ends early, without a verdict, when it has
 * taken too long, or comes to a cell that has expired since the read began. For use by one thread
 * at a time.
 */
public final class ShadowRead implements WatchedRegionScanners.Correction {
  private static final String IS_OURS = "ishbase.ours";
  private static final Logger LOG = LoggerFactory.getLogger(ShadowRead.class);
  private static final byte[] STOCK = Bytes.toBytes(ReadMode.STOCK.name().toLowerCase(Locale.ROOT));

  /** What HBase's scanner may bring at once; of a longer row it is a part. */
  private static final long PIECE_BYTES = 256 << 10;

  private static final long MAX_CELLS = 100_000;

  /** A time that does not come. */
  private static final long NEVER = Long.MAX_VALUE;

  /** The region that is read. */
  public interface Region {
    /** Opens a scan that nobody checks. */
    RegionScanner open(Scan scan) throws IOException;

    /** What tells by {@code equals} whether the region has other files than before. */
    Object files();

    /** Whether coprocessors have a say in which cells a read sees. */
    boolean hasReadHooks();

    /** Forgets what is cached of a family, which had other cells than HBase reads. */
    void forget(String family);
  }

  private final Scan read;
  private final Scan asked;
  private final TableDescriptor table;
  private final RegionInfo info;
  private final Region region;
  private final ShadowReads shadows;

  /** Whether it is to find out if a row differs once more. */
  private final boolean isSecond;

  /** Of the region, before the read began. */
  private final Object files;

  /** HBase's; null before the first step, and when the comparison has ended. */
  private @Nullable RegionScanner stock;

  /** What HBase's scanner gave and the other has not, all of one row. */
  private final Deque<Cell> expected = new ArrayDeque<>();

  /** Of HBase's last step. */
  private ScannerContext last = NoLimitScannerContext.getInstance();

  private boolean stockHasMore = true;

  /** What had expired by then it saw for another reason: a family may keep a least of versions. */
  private final long begunMillis = EnvironmentEdgeManager.currentTime();

  /** How many of the present step's cells HBase has, too. */
  private int agreed;

  private long cells;
  private long nanos;
  private long stepBegan;
  private boolean hasEnded;
  private boolean hasTakenOver;

  private ShadowRead(
      Scan read,
      Scan asked,
      TableDescriptor table,
      RegionInfo info,
      Region region,
      ShadowReads shadows,
      boolean isSecond) {
    this.read = read;
    this.asked = asked;
    this.table = table;
    this.info = info;
    this.region = region;
    this.shadows = shadows;
    this.isSecond = isSecond;
    this.files = region.files();
  }

  /**
   * That of a read that is about to begin; null if it is none that HBase's path can judge: its
   * filter is not HBase's own, which is all that it says of itself when it is copied, or is not of
   * one mind; it may see what is not committed; or HBase's scanner is known not to be right always,
   * as in reverse beside flushes (HBASE-29254), or not to get on, as over named columns of families
   * with new version behaviour.
   */
  public static @Nullable ShadowRead of(
      Scan scan, TableDescriptor table, RegionInfo info, Region region, ShadowReads shadows) {
    if (scan.getIsolationLevel() != IsolationLevel.READ_COMMITTED
        || scan.isReversed()
        || scan.getClass() != Scan.class
        || scan.getFilter() != null && !isWhatItSays(scan.getFilter())
        || Arrays.stream(table.getColumnFamilies())
            .anyMatch(ColumnFamilyDescriptor::isNewVersionBehavior)) {
      return null;
    }
    try {
      return new ShadowRead(scan, copy(scan), table, info, region, shadows, false);
    } catch (IOException | RuntimeException e) {
      LOG.debug("Not checked, as it cannot be copied: {}", scan, e);
      return null;
    }
  }

  /**
   * Takes note that a read goes other ways than HBase's own path, in one of its stores at least.
   */
  public static void isOurs(Scan read) {
    read.setAttribute(IS_OURS, new byte[0]);
  }

  // Others may be told more at the server than they write, or be of a class that only they have.
  private static boolean isWhatItSays(Filter filter) {
    if (!isOfHBase(filter) || filter instanceof RandomRowFilter) {
      return false;
    }
    if (filter instanceof FilterList list) {
      return list.getFilters().stream().allMatch(ShadowRead::isWhatItSays);
    }
    if (filter instanceof SkipFilter skip) {
      return isWhatItSays(skip.getFilter());
    }
    if (filter instanceof WhileMatchFilter whileMatch) {
      return isWhatItSays(whileMatch.getFilter());
    }
    return (!(filter instanceof CompareFilter compare) || isOfHBase(compare.getComparator()))
        && (!(filter instanceof SingleColumnValueFilter single)
            || isOfHBase(single.getComparator()))
        && (!(filter instanceof ColumnValueFilter value) || isOfHBase(value.getComparator()));
  }

  private static boolean isOfHBase(@Nullable Object filterOrComparator) {
    return filterOrComparator == null
        || filterOrComparator.getClass().getPackage() == Filter.class.getPackage();
  }

  /** With a filter of its own, which has seen nothing yet. */
  private static Scan copy(Scan scan) throws IOException {
    Scan copy = new Scan(scan);
    if (scan.getFilter() != null) {
      copy.setFilter(ProtobufUtil.toFilter(ProtobufUtil.toFilter(scan.getFilter())));
    }
    return copy;
  }

  private RegionScanner open(Scan scan, boolean isStock, long readPoint) throws IOException {
    Scan copy = copy(scan);
    if (isStock) {
      copy.setAttribute(Setting.READ.key(), STOCK);
      // Else HBase, where there is a time limit, pauses in front of its stream reads, and a filter
      // that looks beyond its row forgets what it has seen.
      copy.setReadType(Scan.ReadType.PREAD);
    }
    PackagePrivateFieldAccessor.setMvccReadPoint(copy, readPoint);
    return region.open(copy);
  }

  @Override
  public @Nullable RegionScanner instead() {
    return hasTakenOver ? stock : null;
  }

  @Override
  public boolean next(
      WatchedRegionScanners.Step step, List<Cell> result, ScannerContext context, long readPoint)
      throws IOException {
    if (hasTakenOver && stock != null) {
      return nextOfStock(stock, result, context);
    }
    int before = result.size();
    boolean hasMore = step.take(result, context);
    if (!isSecond && read.getAttribute(IS_OURS) == null) {
      // HBase would be compared with itself.
      end();
    }
    if (hasEnded) {
      return hasMore;
    }
    List<Cell> given = result.subList(before, result.size());
    stepBegan = System.nanoTime();
    RpcCall call = RpcServer.getCurrentCall().orElse(null);
    long scanned = call == null ? 0 : ReleaseAdapter.blockBytes(call);
    try (StorageReads.Span ignored = StorageReads.pause()) {
      if (agrees(given, hasMore, context, readPoint)) {
        return hasMore;
      }
    } catch (InterruptedIOException | NotServingRegionException e) {
      // Not the comparison's alone: the region closes, or the thread is to end.
      end();
      throw e;
    } catch (IOException | RuntimeException e) {
      LOG.warn("A read of region {} was not compared with HBase's", info.getEncodedName(), e);
      end();
      return hasMore;
    } finally {
      nanos += System.nanoTime() - stepBegan;
      if (call != null) {
        // The client's quota is for what it asked.
        ReleaseAdapter.addBlockBytes(call, scanned - ReleaseAdapter.blockBytes(call));
      }
    }
    return takeOver(requireNonNull(stock), given, context, readPoint);
  }

  /** Whether HBase gives the same; true as well when that is not to be found out. */
  private boolean agrees(List<Cell> given, boolean hasMore, ScannerContext context, long readPoint)
      throws IOException {
    if (stock == null) {
      stock = open(asked, true, readPoint);
    }
    agreed = 0;
    for (Cell cell : given) {
      Cell other = peek(stock);
      if (hasEnded) {
        return true;
      }
      if (other == null || !isSame(cell, other)) {
        if (hasExpired(cell)) {
          end(false);
        }
        return hasEnded;
      }
      expected.remove();
      agreed++;
    }
    cells += agreed;
    if (!hasMore) {
      boolean isWhole = peek(stock) == null;
      if (isWhole && !hasEnded) {
        end(true);
      }
      return isWhole;
    }
    boolean isWholeRow = !given.isEmpty() && !WatchedRegionScanners.endedWithinRow(context);
    if (isWholeRow && (!expected.isEmpty() || WatchedRegionScanners.endedWithinRow(last))) {
      Cell other = peek(stock);
      if (other != null && CellUtil.matchingRows(given.get(given.size() - 1), other)) {
        // The client takes the row for complete.
        return false;
      }
    }
    if (!hasEnded && (cells > MAX_CELLS || leftNanos() <= 0)) {
      end(false);
    }
    return true;
  }

  /** HBase's next cell; null if there is none, or none in time, which ends the comparison. */
  private @Nullable Cell peek(RegionScanner scanner) throws IOException {
    while (expected.isEmpty() && stockHasMore) {
      long left = leftNanos();
      if (left <= 0) {
        end(false);
        return null;
      }
      long untilMillis =
          EnvironmentEdgeManager.currentTime() + 1 + TimeUnit.NANOSECONDS.toMillis(left);
      last =
          ReleaseAdapter.limitBytes(ScannerContext.newBuilder(), PIECE_BYTES)
              .setTimeLimit(LimitScope.BETWEEN_CELLS, untilMillis)
              .build();
      pull(scanner);
    }
    return expected.peek();
  }

  private void pull(RegionScanner scanner) throws IOException {
    List<Cell> piece = new ArrayList<>();
    stockHasMore = scanner.nextRaw(piece, last);
    expected.addAll(piece);
  }

  private long leftNanos() {
    return TimeUnit.MILLISECONDS.toNanos(shadows.longestMillis())
        - nanos
        - (System.nanoTime() - stepBegan);
  }

  private static boolean isSame(Cell one, Cell other) {
    return CellUtil.equals(one, other)
        && CellUtil.matchingValue(one, other)
        && Bytes.equals(
            one.getTagsArray(),
            one.getTagsOffset(),
            one.getTagsLength(),
            other.getTagsArray(),
            other.getTagsOffset(),
            other.getTagsLength());
  }

  /** Whether HBase's scanner may have come too late for it, and for what its end has changed. */
  private boolean hasExpired(Cell cell) {
    return hasExpired(cell, EnvironmentEdgeManager.currentTime()) && !hasExpired(cell, begunMillis);
  }

  private boolean hasExpired(Cell cell, long nowMillis) {
    long age = nowMillis - cell.getTimestamp();
    ColumnFamilyDescriptor family = table.getColumnFamily(CellUtil.cloneFamily(cell));
    return family != null && age >= HStore.determineTTLFromFamily(family)
        || PrivateCellUtil.getTag(cell, TagType.TTL_TAG_TYPE)
            .map(ttl -> age >= Tag.getValueAsLong(ttl))
            .orElse(false);
  }

  /** Puts HBase's cells in the place of those from the first that differs on. */
  private boolean takeOver(
      RegionScanner scanner, List<Cell> given, ScannerContext context, long readPoint)
      throws IOException {
    hasTakenOver = true;
    Cell ours = agreed < given.size() ? given.get(agreed) : null;
    Cell theirs = expected.peek();
    if (isSecond) {
      return false;
    }
    blame(ours, theirs, readPoint);
    given.subList(agreed, given.size()).clear();
    if (agreed > 0 && theirs != null && !CellUtil.matchingRows(given.get(0), theirs)) {
      // The row that was given has no more, and HBase's next one comes with the next step.
      WatchedRegionScanners.endsBehindRow(context, true);
      return true;
    }
    return nextOfStock(scanner, given, context);
  }

  private boolean nextOfStock(RegionScanner scanner, List<Cell> result, ScannerContext context)
      throws IOException {
    if (expected.isEmpty() && agreed == 0 && stockHasMore) {
      return scanner.nextRaw(result, context);
    }
    // What was given of this step already is a part of the batch.
    int stands = agreed;
    agreed = 0;
    boolean isPart = WatchedRegionScanners.endedWithinRow(last) && stockHasMore;
    int batch = asked.getBatch();
    int most = batch <= 0 ? Integer.MAX_VALUE : result.size() - stands + batch;
    if (isPart && batch <= 0 && !asked.getAllowPartialResults()) {
      // Without any limit HBase would take what follows for a new row, and forget its markers.
      last = ScannerContext.newBuilder().setTimeLimit(LimitScope.BETWEEN_CELLS, NEVER).build();
      pull(scanner);
      isPart = false;
    }
    while (!expected.isEmpty() && result.size() < most) {
      result.add(expected.remove());
    }
    if (!expected.isEmpty() || isPart) {
      WatchedRegionScanners.endsWithinRow(context);
      return true;
    }
    WatchedRegionScanners.endsBehindRow(context, stockHasMore);
    return stockHasMore;
  }

  private void blame(@Nullable Cell ours, @Nullable Cell theirs, long readPoint)
      throws IOException {
    Cell cell = requireNonNull(theirs == null ? ours : theirs);
    Boolean isStill;
    try {
      isStill = differsAgain(CellUtil.cloneRow(cell), readPoint);
    } catch (IOException e) {
      InStorageMetrics.get().differed(false);
      throw e;
    }
    Set<String> families = new TreeSet<>();
    for (Cell one : new Cell[] {ours, theirs}) {
      if (one != null) {
        families.add(Bytes.toString(CellUtil.cloneFamily(one)));
      }
    }
    boolean isBlamed = !Boolean.FALSE.equals(isStill) || !mayPass();
    InStorageMetrics.get().differed(!isBlamed);
    if (isBlamed) {
      families.forEach(family -> shadows.differed(info.getEncodedName() + "/" + family));
      // Now: nobody else may read the store while it is closed.
      families.forEach(region::forget);
    }
    LOG.warn(
        "Families {} of region {}: a read had other cells than HBase reads, and was answered with"
            + " HBase's. First difference: {} where HBase has {}; {} at read point {}. {}. {}",
        families,
        info.getRegionNameAsString(),
        described(ours),
        described(theirs),
        asked,
        readPoint,
        isStill == null
            ? "It cannot be read again"
            : isStill ? "It is so again" : "It is not so again",
        isBlamed
            ? "Reads go over HBase's path for a while. Please report it, with this line"
            : "What has expired, a filter, a coprocessor or other files may be the reason");
  }

  /** Not its value, nor its tags: a log has other readers than the table. */
  private static String described(@Nullable Cell cell) {
    return cell == null ? "nothing" : cell + " with " + cell.getTagsLength() + " bytes of tags";
  }

  /**
   * Whether two readings of one time may differ by right: of what expires, by a filter, by a
   * coprocessor's rules, around a compaction, which drops versions that a marker elsewhere brings
   * back to light, or at a secondary, which may be told late of what is older than its read point.
   */
  private boolean mayPass() {
    return asked.hasFilter()
        || info.getReplicaId() != RegionInfo.DEFAULT_REPLICA_ID
        || !files.equals(region.files())
        || region.hasReadHooks()
        || Arrays.stream(table.getColumnFamilies())
            .anyMatch(family -> family.getTimeToLive() != HConstants.FOREVER);
  }

  /** Null if the row cannot be read again. */
  private @Nullable Boolean differsAgain(byte[] row, long readPoint) throws IOException {
    // It is none of the Gets of a call, which would take theirs from the same answer.
    Optional<RpcCall> call = RpcServer.unsetCurrentCall();
    try (StorageReads.Span ignored = StorageReads.pause()) {
      Scan ofRow = copy(asked).withStartRow(row, true).withStopRow(row, true);
      ShadowRead again = new ShadowRead(ofRow, ofRow, table, info, region, shadows, true);
      try (RegionScanner mine = open(ofRow, false, readPoint)) {
        List<Cell> result = new ArrayList<>();
        ScannerContext context =
            ReleaseAdapter.limitBytes(ScannerContext.newBuilder(), PIECE_BYTES).build();
        boolean hasMore = true;
        while (hasMore && !again.hasEnded && !again.hasTakenOver) {
          result.clear();
          hasMore = again.next(mine::nextRaw, result, context, readPoint);
        }
        return again.hasTakenOver;
      } finally {
        again.end();
      }
    } catch (InterruptedIOException | NotServingRegionException e) {
      throw e;
    } catch (IOException | RuntimeException e) {
      LOG.debug("Row {} cannot be read again", Bytes.toStringBinary(row), e);
      return null;
    } finally {
      call.ifPresent(RpcServer::setCurrentCall);
    }
  }

  @Override
  public void moved() {
    end();
  }

  @Override
  public void shipped() throws IOException {
    if (expected.isEmpty() && stock instanceof Shipper shipper) {
      shipper.shipped();
    }
  }

  @Override
  public void closed() {
    if (!hasEnded && !hasTakenOver && cells > 0) {
      end(false);
    } else {
      end();
    }
  }

  /** Without a difference, as far as was compared. */
  private void end(boolean isWhole) {
    if (!isSecond) {
      InStorageMetrics.get().verified(isWhole);
    }
    end();
  }

  private void end() {
    hasEnded = true;
    expected.clear();
    RegionScanner open = stock;
    stock = null;
    if (open != null) {
      try {
        open.close();
      } catch (IOException e) {
        LOG.warn("A scanner of region {} is not closed", info.getEncodedName(), e);
      }
    }
  }
}
