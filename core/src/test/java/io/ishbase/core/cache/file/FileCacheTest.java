package io.ishbase.core.cache.file;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rows that leave the memory for a file, and come back. */
public class FileCacheTest {
  private static final long BYTES = FileCache.MIN_BYTES;

  /** Rows of a kilobyte of which the file has room for all but the block that comes next. */
  private static final int FIT = 3_500;

  @TempDir private Path directory;
  private Path path;
  private FileCache cache;
  private FiledRows rows;

  /** A thread of that name of work, which runs. */
  public static Thread started(Runnable work) {
    Thread thread = new Thread(work, "cache file");
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  @BeforeEach
  void open() throws IOException {
    path = directory.resolve("rows");
    cache = new FileCache(path, BYTES, FileCacheTest::started);
    rows = cache.openStore();
  }

  @AfterEach
  void close() {
    cache.close();
  }

  private static byte[] row(int number) {
    return ("row" + number).getBytes(UTF_8);
  }

  private static byte[] payload(int number, int length) {
    byte[] payload = new byte[length];
    Arrays.fill(payload, (byte) number);
    return payload;
  }

  private static void leave(FiledRows store, int number, int length, boolean clean) {
    byte[] payload = payload(number, length);
    store.left(row(number), ByteBuffer.wrap(payload), 0, length, clean, !clean);
  }

  /** Rows in order, without the disk falling behind. */
  private void leave(int from, int to) throws InterruptedException {
    for (int i = from; i < to; i++) {
      leave(rows, i, 1_000, true);
      if (i % 100 == 0) {
        cache.awaitWritten();
      }
    }
    cache.awaitWritten();
  }

  /** Has what was left before lie on the disk alone. */
  private void toDisk() throws InterruptedException {
    leave(1_000_000, 1_000_400);
  }

  private static byte[] only(FiledRow row) {
    assertThat(row.payloads()).hasSize(1);
    return row.payloads().get(0);
  }

  private boolean has(int number) {
    FiledRow found = rows.find(row(number));
    if (found != null) {
      assertThat(only(found)).isEqualTo(payload(number, only(found).length));
    }
    return found != null;
  }

  private long found(int from, int to) {
    long found = 0;
    for (int i = from; i < to; i++) {
      found += has(i) ? 1 : 0;
    }
    return found;
  }

  @Test
  void aRowIsFoundAsItLeft() throws Exception {
    leave(rows, 1, 10, true);
    leave(rows, 2, 20_000, false);
    leave(rows, 3, 0, true);
    for (int round = 0; round < 2; round++) {
      FiledRow first = rows.find(row(1));
      assertThat(only(first)).isEqualTo(payload(1, 10));
      assertThat(first.clean()).isTrue();
      assertThat(first.trimmed()).isFalse();
      assertThat(rows.isAt(row(1), first.place())).isTrue();
      FiledRow second = rows.find(row(2));
      assertThat(only(second)).isEqualTo(payload(2, 20_000));
      assertThat(second.clean()).isFalse();
      assertThat(second.trimmed()).isTrue();
      assertThat(only(rows.find(row(3)))).isEmpty();
      assertThat(rows.find(row(4))).isNull();
      assertThat(cache.stats().reads()).as("reads of the disk").isEqualTo(round * 4L);
      toDisk();
    }
  }

  @Test
  void whatIsForgottenIsNotFound() {
    FiledRows others = cache.openStore();
    leave(rows, 1, 10, true);
    leave(rows, 2, 10, false);
    leave(rows, 3, 10, true);
    leave(others, 1, 11, true);
    long place = rows.find(row(1)).place();
    rows.forget(row(1));
    assertThat(rows.isAt(row(1), place)).isFalse();
    assertThat(has(1)).isFalse();
    rows.forgetUnclean();
    assertThat(has(2)).isFalse();
    assertThat(has(3)).isTrue();
    leave(rows, 2, 10, false);
    assertThat(has(2)).as("a row that is not clean, after a compaction").isTrue();
    rows.forgetAll();
    assertThat(found(1, 4)).isZero();
    assertThat(rows.hasRows()).isFalse();
    assertThat(only(others.find(row(1)))).hasSize(11);
    others.close();
    assertThat(others.find(row(1))).isNull();
  }

  @Test
  void aRowThatIsThereIsNotWrittenAgain() {
    leave(rows, 1, 10, true);
    leave(rows, 1, 10, true);
    assertThat(cache.stats().writtenRows()).isEqualTo(1);
    rows.forget(row(1));
    leave(rows, 1, 12, true);
    assertThat(cache.stats().writtenRows()).isEqualTo(2);
    assertThat(only(rows.find(row(1)))).hasSize(12);
  }

  @Test
  void whatFlushesAddIsFoundWithTheRow() throws Exception {
    assertThat(rows.changed(row(1), payload(7, 5), false))
        .as("of a row that is not there")
        .isFalse();
    leave(rows, 1, 10, true);
    leave(rows, 2, 10, true);
    assertThat(rows.changed(row(1), payload(7, 5), false)).isTrue();
    toDisk();
    assertThat(rows.changed(row(1), payload(8, 6), true)).isTrue();
    FiledRow found = rows.find(row(1));
    assertThat(found.payloads()).containsExactly(payload(8, 6), payload(7, 5), payload(1, 10));
    assertThat(found.trimmed()).isTrue();
    assertThat(found.clean()).isFalse();
    // A compaction may drop what they hide.
    rows.forgetUnclean();
    assertThat(rows.find(row(1))).isNull();
    assertThat(only(rows.find(row(2)))).hasSize(10);
    leave(rows, 1, 11, true);
    assertThat(only(rows.find(row(1)))).hasSize(11);
  }

  @Test
  void aRowIsNotFoundWithoutWhatWasChanged() throws Exception {
    leave(rows, 1, 10, true);
    leave(0, FIT / 2);
    assertThat(rows.changed(row(1), payload(7, 5), false)).isTrue();
    leave(FIT / 2, FIT * 3 / 2);
    assertThat(rows.find(row(1))).isNull();
    leave(rows, 1, 12, true);
    assertThat(only(rows.find(row(1)))).hasSize(12);
  }

  @Test
  void aRowThatIsChangedForEverIsFetchedAgain() {
    leave(rows, 1, 10, true);
    for (int i = 0; i < 8; i++) {
      assertThat(rows.changed(row(1), payload(i, 5), false)).isTrue();
    }
    assertThat(rows.find(row(1)).payloads()).hasSize(9);
    assertThat(rows.changed(row(1), payload(9, 5), false)).isFalse();
    rows.forget(row(1));
    assertThat(rows.find(row(1))).isNull();
    leave(rows, 1, 12, true);
    assertThat(only(rows.find(row(1)))).hasSize(12);
  }

  @Test
  void theOldestLeaveUnlessTheyWereAskedFor() throws Exception {
    leave(0, FIT);
    assertThat(found(0, FIT)).isEqualTo(FIT);
    cache.close();
    cache = new FileCache(path, BYTES, FileCacheTest::started);
    rows = cache.openStore();
    leave(0, FIT);
    assertThat(found(100, 200)).isEqualTo(100);
    leave(FIT, 2 * FIT);
    assertThat(found(FIT, 2 * FIT)).isGreaterThan(FIT * 9 / 10);
    assertThat(found(100, 200)).as("that were asked for").isGreaterThan(95);
    assertThat(found(0, 100)).isZero();
    assertThat(cache.stats().keptRows()).isBetween(90L, 250L);
    assertThat(cache.stats().lostRows()).isZero();
    assertThat(cache.stats().usedBytes()).isEqualTo(BYTES);
  }

  @Test
  void whatWasForgottenIsNotKept() throws Exception {
    leave(0, FIT);
    assertThat(found(0, 300)).isEqualTo(300);
    for (int i = 0; i < 100; i++) {
      rows.forget(row(i));
    }
    leave(FIT, 2 * FIT);
    assertThat(found(0, 100)).isZero();
    // Of a block, no more than a half.
    assertThat(found(100, 300)).isBetween(150L, 200L);
    rows.forgetAll();
    leave(2 * FIT, 3 * FIT);
    assertThat(found(0, 2 * FIT)).isZero();
  }

  @Test
  void damageIsFound() throws Exception {
    leave(0, 500);
    toDisk();
    try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
      // The first block of the log is not the first of the file.
      file.seek(CacheFile.HEADER_BYTES + BYTES / 16);
      file.write(new byte[100_000]);
    }
    long found = found(0, 500);
    assertThat(found).isBetween(350L, 420L);
    assertThat(cache.stats().damaged()).isEqualTo(500 - found);
    leave(rows, 1, 1_000, true);
    assertThat(has(1)).as("a row that was damaged, and came again").isTrue();
  }

  @Test
  void anInterruptedReaderReadsOn() throws Exception {
    leave(0, 100);
    toDisk();
    for (int i = 0; i < 50; i++) {
      Thread.currentThread().interrupt();
      assertThat(has(i)).isTrue();
      assertThat(Thread.interrupted()).isTrue();
    }
    assertThat(found(50, 100)).isEqualTo(50);
  }

  @Test
  void aDiskThatFailsIsUsedNoMore() throws Exception {
    leave(0, 10);
    toDisk();
    Files.delete(path);
    // An interrupt has the file opened again.
    Thread.currentThread().interrupt();
    assertThat(has(1)).isFalse();
    assertThat(Thread.interrupted()).isTrue();
    assertThat(cache.stats().bytes()).isZero();
    leave(rows, 20, 10, true);
    assertThat(found(0, 30)).isZero();
  }

  @Test
  void theFileIsItsOwnersAndLeavesWithTheCache() throws Exception {
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
        .isEqualTo("rw-------");
    cache.close();
    assertThat(path).doesNotExist();
    assertThat(has(1)).isFalse();
  }

  @Test
  void whatIsNotToBeHadIsRefused() throws Exception {
    Path other = Files.writeString(directory.resolve("other"), "a letter");
    refused(other, BYTES, "another's file");
    assertThat(other).hasContent("a letter");
    refused(directory, BYTES, "not a file");
    refused(Path.of("rows"), BYTES, "absolute");
    refused(directory.resolve("none/rows"), BYTES, "no directory");
    refused(directory.resolve("small"), BYTES - 1, "at least");
    refused(directory.resolve("large"), 1L << 50, "are left there");
    refused(path, BYTES, "another process");
    Path link = Files.createSymbolicLink(directory.resolve("link"), other);
    refused(link, BYTES, "not a file");
    Files.createDirectory(directory.resolve("locked.lock"));
    refused(directory.resolve("locked"), BYTES, "locked.lock is not a file");
    assertThat(directory)
        .isDirectoryNotContaining("glob:**/{other,small,large,link}.lock")
        .isDirectoryNotContaining("glob:**/large");
  }

  private static void refused(Path path, long bytes, String why) {
    assertThatThrownBy(() -> new FileCache(path, bytes, FileCacheTest::started))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(why);
  }

  @Test
  void whatAnEarlierProcessLeftIsOverwritten() throws Exception {
    leave(0, 10);
    toDisk();
    byte[] left = Files.readAllBytes(path);
    cache.close();
    Files.write(path, left);
    cache = new FileCache(path, BYTES, FileCacheTest::started);
    rows = cache.openStore();
    assertThat(found(0, 10)).isZero();
    leave(0, 10);
    assertThat(found(0, 10)).isEqualTo(10);
  }
}
