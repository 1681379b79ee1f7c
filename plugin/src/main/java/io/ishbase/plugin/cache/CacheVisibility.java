package io.ishbase.plugin.cache;

import io.ishbase.core.cache.Cursor;
import io.ishbase.core.cache.Merge;
import io.ishbase.core.cache.RowView;
import io.ishbase.core.cache.StoreCache;
import io.ishbase.core.cache.Ticket;
import io.ishbase.core.cache.memory.Columns;
import io.ishbase.core.cache.memory.Pin;
import io.ishbase.plugin.scan.FilterPushdown;
import io.ishbase.plugin.scan.WantedColumns;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.hbase.client.IsolationLevel;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.regionserver.ScanInfo;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.EnvironmentEdgeManager;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a read may take from the segment cache in place of its store's files, and what of its own it
 * may leave there. The one rule; every look that a read takes at cached rows goes through a {@link
 * Reader} made here.
 *
 * <p>A read has files F and memstores M, chosen together, a read point, and rules: TTL, versions,
 * what becomes of deleted cells, a time range, a filter. Of a row, or of some columns, the cache
 * has cells C that are to stand for those of F. The read must see the same in C and M as it would
 * in F and M.
 *
 * <p>Of columns that the read has nothing to do with ({@link WantedColumns}), C may have all cells,
 * some or none: a read of named columns passes over the others, and so does a filter, by what a
 * column is called. Of those that it has to do with, and of the family's delete markers, C differs
 * from F in these ways only:
 *
 * <ol>
 *   <li><b>C has more: cells that were flushed after F was chosen.</b> M has them too, and a cell
 *       that is there twice is seen once; or they are beyond the read point. Only a raw scan would
 *       show both, and it takes nothing.
 *   <li><b>C has more: what a compaction dropped of F, or dropped by then.</b> Of a clean row it
 *       drops what has expired only; others leave the cache before the files are switched.
 *   <li><b>C lacks what a compaction dropped after F was chosen.</b> That nobody may see who reads
 *       the new files. But a delete marker that is gone there may hide a cell in M. So who chose
 *       his files before any change but a flush ended takes nothing that he finds after it. He asks
 *       after he has looked: what the change dropped left the cache before it ended, and what was
 *       read from the new files comes in after it.
 *   <li><b>C lacks versions that newer ones hid when a flush brought those: it is trimmed.</b> Each
 *       of the newer ones was at or before the smallest read point of the region then. A read that
 *       is open then, or begins later, has a read point at or beyond that, and sees them. But a
 *       client sends an old read point along when it opens a scan again, and so does a repeated
 *       Append or Increment. So {@link #trimmedAt} is the highest smallest read point at which
 *       anything was trimmed, set before the row can be found, and who reads before that takes no
 *       trimmed row. What another process trimmed, and a restart brings, counts as trimmed when it
 *       comes, and does not come where a marker of a version may be in M. Nor does who might see
 *       older versions in spite of newer ones: he keeps more of them, or deleted cells, has a time
 *       range, or a filter that passes over versions, or reads what is not committed: then he may
 *       see the marker of a newer version that is written after he has looked.
 *   <li><b>C lacks what had expired when it was fetched,</b> for a read that looks back as far as
 *       the family's rule does, or further. Others fill nothing, and who looks back further takes
 *       nothing. But a scan goes by the clock at its beginning to its end. So {@link
 *       #leftOutBefore} is the latest timestamp before which anything was left out, set before that
 *       can be found, and who sees older cells takes nothing from then on: after a restart, too,
 *       for the clock may have been set back. That not every scan ends so soon, fills leave out
 *       what has expired for a while only.
 * </ol>
 *
 * <p>Where others decide what a compaction keeps (a coprocessor, a compactor of its own), no row is
 * clean and none is trimmed. Where they decide what is read from a file, no answer comes from a
 * storage node, and the cache stays empty.
 *
 * <p>Thread safe.
 */
public final class CacheVisibility {
  private static final Logger LOG = LoggerFactory.getLogger(CacheVisibility.class);

  /** So long at most, and so small a part of the TTL, is kept what has expired. */
  private static final long MOST_KEPT_MILLIS = TimeUnit.MINUTES.toMillis(1);

  private static final int KEPT_PART = 16;

  private final ScanInfo family;
  private final boolean keepsBlocks;
  private final StoreCache rows;
  private final RowCodec codec;

  /** Raised before a row that was trimmed there can be found. */
  private final AtomicLong trimmedAt = new AtomicLong(Long.MIN_VALUE);

  /** Raised before what was fetched without such cells can be found. */
  private final AtomicLong leftOutBefore = new AtomicLong(Long.MIN_VALUE);

  /**
   * @param keepsBlocks whether what is read of the family is to be cached
   */
  CacheVisibility(ScanInfo family, boolean keepsBlocks, StoreCache rows, RowCodec codec) {
    this.family = family;
    this.keepsBlocks = keepsBlocks;
    this.rows = rows;
    this.codec = codec;
  }

  /** Takes note of a row that is about to be trimmed of what is hidden at a read point. */
  void trimming(long smallestReadPoint) {
    trimmedAt.accumulateAndGet(smallestReadPoint, Math::max);
  }

  /** The timestamp before which something may be left out of what can be found. */
  long leftOutBefore() {
    return leftOutBefore.get();
  }

  /** Takes note that what is about to come may lack what was written before a timestamp. */
  void leavingOut(long before) {
    leftOutBefore.accumulateAndGet(before, Math::max);
  }

  /** Runs {@code forget} if, by the clock, no read that begins would find anything for a while. */
  void startOverIfFarAhead(Runnable forget) {
    long before = leftOutBefore.get();
    if (before == Long.MIN_VALUE
        || before - MOST_KEPT_MILLIS <= EnvironmentEdgeManager.currentTime() - lookback(family)) {
      return;
    }
    // Nothing comes afterwards that was asked for before. In this order: what is found is seen.
    forget.run();
    leftOutBefore.compareAndSet(before, Long.MIN_VALUE);
  }

  /**
   * A read, before its files are chosen.
   *
   * @param rules the family's, or what a coprocessor made of them for this read
   */
  Reader reader(Scan scan, ScanInfo rules, long readPoint) {
    return new Reader(scan, rules, readPoint);
  }

  /** How long ago a cell may have been written that is seen, in milliseconds. */
  private static long lookback(ScanInfo rules) {
    return rules.getMinVersions() > 0 ? Long.MAX_VALUE : rules.getTtl();
  }

  private static boolean isOfAllTime(Scan scan) {
    return scan.getTimeRange().isAllTime() && scan.getColumnFamilyTimeRange().isEmpty();
  }

  /** One read's eyes. Used by its thread. */
  public final class Reader {
    private final Ticket ticket = rows.ticket();
    private final long readPoint;

    /** How long cells are seen, in milliseconds; {@link Long#MAX_VALUE}: for ever. */
    private final long ttl;

    /** No greater than the timestamp before which, for HBase, all has expired. */
    private final long oldestUnexpired;

    private final boolean mayUse;
    private final boolean mayUseTrimmed;
    private final boolean mayFill;

    /** Whether what the read asks for is to be in memory. */
    private final boolean keeps;

    /** Of the row that was judged last; null: none was. */
    private @Nullable CellsInPlace inPlace;

    private Reader(Scan scan, ScanInfo rules, long readPoint) {
      this.readPoint = readPoint;
      ttl = lookback(rules);
      oldestUnexpired =
          ttl == Long.MAX_VALUE ? Long.MIN_VALUE : EnvironmentEdgeManager.currentTime() - ttl;
      boolean isPlain = !scan.isRaw() && !scan.isReversed();
      mayUse = isPlain && lookback(rules) <= lookback(family);
      mayUseTrimmed =
          mayUse
              && rules.getMaxVersions() <= family.getMaxVersions()
              && rules.getMinVersions() == family.getMinVersions()
              && rules.getKeepDeletedCells() == family.getKeepDeletedCells()
              && isOfAllTime(scan)
              && scan.getIsolationLevel() == IsolationLevel.READ_COMMITTED
              && !FilterPushdown.mayPassOverVersions(scan.getFilter());
      keeps = keepsBlocks && scan.getCacheBlocks();
      // A time range leaves out files and cells.
      mayFill = isPlain && keeps && isOfAllTime(scan) && lookback(rules) >= lookback(family);
    }

    /** Whether it is of use to look for rows. */
    public boolean mayUse() {
      return mayUse;
    }

    /** Whether what the read fetches may go into the cache. */
    public boolean mayFill() {
      return mayFill;
    }

    long readPoint() {
      return readPoint;
    }

    /**
     * Takes note that what the read brings into the cache may lack what has expired. To be called
     * before it asks for it.
     *
     * @return the timestamp before which it may; {@link Long#MIN_VALUE}: nothing expires
     */
    public long leaveOutExpired() {
      if (oldestUnexpired == Long.MIN_VALUE) {
        return oldestUnexpired;
      }
      long kept = Math.max(1, Math.min(ttl / KEPT_PART, MOST_KEPT_MILLIS));
      long cutOff = Math.floorDiv(oldestUnexpired, kept) * kept - kept;
      leavingOut(cutOff);
      return cutOff;
    }

    /** Taken before the read's files were chosen. */
    Ticket ticket() {
      return ticket;
    }

    /** The store's cached rows. */
    StoreCache rows() {
      return rows;
    }

    /**
     * Whether what was found just now may be used. Once not, nothing that is found later may.
     *
     * @param isTrimmed whether a row was found that is trimmed
     */
    private boolean mayUseFound(boolean isTrimmed) {
      return mayUse
          && !rows.isRewrittenSince(ticket)
          && (!isTrimmed || seesTrimmed())
          && !seesLeftOut();
    }

    private boolean seesLeftOut() {
      return oldestUnexpired < leftOutBefore.get();
    }

    private boolean seesTrimmed() {
      return mayUseTrimmed && readPoint >= trimmedAt.get();
    }

    /**
     * All cells of a row that the read may see, in memory of their own.
     *
     * @param columns that the read has to do with; null: all
     * @return null if they are not cached
     */
    CachedRow.@Nullable Cells find(byte[] row, @Nullable Columns columns) {
      if (!mayUse) {
        return null;
      }
      RowView view = new RowView();
      byte[] held = null;
      boolean isFirstHit = false;
      try (Pin pin = rows.pin()) {
        if (rows.find(pin, row, columns, view)) {
          if (!mayUseFound(view.isTrimmed())) {
            return null;
          }
          held = view.copyPayload();
          isFirstHit = view.hits() == 1;
        }
      } catch (IllegalStateException e) {
        LOG.warn("A row of {} is read from the files", rows.name(), e);
        return null;
      }
      if (held == null) {
        Merge.Merged restored = restored(row);
        if (restored == null || !mayUseFound(restored.trimmed())) {
          return null;
        }
        held = restored.payload();
      }
      try {
        CachedRow.Cells cells = codec.cells(row, held, readPoint);
        if (isFirstHit) {
          shrink(row, held);
        }
        return cells;
      } catch (RuntimeException e) {
        dropUnreadable(row, e);
        return null;
      }
    }

    private Merge.@Nullable Merged restored(byte[] row) {
      try {
        return rows.restore(
            ticket,
            row,
            keeps,
            payloads -> codec.joined(row, payloads, family, rows.maxRowBytes()));
      } catch (RuntimeException e) {
        dropUnreadable(row, e);
        return null;
      }
    }

    /** Packs a row that came otherwise, once for each time that the cache's hand passes it. */
    private void shrink(byte[] row, byte[] held) {
      byte[] smaller = codec.encodeSmaller(row, held);
      if (smaller != null) {
        rows.replace(row, held, smaller);
      }
    }

    /**
     * Takes note that a cached row cannot be made cells again: it leaves the cache, where no fill
     * would replace it, and whoever found it reads the files.
     */
    void dropUnreadable(byte[] row, RuntimeException failure) {
      LOG.warn(
          "The cached row {} of {} cannot be read and is dropped; its readers go to the files",
          Bytes.toStringBinary(row),
          rows.name(),
          failure);
      rows.drop(row);
    }

    /** Whether {@link #find} would find the row. */
    public boolean covers(byte[] row, @Nullable Columns columns) {
      RowView view = new RowView();
      try (Pin pin = rows.pin()) {
        if (rows.peek(pin, row, columns, view)) {
          return mayUseFound(view.isTrimmed());
        }
      }
      return mayUseFound(false) && rows.mayRestore(row);
    }

    /** A cursor over the rows that the read may use. */
    Cursor cursor(Pin pin) {
      return rows.cursor(pin, seesTrimmed());
    }

    /** Whether what the cursor found in its last step may be used; if not, nothing later. */
    boolean mayUse(Cursor cursor) {
      return mayUseFound(cursor.row().isTrimmed());
    }

    /**
     * All cells of a row that the read may see, in memory of their own.
     *
     * @param leftOut rows that are not wanted; null: all are
     * @return null if it is left out
     * @throws RuntimeException if what is cached is no row: see {@link #dropUnreadable}
     */
    CachedRow.@Nullable Cells cellsOf(RowView view, @Nullable LeftOutRows leftOut) {
      boolean isOpen = RowCodec.isOpen(view);
      if (leftOut != null && isOpen && leftOut.leavesOut(inPlace(view))) {
        return null;
      }
      byte[] held = view.copyPayload();
      byte[] row = isOpen ? held : codec.opened(view.copyRow(), held);
      return leftOut != null && !isOpen && leftOut.leavesOut(new CachedRow.Cells(row, readPoint))
          ? null
          : new CachedRow.Cells(row, readPoint);
    }

    private CellsInPlace inPlace(RowView view) {
      if (inPlace == null) {
        inPlace = new CellsInPlace(readPoint);
      }
      return inPlace.of(view.buffer(), view.offset(), view.length());
    }

    /** Whether no change of the store's files was under way at first, and none has begun since. */
    public boolean sawNoChange() {
      return rows.isUnchangedSince(ticket);
    }
  }
}
