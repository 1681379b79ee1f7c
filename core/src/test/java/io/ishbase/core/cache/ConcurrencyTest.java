package io.ishbase.core.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.core.cache.file.FileCache;
import io.ishbase.core.cache.file.FileCacheTest;
import io.ishbase.core.cache.memory.Pin;
import io.ishbase.testing.Seed;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Readers, fillers, flushes and compactions at once, with so little memory that it is reused all
 * the time. The files hold a version of each row, which only grows; 0 means that the row is not
 * there. A reader must see the version of when it began, or a newer one, and what it sees must not
 * change as long as its pin holds.
 */
class ConcurrencyTest {
  private static final int ROWS = 600;
  private static final int STEPS = 30_000;

  private final SegmentCache cache = new SegmentCache(SegmentCache.MIN_BUDGET_BYTES, () -> 0);
  private StoreCache store = cache.open("t");
  private final AtomicIntegerArray files = new AtomicIntegerArray(ROWS);
  private final AtomicBoolean stopped = new AtomicBoolean();

  /** Readers and fillers choose files under the read lock; flushes switch under the write lock. */
  private final ReentrantReadWriteLock switchLock = new ReentrantReadWriteLock();

  private static byte[] row(int number) {
    return ByteBuffer.allocate(8).putInt(2, number).array();
  }

  private static int number(byte[] row) {
    return ByteBuffer.wrap(row).getInt(2);
  }

  /** Version, row, checksum, and as many bytes as the version says. */
  private static byte[] payload(int number, int version) {
    if (version == 0) {
      return new byte[0];
    }
    byte[] payload = new byte[16 + version * 37 % 300];
    Arrays.fill(payload, (byte) version);
    ByteBuffer.wrap(payload).putInt(version).putInt(number).putLong(0);
    CRC32 crc = new CRC32();
    crc.update(payload);
    ByteBuffer.wrap(payload).putLong(8, crc.getValue());
    return payload;
  }

  private static int version(byte[] payload, int number) {
    if (payload.length == 0) {
      return 0;
    }
    int version = ByteBuffer.wrap(payload).getInt();
    assertThat(payload).isEqualTo(payload(number, version));
    return version;
  }

  private static boolean isClean(int version) {
    return version % 7 != 3;
  }

  private interface Step {
    void run(Random random);
  }

  private Callable<Void> thread(long seed, int steps, Step step) {
    return () -> {
      Random random = new Random(seed);
      try {
        for (int i = 0; i < steps && !stopped.get(); i++) {
          step.run(random);
        }
      } finally {
        stopped.set(true);
      }
      return null;
    };
  }

  /** What the files hold when a read begins, by number. */
  private int[] versionsFrom(int number, int count) {
    int[] versions = new int[ROWS];
    switchLock.readLock().lock();
    try {
      for (int i = number; i < Math.min(ROWS, number + count); i++) {
        versions[i] = files.get(i);
      }
    } finally {
      switchLock.readLock().unlock();
    }
    return versions;
  }

  private void get(Random random) {
    int number = random.nextInt(ROWS);
    Ticket ticket = store.ticket();
    int before = versionsFrom(number, 1)[number];
    RowView view = new RowView();
    boolean isFound;
    try (Pin pin = store.pin()) {
      isFound = store.find(pin, row(number), null, view);
      if (isFound) {
        byte[] first = view.copyPayload();
        assertThat(version(first, number)).isGreaterThanOrEqualTo(before);
        if (random.nextInt(10) == 0) {
          Thread.yield();
        }
        assertThat(view.copyPayload()).isEqualTo(first);
      }
    }
    // What a flush adds is the whole row here.
    Merge.Merged restored =
        isFound
            ? null
            : store.restore(
                ticket,
                row(number),
                true,
                payloads ->
                    new Merge.Merged(payloads.get(0), isClean(version(payloads.get(0), number))));
    if (restored != null) {
      assertThat(version(restored.payload(), number)).isGreaterThanOrEqualTo(before);
    }
  }

  private void scan(Random random) {
    int next = random.nextInt(ROWS);
    int[] before = versionsFrom(next, ROWS);
    try (Pin pin = store.pin()) {
      Cursor cursor = store.cursor(pin);
      Cursor.State state = cursor.seek(row(next), true, row(Math.min(ROWS, next + 100)), false);
      int end = Math.min(ROWS, next + 100);
      while (state != Cursor.State.END) {
        int upTo;
        if (state == Cursor.State.ROW) {
          upTo = number(cursor.row().copyRow());
          byte[] payload = cursor.row().copyPayload();
          assertThat(version(payload, upTo)).isGreaterThanOrEqualTo(before[upTo]);
          if (random.nextInt(10) == 0) {
            Thread.yield();
            assertThat(cursor.row().copyPayload()).isEqualTo(payload);
          }
        } else {
          upTo = number(cursor.gapStart()) + (cursor.gapStartInclusive() ? 0 : 1);
        }
        assertThat(upTo).as("the cursor goes ahead").isGreaterThanOrEqualTo(next);
        assertNothing(before, next, Math.min(upTo, end));
        next = upTo + 1;
        if (state == Cursor.State.GAP) {
          if (cursor.gapEnd() == null) {
            return;
          }
          next = number(cursor.gapEnd()) + (cursor.gapEndInclusive() ? 1 : 0);
          assertThat(next).as("the gap has an end").isGreaterThanOrEqualTo(upTo);
        }
        if (random.nextInt(20) == 0) {
          pin.renew();
        }
        state = cursor.next();
      }
      assertNothing(before, next, end);
    }
  }

  /** Rows that were passed over were not there when the scan began. */
  private static void assertNothing(int[] before, int from, int to) {
    for (int i = from; i < to; i++) {
      assertThat(before[i]).isZero();
    }
  }

  private void fill(Random random) {
    int number = random.nextInt(ROWS);
    int rows = random.nextInt(3) == 0 ? random.nextInt(50) : 1;
    int[] read = new int[rows];
    switchLock.readLock().lock();
    Ticket ticket;
    try {
      ticket = store.ticket();
      for (int i = 0; i < rows && number + i < ROWS; i++) {
        read[i] = files.get(number + i);
      }
    } finally {
      switchLock.readLock().unlock();
    }
    if (random.nextInt(10) == 0) {
      Thread.yield();
    }
    if (rows == 1) {
      byte[] payload = payload(number, read[0]);
      store.put(ticket, row(number), null, payload, 0, payload.length, isClean(read[0]));
      return;
    }
    Fill fill = store.fill(ticket, row(number), true);
    for (int i = 0; i < rows && number + i < ROWS; i++) {
      if (read[i] != 0) {
        byte[] payload = payload(number + i, read[i]);
        fill.row(row(number + i), payload, 0, payload.length, isClean(read[i]));
      }
    }
    fill.reachedBefore(row(number + rows));
  }

  private void change(Random random) {
    if (random.nextInt(4) == 0) {
      // A compaction changes nothing but what is not clean: here it makes it newer.
      switchLock.writeLock().lock();
      try (Change change = store.change()) {
        for (int i = 0; i < ROWS; i++) {
          int version = files.get(i);
          if (version != 0 && !isClean(version)) {
            files.set(i, version + 1);
          }
        }
        change.compacted();
      } finally {
        switchLock.writeLock().unlock();
      }
      return;
    }
    try (Change change = store.change()) {
      int[] numbers = random.ints(random.nextInt(20), 0, ROWS).distinct().toArray();
      for (int number : numbers) {
        int version = files.get(number) + 1 + random.nextInt(3);
        change.merge(
            row(number),
            (columns, present, offset, length) -> {
              byte[] old = new byte[length];
              present.get(offset, old);
              assertThat(version(old, number)).isLessThan(version);
              return new Merge.Merged(payload(number, version), isClean(version));
            });
        // What is merged must be seen from the switch on.
        switchLock.writeLock().lock();
        try {
          files.set(number, version);
        } finally {
          switchLock.writeLock().unlock();
        }
      }
    }
    Thread.yield();
  }

  @Test
  void readersSeeNeitherHolesNorOldVersionsNorMemoryThatChanges() throws Exception {
    all();
    cache.close();
    assertThat(cache.stats().entries()).isZero();
  }

  @Test
  void norInTheFile(@TempDir Path directory) throws Exception {
    store.close();
    try (FileCache file =
        new FileCache(directory.resolve("rows"), FileCache.MIN_BYTES, FileCacheTest::started)) {
      cache.goOnIn(file);
      store = cache.open("t");
      store.goOnInFile();
      all();
      System.out.println(file.stats());
      assertThat(file.stats().hits()).isPositive();
      assertThat(file.stats().damaged()).isZero();
      cache.close();
    }
    assertThat(directory.resolve("rows")).doesNotExist();
  }

  private void all() throws Exception {
    long seed = Seed.get();
    ExecutorService threads = Executors.newCachedThreadPool();
    try {
      List<Future<Void>> running = new ArrayList<>();
      running.add(threads.submit(thread(seed, Integer.MAX_VALUE, this::get)));
      running.add(threads.submit(thread(seed + 1, Integer.MAX_VALUE, this::get)));
      running.add(threads.submit(thread(seed + 2, Integer.MAX_VALUE, this::scan)));
      running.add(threads.submit(thread(seed + 3, Integer.MAX_VALUE, this::fill)));
      running.add(threads.submit(thread(seed + 4, STEPS, this::fill)));
      running.add(threads.submit(thread(seed + 5, Integer.MAX_VALUE, this::change)));
      for (Future<Void> future : running) {
        future.get();
      }
    } finally {
      stopped.set(true);
      threads.shutdown();
    }
    CacheStats stats = cache.stats();
    System.out.println(stats);
    assertThat(stats.hits()).isPositive();
    assertThat(stats.evictions()).isPositive();
    assertThat(stats.usedBytes()).isLessThanOrEqualTo(stats.budgetBytes());
  }

  /** Memory of a row that is replaced all the time is used again as soon as nobody may read it. */
  @Test
  void whatIsFoundStaysAsLongAsThePin() throws Exception {
    ExecutorService threads = Executors.newCachedThreadPool();
    try {
      List<Future<Void>> readers = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        readers.add(threads.submit(thread(i, Integer.MAX_VALUE, this::findTwice)));
      }
      Future<Void> writer = threads.submit(thread(0, 1_000_000, this::replace));
      writer.get();
      for (Future<Void> reader : readers) {
        reader.get();
      }
    } finally {
      stopped.set(true);
      threads.shutdown();
    }
  }

  private void replace(Random random) {
    int number = random.nextInt(3);
    byte[] payload = new byte[900];
    Arrays.fill(payload, (byte) (number * 50 + random.nextInt(50)));
    store.put(store.ticket(), row(number), null, payload, 0, payload.length, true);
    try (Change change = store.change()) {
      change.merge(row(number), (columns, p, offset, length) -> new Merge.Merged(payload, true));
    }
  }

  private void findTwice(Random random) {
    int number = random.nextInt(3);
    RowView view = new RowView();
    try (Pin pin = store.pin()) {
      if (store.find(pin, row(number), null, view) && view.length() > 0) {
        byte[] first = view.copyPayload();
        assertThat((first[0] & 0xff) / 50).isEqualTo(number);
        assertThat(view.copyRow()).isEqualTo(row(number));
        byte[] expected = new byte[900];
        Arrays.fill(expected, first[0]);
        assertThat(first).isEqualTo(expected);
        for (int i = 0; i < 1_000; i++) {
          Thread.onSpinWait();
        }
        assertThat(view.copyPayload()).isEqualTo(first);
      }
    }
  }

  /** While segments are split and joined, a gap ends behind where it begins. */
  @Test
  void aCursorNeverGoesBack() throws Exception {
    ExecutorService threads = Executors.newCachedThreadPool();
    try {
      Future<Void> writer = threads.submit(thread(0, Integer.MAX_VALUE, random -> riseAndFall()));
      Future<Void> reader = threads.submit(thread(0, 1_000_000, random -> scanForward()));
      reader.get();
      writer.get();
    } finally {
      stopped.set(true);
      threads.shutdown();
    }
  }

  private void riseAndFall() {
    for (int i = 0; i < 100; i++) {
      byte[] payload = payload(i, 1);
      store.put(store.ticket(), row(i), null, payload, 0, payload.length, true);
    }
    for (int i = 99; i > 0; i--) {
      store.drop(row(i));
    }
  }

  private void scanForward() {
    try (Pin pin = store.pin()) {
      Cursor cursor = store.cursor(pin);
      Cursor.State state = cursor.seek(row(0), true, row(100), false);
      int last = 0;
      while (state == Cursor.State.ROW || state == Cursor.State.GAP && cursor.gapEnd() != null) {
        byte[] at = state == Cursor.State.ROW ? cursor.row().copyRow() : cursor.gapEnd();
        assertThat(number(at)).isGreaterThanOrEqualTo(last);
        last = number(at);
        state = cursor.next();
      }
    }
  }
}
