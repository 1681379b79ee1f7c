package io.ishbase.core.cache;

import io.ishbase.core.cache.Segment.State;
import io.ishbase.core.cache.file.FiledRow;
import io.ishbase.core.cache.file.FiledRows;
import io.ishbase.core.cache.memory.Arena;
import io.ishbase.core.cache.memory.Columns;
import io.ishbase.core.cache.memory.Content;
import io.ishbase.core.cache.memory.Entries;
import io.ishbase.core.cache.memory.Keys;
import io.ishbase.core.cache.memory.Pin;
import io.ishbase.core.cache.policy.Upgrades;
import io.ishbase.core.hot.HotInterval;
import io.ishbase.core.hot.HotIntervals;
import io.ishbase.core.hot.Hottest;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * What is cached of one open store. Thread safe. Row keys are at most {@value #MAX_ROW_BYTES} bytes
 * long; they are not copied on lookups, and copied on fills.
 *
 * <p>Whoever looks after its list of files (and memstores) was fixed sees at least the content of
 * that list, and possibly newer cells; never less.
 */
public final class StoreCache implements AutoCloseable {
  /** Length of the longest row key. */
  public static final int MAX_ROW_BYTES = Short.MAX_VALUE;

  /** What is remembered of the hottest rows may take this part of what is cached. */
  private static final double HOTTEST_SHARE = 1.0 / 16;

  private final SegmentCache cache;
  private final String name;
  private final int id;
  private final Arena arena;
  private final ReentrantLock lock;
  private final StoreIndex index;
  private final StoreWriter writer;
  private final LongAdder hits = new LongAdder();
  private final LongAdder absences = new LongAdder();
  private final LongAdder misses = new LongAdder();
  private final LongAdder columnMisses = new LongAdder();
  private final LongAdder upgrades = new LongAdder();
  private final Upgrades.StoreMisses allMisses = new Upgrades.StoreMisses();

  // Written under the lock.
  private volatile long changesBegun;
  private volatile long changes;
  private volatile long rewrites;
  private int openChanges;
  private boolean closed;
  private long fills;
  private long refused;
  private long evictions;
  private long dropped;
  private long upgradedRows;
  private long upgradedRowsHit;

  /** What left the memory; null: nothing goes to a file. */
  private final @Nullable FiledRows filed;

  private volatile boolean mayBeFiled;

  /** Guarded by {@code lock}. */
  private boolean staysInMemory;

  StoreCache(SegmentCache cache, String name, int id, @Nullable FiledRows filed) {
    this.filed = filed;
    this.cache = cache;
    this.name = name;
    this.id = id;
    arena = cache.arena();
    lock = cache.lock();
    index = new StoreIndex(arena, cache.upgrades());
    writer = new StoreWriter(cache, id, index);
  }

  /** Takes note of how long it took to fetch a row that was not cached, in nanoseconds. */
  public void missTook(long nanos) {
    cache.missTook(nanos);
  }

  /** The name that the store was opened with. */
  public String name() {
    return name;
  }

  /** A pin, to be closed by the caller. What a view or cursor shows stays readable until then. */
  public Pin pin() {
    return cache.epochs().pin();
  }

  /** A row whose payload is longer is not kept. */
  public int maxRowBytes() {
    return arena.maxEntryBytes();
  }

  /** Whether there is nothing that a flush could be merged into. */
  public boolean isEmpty() {
    lock.lock();
    try {
      return index.entryCount() == 0 && (filed == null || !filed.hasRows());
    } finally {
      lock.unlock();
    }
  }

  // Lookups.

  /**
   * Looks for a row, and counts a hit or a miss.
   *
   * @param columns the columns that are needed; null: the whole row
   * @param view shows the payload if the row is covered; of length 0: there is nothing. If only
   *     columns are needed, the payload may be that of more columns, or of the whole row
   * @return whether the row, or the columns, are covered
   * @throws IllegalStateException if the pin is closed
   */
  public boolean find(Pin pin, byte[] row, @Nullable Columns columns, RowView view) {
    cache.accessed(id, row);
    boolean found = look(pin, row, columns, view, true);
    if (!found) {
      misses.increment();
    } else {
      hits.increment();
      if (view.length() == 0) {
        absences.increment();
      }
    }
    return found;
  }

  /** Like {@link #find}, without a trace in counters or hotness. */
  public boolean peek(Pin pin, byte[] row, @Nullable Columns columns, RowView view) {
    return look(pin, row, columns, view, false);
  }

  /** Whether {@link #find} would find the row, or {@link #restore} bring it. Does not count. */
  public boolean covers(byte[] row, @Nullable Columns columns) {
    try (Pin pin = pin()) {
      return look(pin, row, columns, null, false) || mayRestore(row);
    }
  }

  /** From now on rows that leave the memory may lie in a file, in the clear. */
  public void goOnInFile() {
    lock.lock();
    try {
      mayBeFiled = !staysInMemory;
    } finally {
      lock.unlock();
    }
  }

  /** No row goes there from now on, whoever lets it: some must not lie there in the clear. */
  public void stayInMemory() {
    lock.lock();
    try {
      staysInMemory = true;
      mayBeFiled = false;
    } finally {
      lock.unlock();
    }
  }

  /** Whether rows that left the memory may lie in a file. */
  public boolean hasFiledRows() {
    return filed != null && filed.hasRows();
  }

  /** What lies of a row in the file, for who only looks; null: nothing. Reads the disk. */
  public @Nullable FiledRow peekFiled(byte[] row) {
    return filed == null ? null : filed.peek(row);
  }

  /** Whether it is closed for good. */
  public boolean isClosed() {
    lock.lock();
    try {
      return closed;
    } finally {
      lock.unlock();
    }
  }

  /** Whether {@link #restore} will bring a row, as far as is known without the disk. */
  public boolean mayRestore(byte[] row) {
    return filed != null && filed.mayHave(row);
  }

  /**
   * Brings a row back that was not found, from the file. To be called without a pin, since the disk
   * may be slow, and the row is to be cached again.
   *
   * @param ticket taken before the files were chosen that the row is to stand for
   * @param keep whether it is to be in memory again
   * @param join makes one row of what flushes added to it, the newest first, and itself; null: it
   *     is too large
   * @return null: it is not there
   */
  public Merge.@Nullable Merged restore(
      Ticket ticket,
      byte[] row,
      boolean keep,
      Function<List<byte[]>, Merge.@Nullable Merged> join) {
    FiledRows file = filed;
    FiledRow found = file == null ? null : file.find(row);
    if (file == null || found == null) {
      return null;
    }
    boolean isOne = found.payloads().size() == 1;
    Merge.Merged restored =
        isOne
            ? new Merge.Merged(found.payloads().get(0), found.clean(), found.trimmed())
            : join.apply(found.payloads());
    if (restored == null) {
      lock.lock();
      try {
        file.forget(row);
      } finally {
        lock.unlock();
      }
      return null;
    }
    byte[] payload = restored.payload();
    boolean isTrimmed = found.trimmed() || restored.trimmed();
    Merge.Merged whole = new Merge.Merged(payload, restored.clean(), isTrimmed);
    if (!keep) {
      return whole;
    }
    Content content =
        Content.of(null, payload, 0, payload.length, restored.clean())
            .with(payload, restored.clean(), isTrimmed);
    lock.lock();
    try {
      // Nothing is known of the files that has come since it was found.
      boolean covered =
          canLand(ticket) && file.isAt(row, found.place()) && writer.cover(row, content);
      if (count(covered) && !isOne) {
        // When it leaves again it is written as one.
        file.forget(row);
      }
    } finally {
      lock.unlock();
    }
    return whole;
  }

  /**
   * Looks for the first row from this one on of which only some columns are cached. Does not count.
   *
   * @param row may be empty: the first row of the store
   * @param view shows what is cached of it
   * @return whether there is one
   * @throws IllegalStateException if the pin is closed
   */
  public boolean findColumns(Pin pin, byte[] row, RowView view) {
    pin.check();
    long element = index.firstOfColumns(row);
    if (element == 0) {
      return false;
    }
    view.show(arena.chunk(element), Arena.offset(element));
    return true;
  }

  private boolean look(
      Pin pin, byte[] row, @Nullable Columns columns, @Nullable RowView view, boolean count) {
    pin.check();
    State state = index.stateAt(row);
    int position = index.search(state, row);
    boolean exact = position >= 0;
    long element = state.entries()[exact ? position : -1 - position];
    if (!exact) {
      if (!Segment.linked(element)) {
        return false;
      }
      if (view != null) {
        view.showNothing();
      }
      if (count && Segment.address(element) != Segment.TAIL) {
        // Its link is what was hit.
        Entries.hit(arena.chunk(element), Arena.offset(element));
      }
      return true;
    }
    ByteBuffer chunk = arena.chunk(element);
    int entry = Arena.offset(element);
    if (!Entries.covers(chunk, entry, columns)) {
      if (count && Entries.kind(chunk, entry) == Entries.COLUMNS) {
        columnMisses.increment();
      }
      return false;
    }
    if (view != null) {
      view.show(chunk, entry);
    }
    if (count) {
      Entries.hit(chunk, entry);
    }
    return true;
  }

  /** A cursor over the cached rows, to be used by the thread that has the pin. */
  public Cursor cursor(Pin pin) {
    return cursor(pin, true);
  }

  /**
   * A cursor over the cached rows, to be used by the thread that has the pin.
   *
   * @param trimmedToo whether it shows rows that are trimmed; else they are gaps
   */
  public Cursor cursor(Pin pin, boolean trimmedToo) {
    return new Cursor(index, arena, pin, trimmedToo);
  }

  // Fills.

  /**
   * The present state of the files. To be taken before the list of files to be read, or with it.
   */
  public Ticket ticket() {
    return new Ticket(changes, rewrites);
  }

  /** Whether a fill with the ticket can still land. Once it cannot, it never will. */
  public boolean isGood(Ticket ticket) {
    return ticket.changes == changes;
  }

  /**
   * Whether a change of the files that ended since the ticket was taken did more than to add what a
   * flush wrote. What such a change dropped is in the cache until then, so whoever asks after he
   * has looked knows whether he found what the files of the ticket say.
   */
  public boolean isRewrittenSince(Ticket ticket) {
    return rewrites != ticket.rewrites;
  }

  /**
   * Whether no change of the files was under way when the ticket was taken, and none has begun
   * since. Whoever finds so has found what he looked at before it untouched by any.
   */
  public boolean isUnchangedSince(Ticket ticket) {
    return changesBegun == ticket.changes;
  }

  /** Whether a change of the files is under way: rows may have what the files have not yet. */
  public boolean isChanging() {
    lock.lock();
    try {
      return openChanges > 0;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Fills one row. Of a row of which other columns are cached, only those that came are then.
   *
   * @see #put(Ticket, byte[], Columns, byte[], int, int, boolean, Merge)
   */
  public boolean put(
      Ticket ticket,
      byte[] row,
      @Nullable Columns columns,
      byte[] payload,
      int offset,
      int length,
      boolean clean) {
    return put(ticket, row, columns, payload, offset, length, clean, (others, b, o, l) -> null);
  }

  /**
   * Fills one row.
   *
   * @param ticket taken with the list of files that were read
   * @param columns the columns that were read; null: the whole row
   * @param payload all cells of the row, or of those columns, in the files; length 0: there are
   *     none
   * @param clean whether no compaction could drop any of it
   * @param join adds what came to what is cached of other columns; where it gives nothing, what
   *     came takes that's place
   * @return whether the row is covered now. False if it came too late, is too large, or there is no
   *     memory
   */
  public boolean put(
      Ticket ticket,
      byte[] row,
      @Nullable Columns columns,
      byte[] payload,
      int offset,
      int length,
      boolean clean,
      Merge join) {
    checkRow(row);
    if (columns != null && !columns.isEncodable()) {
      return false;
    }
    Content content = Content.of(columns, payload, offset, length, clean);
    Columns some = columns == null || columns.isAll() ? null : columns;
    lock.lock();
    try {
      return count(canLand(ticket) && writer.cover(row, some, content, join));
    } finally {
      lock.unlock();
    }
  }

  /**
   * Begins to fill an interval of whole rows.
   *
   * @param ticket taken with the list of files that are read
   * @param fromRow where the interval begins; empty: at the first row of the store
   */
  public Fill fill(Ticket ticket, byte[] fromRow, boolean fromInclusive) {
    if (fromRow.length > 0) {
      checkRow(fromRow);
    }
    return new Fill(this, ticket, fromRow.clone(), fromInclusive, false);
  }

  /**
   * Begins to fill a stretch that {@link #missed} advised.
   *
   * @param ticket taken with the list of files that are read
   */
  public Fill fill(Ticket ticket, Stretch stretch) {
    return new Fill(this, ticket, stretch.from(), true, true);
  }

  /**
   * Adds a row to a fill's run that reaches to {@code from}.
   *
   * @param lands whether the row does; null: it does
   */
  boolean fillRow(
      Ticket ticket,
      byte[] from,
      boolean fromInclusive,
      byte[] row,
      Content content,
      @Nullable BooleanSupplier lands) {
    checkRow(row);
    lock.lock();
    try {
      boolean covered = false;
      if (canLand(ticket)) {
        covered = (lands == null || lands.getAsBoolean()) && writer.cover(row, content);
        // A row that is not cached itself does not end what is known about its neighbours.
        writer.linkToRow(from, fromInclusive, row);
        covered = covered && writer.isCovered(row, null);
      }
      return count(covered);
    } finally {
      lock.unlock();
    }
  }

  /** Extends a fill's run to a row that may be there or not. */
  boolean fillReachedBefore(Ticket ticket, byte[] from, boolean fromInclusive, byte[] row) {
    checkRow(row);
    lock.lock();
    try {
      return canLand(ticket) && writer.linkToRow(from, fromInclusive, row);
    } finally {
      lock.unlock();
    }
  }

  /** Extends a fill's run over a row that is not there. */
  boolean fillReachedThrough(Ticket ticket, byte[] from, boolean fromInclusive, byte[] row) {
    checkRow(row);
    lock.lock();
    try {
      return canLand(ticket) && writer.linkToAbsence(from, fromInclusive, row);
    } finally {
      lock.unlock();
    }
  }

  /** Extends a fill's run to the end of the store. */
  boolean fillReachedEnd(Ticket ticket, byte[] from, boolean fromInclusive) {
    lock.lock();
    try {
      return canLand(ticket) && writer.linkToEnd(from, fromInclusive);
    } finally {
      lock.unlock();
    }
  }

  private boolean canLand(Ticket ticket) {
    return !closed && openChanges == 0 && isGood(ticket);
  }

  private boolean count(boolean landed) {
    if (landed) {
      fills++;
    } else {
      refused++;
    }
    return landed;
  }

  /**
   * Gives a row another payload that says the same: nothing else changes. Does nothing if the row
   * has another payload by now, or somebody has the lock: readers do not wait for it. To be called
   * without a pin, which would keep what has to make room from being used again.
   *
   * @param found the payload that the row had
   * @return whether the row has that payload
   */
  public boolean replace(byte[] row, byte[] found, byte[] payload) {
    if (!lock.tryLock()) {
      return false;
    }
    try {
      return !closed && writer.replace(row, found, payload);
    } finally {
      lock.unlock();
    }
  }

  // Changes of the files.

  /**
   * Begins a change of the files. From now until it is closed no fill lands, and no ticket that was
   * taken before then is good for one.
   */
  public Change change() {
    lock.lock();
    try {
      changesBegun++;
      openChanges++;
    } finally {
      lock.unlock();
    }
    return new Change(this);
  }

  boolean merge(byte[] row, Merge merge) {
    checkRow(row);
    boolean isFiled = false;
    lock.lock();
    try {
      Boolean covered = closed ? null : writer.merge(row, merge);
      if (covered != null && !covered) {
        dropped++;
      }
      isFiled = covered == null && mergeFiled(row, merge);
      return covered != null && covered;
    } finally {
      // Now: what made room may have sent there what the row was before.
      if (!isFiled) {
        forgetFiled(row);
      }
      lock.unlock();
    }
  }

  /** Adds what a flush brings to a row that lies in the file alone. */
  private boolean mergeFiled(byte[] row, Merge merge) {
    FiledRows file = filed;
    if (file == null || closed || !file.mayHave(row)) {
      return false;
    }
    Merge.Merged added = merge.merge(null, RowView.NOTHING, 0, 0);
    return added != null && file.changed(row, added.payload(), added.trimmed());
  }

  private void forgetFiled(byte[] row) {
    assert lock.isHeldByCurrentThread();
    if (filed != null) {
      filed.forget(row);
    }
  }

  void dropRange(byte[] from, byte @Nullable [] to) {
    dropFromMemory(from, to);
    // Now: others may have made room meanwhile, with what was to be dropped.
    if (filed != null) {
      lock.lock();
      try {
        filed.forgetAll();
      } finally {
        lock.unlock();
      }
    }
  }

  private void dropFromMemory(byte[] from, byte @Nullable [] to) {
    drop(
        from,
        rest ->
            closed || to != null && Keys.compare(rest, to) >= 0 ? null : index.dropRange(rest, to));
  }

  /**
   * Drops entries bit by bit, so that others have the lock meanwhile.
   *
   * @param bit drops some, from a row on; gives the row to go on from, null when it is done
   */
  private void drop(byte[] from, UnaryOperator<byte @Nullable []> bit) {
    byte[] rest = from;
    while (rest != null) {
      lock.lock();
      try {
        long before = index.entryCount();
        rest = bit.apply(rest);
        dropped += closed ? 0 : before - index.entryCount();
      } finally {
        lock.unlock();
      }
      if (rest != null && lock.hasQueuedThreads()) {
        // The lock is not fair: whoever was woken would find it taken again.
        LockSupport.parkNanos(1);
      }
    }
  }

  /** Drops a row, as if others had needed its room. */
  public void drop(byte[] row) {
    // At once, or it would be restored in between.
    lock.lock();
    try {
      dropFromMemory(row, Keys.after(row));
      forgetFiled(row);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Drops a row if it is trimmed. Fills go on: what they bring is whole.
   *
   * @see Merge.Merged#trimmed
   */
  public void dropTrimmed(byte[] row) {
    lock.lock();
    try {
      forgetFiled(row);
      if (!closed && writer.dropTrimmed(row)) {
        dropped++;
      }
    } finally {
      lock.unlock();
    }
  }

  void endChange(boolean isRewrite) {
    lock.lock();
    try {
      // Before any fill lands that read the new files.
      rewrites += isRewrite ? 1 : 0;
      changes++;
      openChanges--;
    } finally {
      lock.unlock();
    }
  }

  void dropUnclean() {
    drop(StoreIndex.LOWEST, rest -> closed ? null : index.dropUnclean(rest));
    if (filed != null) {
      lock.lock();
      try {
        filed.forgetUnclean();
      } finally {
        lock.unlock();
      }
    }
  }

  // Called by the eviction, under the lock.

  StoreIndex index() {
    return index;
  }

  /** An entry that is about to be evicted, which is of a whole row, is of use in the file. */
  void file(byte[] row, ByteBuffer chunk, int entry) {
    assert lock.isHeldByCurrentThread();
    // Of what scans cover one may begin with no key at all, at which a block of the file would end.
    if (filed != null && mayBeFiled && !closed && row.length > 0) {
      filed.left(
          row,
          chunk,
          Entries.payloadOffset(chunk, entry),
          Entries.payloadLength(chunk, entry),
          Entries.clean(chunk, entry),
          Entries.trimmed(chunk, entry));
    }
  }

  void evict(byte[] row, long address) {
    assert lock.isHeldByCurrentThread();
    index.remove(row, address);
    evictions++;
  }

  /** A row that came in an upgrade was hit, or leaves without. */
  void upgradedRowSettled(boolean hit) {
    assert lock.isHeldByCurrentThread();
    cache.upgrades().settled(hit);
    upgradedRows++;
    if (hit) {
      upgradedRowsHit++;
    }
  }

  // Policy.

  /**
   * Takes note of a point read that was not covered and is about to go to storage.
   *
   * @return what to fetch in its stead; null: the row alone
   */
  public @Nullable Stretch missed(byte[] row) {
    Segment segment = index.segmentAt(row);
    if (!cache.upgrades().missed(segment.misses, allMisses, index.segmentCount(), cache.nanos())) {
      return null;
    }
    upgrades.increment();
    try (Pin pin = pin()) {
      return new Stretch(row.clone(), index.nextRun(row), cache.stretchBytes());
    }
  }

  /** The rows that were hit most, as intervals, as many as take little of what is cached. */
  public HotIntervals hottest() {
    try (Pin pin = pin()) {
      HotWalk walk = new HotWalk(index, arena, cache.hand().heatOfHit());
      return Hottest.choose(bytesOfHottest(), intervals -> walk.walk(pin, intervals));
    }
  }

  private int bytesOfHottest() {
    lock.lock();
    try {
      long share = (long) (HOTTEST_SHARE * index.cachedBytes());
      return (int) Math.max(HotIntervals.LEAST_BYTES, Math.min(HotIntervals.MAX_BYTES, share));
    } finally {
      lock.unlock();
    }
  }

  /**
   * Takes note of how hot a row was where it was cached before: if it is filled soon, it comes with
   * that heat.
   *
   * @param heat that of its {@link HotInterval}
   */
  public void recall(byte[] row, int heat) {
    lock.lock();
    try {
      cache.hand().left(id, row, cache.hand().heatOf(heat));
    } finally {
      lock.unlock();
    }
  }

  /**
   * Whether a row that was so hot finds a place: there is room, or others are colder.
   *
   * @param heat that of its {@link HotInterval}
   * @param bytes that are to come
   */
  public boolean hasPlaceFor(int heat, long bytes) {
    lock.lock();
    try {
      return cache.hasRoomFor(bytes)
          || cache.hand().admits(cache.hand().heatOf(heat) + cache.hand().heatOfHit());
    } finally {
      lock.unlock();
    }
  }

  long hits() {
    return hits.sum();
  }

  long misses() {
    return misses.sum();
  }

  /** Counters of this store. */
  public CacheStats stats() {
    lock.lock();
    try {
      return new CacheStats(
          hits.sum(),
          absences.sum(),
          misses.sum(),
          columnMisses.sum(),
          writer.returns(),
          fills,
          refused,
          evictions,
          dropped,
          upgrades.sum(),
          upgradedRows,
          upgradedRowsHit,
          index.entryCount(),
          index.segmentCount(),
          index.cachedBytes(),
          index.bytes(Entries.ROW),
          index.bytes(Entries.COLUMNS),
          index.absenceBytes(),
          index.bytes(Entries.EDGE),
          index.linkedCount(),
          index.heapBytes(),
          0,
          0);
    } finally {
      lock.unlock();
    }
  }

  /** Drops everything. Later calls find and keep nothing. Closing it again does nothing. */
  @Override
  public void close() {
    lock.lock();
    try {
      if (closed) {
        return;
      }
      closed = true;
    } finally {
      lock.unlock();
    }
    drop(StoreIndex.LOWEST, rest -> index.dropRange(rest, null));
    lock.lock();
    try {
      index.close();
      if (filed != null) {
        filed.close();
      }
      cache.closed(this, id);
    } finally {
      lock.unlock();
    }
  }

  private static void checkRow(byte[] row) {
    if (row.length == 0 || row.length > MAX_ROW_BYTES) {
      throw new IllegalArgumentException(
          "A row key has 1 to " + MAX_ROW_BYTES + " bytes, not " + row.length);
    }
  }
}
