package io.ishbase.sim.design;

import io.ishbase.core.BatchGrowth;
import io.ishbase.core.cache.Change;
import io.ishbase.core.cache.Cursor;
import io.ishbase.core.cache.Fill;
import io.ishbase.core.cache.GapEnd;
import io.ishbase.core.cache.Merge;
import io.ishbase.core.cache.RowView;
import io.ishbase.core.cache.SegmentCache;
import io.ishbase.core.cache.StoreCache;
import io.ishbase.core.cache.Stretch;
import io.ishbase.core.cache.Ticket;
import io.ishbase.core.cache.memory.Pin;
import io.ishbase.core.cache.policy.Policy;
import io.ishbase.sim.workload.Parameters;
import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * Reads by cells, through the segment cache that ships. What it holds, fills, gives up and fetches
 * unasked is its own doing; here stands only what the plug-in does around it.
 */
final class InStorage implements Design, AutoCloseable {
  private final Data data;
  private final RegionServer server;
  private final SegmentCache cache;
  private final StoreCache store;
  private final Pin pin;
  private final Cursor cursor;
  private final Cursor ahead;
  private final RowView view = new RowView();
  private final GapEnd gapEnd = new GapEnd();
  private final byte[] row;
  private final ByteBuffer rowBuffer;
  private final byte[] payload;
  private final boolean limitKnown;
  private final boolean caches;
  private final int moreCells;
  private final int firstBatchBytes;
  private final int maxBatchBytes;

  InStorage(Parameters parameters, Data data, RegionServer server, double cacheBytes) {
    this.data = data;
    this.server = server;
    caches = parameters.is("segment.cache", "on");
    long budget = caches ? (long) cacheBytes : SegmentCache.MIN_BUDGET_BYTES;
    cache = new SegmentCache(budget, server::nanos, policy(parameters));
    store = cache.open("store");
    pin = store.pin();
    cursor = store.cursor(pin);
    ahead = store.cursor(pin);
    pin.rest();
    int keyBytes = parameters.whole("key.bytes");
    if (keyBytes < Integer.BYTES || keyBytes >= data.cellBytes()) {
      throw new IllegalArgumentException(
          "key.bytes is from 4 to less than cell.bytes, not " + keyBytes);
    }
    row = new byte[keyBytes];
    rowBuffer = ByteBuffer.wrap(row);
    payload = new byte[data.cellBytes() - keyBytes];
    limitKnown = parameters.is("scan.limit", "known");
    moreCells = limitKnown ? parameters.whole("scan.more.cells") : 0;
    firstBatchBytes = parameters.whole("batch.first.bytes");
    maxBatchBytes = parameters.whole("batch.max.bytes");
  }

  private static Policy policy(Parameters parameters) {
    Policy shipped = Policy.DEFAULT;
    return new Policy(
        parameters.number("policy.small.share", shipped.smallShare()),
        parameters.number("policy.alpha", shipped.alpha()),
        parameters.number("policy.dropped.share", shipped.droppedShare()),
        parameters.number("policy.dropped.in.change", shipped.droppedInChange()));
  }

  /** A scan between two batches. */
  private static final class Batches {
    final BatchGrowth growth;
    final Ticket ticket;
    byte[] from = {};
    boolean fromInclusive;
    boolean hasBegun;

    Batches(BatchGrowth growth, Ticket ticket) {
      this.growth = growth;
      this.ticket = ticket;
    }
  }

  @Override
  public boolean goesOn(Read read) {
    if (!read.isGet()) {
      return scan(read);
    }
    if (read.hasArrived()) {
      fill(read);
      return false;
    }
    return !isCached(read) && fetchRow(read);
  }

  /** Answers a Get if the row is cached. */
  boolean isCached(Read read) {
    pin.renew();
    boolean found = store.find(pin, row(read.key()), null, view);
    pin.rest();
    read.done = found ? 1 : 0;
    return found;
  }

  /** Fetches the row of a Get, and behind its back the neighbours if the cache wants them. */
  boolean fetchRow(Read read) {
    if (caches) {
      Ticket ticket = store.ticket();
      Stretch stretch = store.missed(row(read.key()));
      if (stretch != null) {
        fetch(stretch, ticket);
      }
      read.note = ticket;
    }
    return read.fetchCells(read.key(), 1, 1, data.cellBytes());
  }

  private void fetch(Stretch stretch, Ticket ticket) {
    int from = number(stretch.from());
    int end = stretch.to() == null ? data.keys() : number(stretch.to());
    int most = (int) (Math.min(stretch.maxBytes(), maxBatchBytes) / data.cellBytes());
    int count = Math.min(end - from, most);
    long bytes = (long) count * data.cellBytes();
    server.inBackground(
        count,
        bytes,
        () -> {
          cache.traffic(bytes);
          fill(store.fill(ticket, stretch), from, count);
        });
  }

  private void fill(Read read) {
    read.done = 1;
    if (caches) {
      cache.traffic(read.bytes());
      fill(read.key(), (Ticket) Objects.requireNonNull(read.note));
    }
  }

  /** From now on what is read may go into the cache. */
  Ticket ticket() {
    return store.ticket();
  }

  /** Puts the row of a Get into the cache. */
  void fill(int key, Ticket ticket) {
    if (caches) {
      store.put(ticket, row(key), null, payload, 0, payload.length, true);
    }
  }

  private boolean scan(Read read) {
    Batches batches = (Batches) read.note;
    if (batches == null) {
      BatchGrowth growth = new BatchGrowth(firstBatchBytes, maxBatchBytes, bytes -> true);
      batches = new Batches(growth, store.ticket());
      read.note = batches;
    }
    if (read.hasArrived()) {
      fill(read, batches);
    }
    boolean needs = !read.isDone() && seek(read, batches);
    pin.rest();
    return needs;
  }

  private void fill(Read read, Batches batches) {
    cache.traffic(read.bytes());
    batches.growth.received(
        read.cells(), (int) read.bytes(), batches.growth.rows() > 0 ? read.count() : 0);
    if (caches && !data.isFiltered()) {
      // What a filter thinned out is not cached.
      Fill fill = store.fill(batches.ticket, batches.from, batches.fromInclusive);
      fill(fill, read.from(), read.count());
    }
    read.done += Math.min(read.count(), read.rows() - read.done);
  }

  private void fill(Fill fill, int from, int count) {
    for (int i = 0; i < count; i++) {
      fill.row(row(from + i), payload, 0, payload.length, true);
    }
    if (from + count < data.keys()) {
      fill.reachedBefore(row(from + count));
    } else {
      fill.reachedEnd();
    }
  }

  /** Answers rows from the cache up to a gap. Returns whether there is one, which it asks for. */
  private boolean seek(Read read, Batches batches) {
    pin.renew();
    Cursor.State state = cursor.seek(row(read.next()), true, null, false);
    while (state == Cursor.State.ROW) {
      read.done++;
      if (read.isDone()) {
        return false;
      }
      state = cursor.next();
    }
    batches.from = cursor.gapStart();
    batches.fromInclusive = cursor.gapStartInclusive();
    gapEnd.find(ahead, batches.from, batches.fromInclusive, null, false);
    byte[] stop = gapEnd.end();
    int end = stop == null ? data.keys() : number(stop) + (gapEnd.endInclusive() ? 1 : 0);
    int limit = limitKnown ? read.rows() : 0;
    int bytes =
        batches.hasBegun ? batches.growth.next(false) : batches.growth.first(false, limit, limit);
    batches.hasBegun = true;
    int count = Math.min(end - read.next(), Math.max(1, bytes / data.cellBytes()));
    if (batches.growth.rows() > 0) {
      count = Math.min(count, batches.growth.rows());
    }
    int cells = data.passing(read.next(), count);
    return read.fetchCells(
        read.next(), count, cells, (long) (cells + moreCells) * data.cellBytes());
  }

  /** The key of a row, in an array that is used again for the next. */
  private byte[] row(int number) {
    rowBuffer.putInt(row.length - Integer.BYTES, number);
    return row;
  }

  /** The first row at or behind a key: the cache may know an edge right behind a row. */
  private int number(byte[] of) {
    int at = ByteBuffer.wrap(of).getInt(row.length - Integer.BYTES);
    return of.length > row.length ? at + 1 : at;
  }

  @Override
  public void flushed(int[] keys, int count) {
    try (Change change = store.change()) {
      for (int i = 0; i < count; i++) {
        change.merge(
            row(keys[i]),
            (columns, present, offset, length) -> new Merge.Merged(payload, true, true));
      }
    }
  }

  @Override
  public long upgrades() {
    return cache.stats().upgrades();
  }

  /** What the cache says of itself. */
  SegmentCache cache() {
    return cache;
  }

  @Override
  public void close() {
    pin.close();
    cache.close();
  }
}
