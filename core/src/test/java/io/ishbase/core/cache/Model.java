package io.ishbase.core.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.core.cache.memory.Columns;
import io.ishbase.core.cache.memory.Keys;
import io.ishbase.core.cache.memory.Pin;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;

/**
 * Random operations against a sorted map that stands for the files: whatever is covered must be
 * what the files hold. Memory is short, so that entries leave all the time.
 */
final class Model {
  private static final int ROWS = 400;
  private static final byte[][] COLUMN_NAMES = {
    {}, {'a'}, {'a', 0}, {'b'}, {'b', 'b'}, {'c'}, {'d'}, {-1, -1}
  };
  private static final int COLUMNS = COLUMN_NAMES.length;

  private final Random random;
  private final SegmentCache cache;
  private final boolean small;
  private StoreCache store;

  /** Cells by row: for each column a version, 0 if there is none. */
  private final NavigableMap<byte[], byte[]> files = new TreeMap<>(Arrays::compareUnsigned);

  Model(long seed, boolean small) {
    random = new Random(seed);
    this.small = small;
    cache = new SegmentCache(small ? SegmentCache.MIN_BUDGET_BYTES : 4 << 20, () -> 0);
    store = cache.open("t");
  }

  /** Makes steps, then checks every row. */
  void run(int steps) {
    for (int i = 0; i < steps; i++) {
      step();
      CacheStats stats = cache.stats();
      assertThat(stats.usedBytes()).isLessThanOrEqualTo(stats.budgetBytes());
    }
    checkAll();
    cache.close();
    assertThat(cache.stats().entries()).isZero();
    assertThat(cache.stats().cachedBytes()).isZero();
  }

  /** Keys of different lengths, some a prefix of others. */
  private byte[] row() {
    int number = random.nextInt(ROWS);
    byte[] row = new byte[1 + number % 3 * 8];
    Arrays.fill(row, (byte) 'k');
    row[0] = (byte) (number / 3);
    row[row.length - 1] = (byte) (number / 3);
    return row;
  }

  /** Versions of the columns, then what makes the row long, then which columns they are. */
  private static byte[] payload(byte[] versions, Columns columns) {
    byte[] projected = project(versions, columns);
    return projected == null
        ? new byte[0]
        : Arrays.copyOf(projected, COLUMNS + (versions[0] & 3) * 150);
  }

  private static byte[] project(byte[] versions, Columns columns) {
    byte[] projected = new byte[COLUMNS];
    boolean any = false;
    for (int i = 0; versions != null && i < COLUMNS; i++) {
      if (columns == null || columns.contains(COLUMN_NAMES[i])) {
        projected[i] = versions[i];
        any |= versions[i] != 0;
      }
    }
    return any ? projected : null;
  }

  private Columns someColumns() {
    return switch (random.nextInt(10)) {
      case 0 -> Columns.of(column());
      case 1 -> Columns.of(column(), column());
      case 2, 3 -> interval();
      case 4 -> interval().union(Columns.of(column()));
      case 5 -> Columns.withPrefix(column());
      default -> null;
    };
  }

  private Columns interval() {
    byte[] from = column();
    byte[] to = random.nextInt(4) == 0 ? null : Keys.after(column());
    return to == null || Arrays.compareUnsigned(from, to) < 0
        ? Columns.between(from, to)
        : Columns.between(to, from).union(Columns.of(from));
  }

  private byte[] column() {
    return COLUMN_NAMES[random.nextInt(COLUMNS)];
  }

  /** Joins what came of a row with what is cached of other columns. */
  private Merge join(byte[] row, Columns columns) {
    byte[] versions = files.get(row);
    boolean isRefused = random.nextInt(8) == 0;
    return (others, present, offset, length) -> {
      assertThat(columns).isNotNull();
      byte[] held = new byte[length];
      present.get(offset, held);
      assertThat(held).isEqualTo(payload(versions, others));
      return isRefused
          ? null
          : new Merge.Merged(payload(versions, others.union(columns)), isClean(versions));
    };
  }

  private boolean isClean(byte[] versions) {
    return versions == null || versions[0] % 5 != 1;
  }

  private void step() {
    int what = random.nextInt(100);
    if (what < 35) {
      get();
    } else if (what < 40) {
      replace();
    } else if (what < 60) {
      put(store.ticket());
    } else if (what < 75) {
      scan();
    } else if (what < 85) {
      fill();
    } else if (what < 95) {
      flush();
    } else if (what < 97) {
      Ticket late = store.ticket();
      flush();
      assertThat(put(late)).isFalse();
    } else if (what < 99) {
      compact();
    } else if (random.nextInt(5) == 0) {
      store.close();
      store = cache.open("again");
    } else {
      bulkLoad();
    }
  }

  private void get() {
    check(row(), someColumns());
  }

  /** Of what was found before others came in between nothing is left behind. */
  private void replace() {
    byte[] row = row();
    byte[] payload = null;
    RowView view = new RowView();
    try (Pin pin = store.pin()) {
      if (store.find(pin, row, someColumns(), view) && view.length() > 0) {
        payload = view.copyPayload();
      }
    }
    if (payload != null) {
      if (random.nextBoolean()) {
        flush();
        put(store.ticket());
      }
      store.replace(row, payload, payload.clone());
    }
    check(row, null);
  }

  private boolean check(byte[] row, Columns columns) {
    RowView view = new RowView();
    try (Pin pin = store.pin()) {
      boolean found = store.find(pin, row, columns, view);
      assertThat(store.covers(row, columns)).isEqualTo(found);
      if (found) {
        byte[] expected = project(files.get(row), columns);
        byte[] payload = view.copyPayload();
        byte[] shown =
            payload.length == 0 ? null : project(Arrays.copyOf(payload, COLUMNS), columns);
        assertThat(shown).isEqualTo(expected);
        if (payload.length > 0) {
          assertThat(view.copyRow()).isEqualTo(row);
        }
      }
      return found;
    }
  }

  private boolean put(Ticket ticket) {
    byte[] row = row();
    Columns columns = someColumns();
    byte[] payload = payload(files.get(row), columns);
    boolean landed =
        store.put(
            ticket,
            row,
            columns,
            payload,
            0,
            payload.length,
            isClean(files.get(row)),
            join(row, columns));
    if (landed) {
      assertThat(check(row, columns)).isTrue();
    }
    return landed;
  }

  private void fill() {
    byte[] from = random.nextInt(10) == 0 ? new byte[0] : row();
    boolean inclusive = random.nextBoolean();
    Fill fill = store.fill(store.ticket(), from, inclusive);
    int limit = random.nextInt(random.nextInt(4) == 0 ? ROWS : 40);
    NavigableMap<byte[], byte[]> rest = files.tailMap(from, inclusive);
    byte[] last = from;
    boolean landed = true;
    for (Map.Entry<byte[], byte[]> row : rest.entrySet()) {
      if (limit-- == 0) {
        switch (random.nextInt(3)) {
          case 0 -> fill.reachedBefore(row.getKey());
          case 1 -> {
            byte[] between = Keys.after(last);
            if (Arrays.compareUnsigned(between, row.getKey()) < 0) {
              if (fill.reachedThrough(between) && !small) {
                assertThat(check(between, null)).isTrue();
              }
            }
          }
          default -> {}
        }
        return;
      }
      byte[] payload = payload(row.getValue(), null);
      landed &= fill.row(row.getKey(), payload, 0, payload.length, isClean(row.getValue()));
      last = row.getKey();
    }
    landed &= fill.reachedEnd();
    if (!small) {
      assertThat(landed).isTrue();
      try (Pin pin = store.pin()) {
        Cursor cursor = store.cursor(pin);
        Cursor.State state = cursor.seek(from, inclusive, null, false);
        for (byte[] row : rest.keySet()) {
          assertThat(state).isEqualTo(Cursor.State.ROW);
          assertThat(cursor.row().copyRow()).isEqualTo(row);
          state = cursor.next();
        }
        assertThat(state).isEqualTo(Cursor.State.END);
      }
    }
  }

  /** Rows and gaps together must be all that the files hold, in their order. */
  private void scan() {
    byte[] from = random.nextInt(10) == 0 ? new byte[0] : row();
    byte[] to = random.nextInt(5) == 0 ? null : row();
    if (to != null && Arrays.compareUnsigned(from, to) > 0) {
      byte[] swapped = from;
      from = to;
      to = swapped;
    }
    scan(from, random.nextBoolean(), to, random.nextBoolean());
  }

  private void scan(byte[] from, boolean inclusive, byte[] to, boolean toInclusive) {
    try (Pin pin = store.pin()) {
      Cursor cursor = store.cursor(pin);
      byte[] at = from;
      boolean atInclusive = inclusive;
      Cursor.State state = cursor.seek(from, inclusive, to, toInclusive);
      while (true) {
        Map.Entry<byte[], byte[]> next =
            atInclusive ? files.ceilingEntry(at) : files.higherEntry(at);
        if (next != null && isBeyond(next.getKey(), to, toInclusive)) {
          next = null;
        }
        if (state == Cursor.State.END) {
          assertThat(next == null ? null : next.getKey()).isNull();
          return;
        }
        if (state == Cursor.State.ROW) {
          assertThat(next == null ? null : next.getKey()).isEqualTo(cursor.row().copyRow());
          assertThat(cursor.row().copyPayload()).isEqualTo(payload(next.getValue(), null));
          at = next.getKey();
          atInclusive = false;
        } else {
          byte[] start = cursor.gapStart();
          if (next != null) {
            int comparison = Arrays.compareUnsigned(next.getKey(), start);
            assertThat(comparison > 0 || comparison == 0 && cursor.gapStartInclusive()).isTrue();
          }
          if (cursor.gapStartInclusive()) {
            assertThat(store.covers(start.length == 0 ? new byte[] {0} : start, null))
                .isEqualTo(start.length == 0 && store.covers(new byte[] {0}, null));
          }
          if (cursor.gapEnd() == null) {
            return;
          }
          assertThat(isBeyond(cursor.gapEnd(), to, true)).isFalse();
          at = cursor.gapEnd();
          atInclusive = !cursor.gapEndInclusive();
        }
        if (random.nextInt(4) == 0) {
          pin.renew();
        }
        if (random.nextInt(20) == 0) {
          put(store.ticket());
        }
        state = cursor.next();
      }
    }
  }

  private static boolean isBeyond(byte[] row, byte[] to, boolean toInclusive) {
    int comparison = to == null ? -1 : Arrays.compareUnsigned(row, to);
    return comparison > 0 || comparison == 0 && !toInclusive;
  }

  private void flush() {
    try (Change change = store.change()) {
      for (int i = random.nextInt(10); i > 0; i--) {
        byte[] row = row();
        byte[] versions = files.getOrDefault(row, new byte[COLUMNS]).clone();
        versions[random.nextInt(COLUMNS)] = (byte) random.nextInt(100);
        if (project(versions, null) == null) {
          files.remove(row);
        } else {
          files.put(row, versions);
        }
        boolean isDropped = random.nextInt(10) == 0;
        change.merge(
            row,
            (columns, present, offset, length) -> {
              ByteBuffer copy = present.duplicate();
              assertThat(copy.limit()).isGreaterThanOrEqualTo(offset + length);
              return isDropped
                  ? null
                  : new Merge.Merged(payload(versions, columns), isClean(versions));
            });
        if (isDropped) {
          assertThat(store.covers(row, null)).isFalse();
        }
      }
    }
  }

  /** Changes what is not clean. */
  private void compact() {
    files.entrySet().removeIf(row -> !isClean(row.getValue()) && random.nextBoolean());
    try (Change change = store.change()) {
      change.compacted();
    }
  }

  private void bulkLoad() {
    byte[] from = row();
    byte[] to = row();
    try (Change change = store.change()) {
      files.subMap(from, true, max(from, Keys.after(to)), false).replaceAll((k, v) -> versions());
      change.dropRange(from, max(from, Keys.after(to)));
    }
  }

  private byte[] versions() {
    byte[] versions = new byte[COLUMNS];
    random.nextBytes(versions);
    versions[0] = (byte) (versions[0] & 0x7f | 1);
    return versions;
  }

  private static byte[] max(byte[] a, byte[] b) {
    return Arrays.compareUnsigned(a, b) > 0 ? a : b;
  }

  private void checkAll() {
    for (int i = 0; i < 1000; i++) {
      get();
    }
    scan(new byte[0], true, null, false);
  }
}
