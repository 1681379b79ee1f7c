package io.ishbase.plugin.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ishbase.core.cache.Fill;
import io.ishbase.testing.Seed;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.IsolationLevel;
import org.apache.hadoop.hbase.client.PackagePrivateFieldAccessor;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.apache.hadoop.hbase.regionserver.ScanInfo;
import org.apache.hadoop.hbase.regionserver.compactions.DefaultCompactor;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.EnvironmentEdgeManager;
import org.apache.hadoop.hbase.util.ManualEnvironmentEdge;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is cached, written down and read back. */
class SavedRowsTest {
  private static final int ROWS = 200;
  private static final List<String> ORIGIN = List.of("rules", "file");
  private static final List<String> LATER = List.of("rules", "file", "file of a flush");

  @TempDir private Path directory;

  private final Random random = new Random(Seed.get());
  private CachedRegion region;

  /** Of the last cell that was put meanwhile. */
  private long time = 10;

  @BeforeEach
  void open() throws IOException {
    boolean isWhole = random.nextBoolean();
    region =
        new CachedRegion(
            directory,
            CachedRegion.family().setMaxVersions(3),
            isWhole ? "" : "r",
            isWhole ? "" : "s");
    for (int i = 0; i < ROWS; i += 2) {
      for (int version = 1; version <= 1 + i % 3; version++) {
        region.put(row(i), "q", version, "v".repeat(1 + i) + version);
      }
    }
    region.flush();
  }

  @AfterEach
  void close() throws IOException {
    region.close();
  }

  private static String row(int number) {
    return String.format("r%03d", number);
  }

  private CachedRows cache() {
    return region.cache(Set.of(DefaultCompactor.class), 60_000);
  }

  private CachedRows filled() throws IOException {
    CachedRows cache = cache();
    for (int i = 0; i < 12; i++) {
      int from = random.nextInt(ROWS);
      if (random.nextBoolean()) {
        cache.put(cache.rows().ticket(), Bytes.toBytes(row(from)), null, region.stored(row(from)));
      } else {
        fill(cache, from, Math.min(ROWS, from + random.nextInt(40)));
      }
    }
    return cache;
  }

  private void fill(CachedRows cache, int from, int to) throws IOException {
    boolean isFirst = from == 0 && random.nextBoolean();
    boolean isInclusive = isFirst || random.nextBoolean();
    byte[] start = isFirst ? new byte[0] : Bytes.toBytes(row(from));
    Fill fill = cache.rows().fill(cache.rows().ticket(), start, isInclusive);
    for (int i = isInclusive ? from : from + 1; i < to; i++) {
      List<KeyValue> cells = region.stored(row(i));
      if (!cells.isEmpty()) {
        byte[] payload = cache.codec().encode(cells);
        fill.row(Bytes.toBytes(row(i)), payload, 0, payload.length, random.nextBoolean());
      }
    }
    if (to == ROWS) {
      fill.reachedEnd();
    } else if (to > from + 1) {
      fill.reachedBefore(Bytes.toBytes(row(to)));
    }
  }

  /** What is known of each row, and of a key behind each. */
  private static List<String> known(CachedRows cache) {
    List<String> known = new ArrayList<>();
    for (int i = 0; i <= ROWS; i++) {
      known.add(String.valueOf(CachedRegion.cached(cache, row(i))));
      known.add(String.valueOf(CachedRegion.cached(cache, row(i) + "!")));
    }
    return known;
  }

  private static byte[] saved(CachedRows cache) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    new SavedRows(cache, ORIGIN).save(out, () -> true);
    return out.toByteArray();
  }

  private static byte[] nothingFlushed(CachedRows cache, List<String> origin) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    new SavedRows(cache, origin).saveFlushed(new FlushedRows(), origin, out);
    return out.toByteArray();
  }

  private static long load(CachedRows cache, List<String> origin, byte[] saved) throws IOException {
    return new SavedRows(cache, origin)
        .load(
            new ByteArrayInputStream(saved),
            new ByteArrayInputStream(nothingFlushed(cache, origin)),
            cache.rows().ticket(),
            () -> true);
  }

  @Test
  void rowsThatWereCachedAreCachedAgain() throws IOException {
    for (int i = 0; i < 20; i++) {
      CachedRows before = filled();
      byte[] saved = saved(before);
      CachedRows after = cache();
      load(after, ORIGIN, saved);
      List<String> was = known(before);
      List<String> is = known(after);
      for (int key = 0; key < was.size(); key++) {
        // That nothing lies between two rows of which nothing is known is lost.
        boolean isLost = key % 4 != 0 && was.get(key).equals("[]") && is.get(key).equals("null");
        assertThat(isLost ? "[]" : is.get(key)).as("key " + key).isEqualTo(was.get(key));
      }
      assertThat(after.faults()).isEmpty();
      before.close();
      after.close();
    }
  }

  @Test
  void anotherOriginIsNotLoaded() throws IOException {
    byte[] saved = saved(filled());
    CachedRows after = cache();
    for (List<String> origin : List.of(List.of("rules"), List.of("rules", "files"))) {
      assertThat(load(after, origin, saved)).isZero();
    }
    assertThat(after.rows().isEmpty()).isTrue();
  }

  @Test
  void damageIsNoticedAndWhatIsCutIsMissing() throws IOException {
    byte[] saved = saved(filled());
    int noticed = 0;
    for (int i = 0; i < 50; i++) {
      CachedRows after = cache();
      byte[] damaged = saved.clone();
      damaged[random.nextInt(damaged.length)] ^= (byte) (1 << random.nextInt(8));
      if (random.nextBoolean()) {
        damaged = Arrays.copyOf(saved, random.nextInt(saved.length));
      }
      try {
        load(after, ORIGIN, damaged);
      } catch (IOException e) {
        noticed++;
      }
      assertThat(after.faults()).isEmpty();
      after.close();
    }
    assertThat(noticed).isPositive();
  }

  @Test
  void afterAChangeOfTheFilesNothingIsLoaded() throws IOException {
    byte[] saved = saved(filled());
    CachedRows after = cache();
    var ticket = after.rows().ticket();
    region.put(row(2), "q", 9, "new").flush();
    ByteArrayInputStream rest = new ByteArrayInputStream(nothingFlushed(after, ORIGIN));
    new SavedRows(after, ORIGIN).load(new ByteArrayInputStream(saved), rest, ticket, () -> true);
    assertThat(after.rows().isEmpty()).isTrue();
  }

  /** Puts some rows and flushes them, and has some of them cached. */
  private void writeSome(CachedRows cache) throws IOException {
    for (int i = 0; i < 8; i++) {
      region.put(row(random.nextInt(ROWS)), "q", ++time, "new");
    }
    region.flush();
    if (random.nextBoolean()) {
      int from = random.nextInt(ROWS);
      fill(cache, from, Math.min(ROWS, from + random.nextInt(40)));
    }
  }

  private static long loadBoth(CachedRows cache, byte[] saved, byte[] flushed) throws IOException {
    return new SavedRows(cache, LATER)
        .load(
            new ByteArrayInputStream(saved),
            new ByteArrayInputStream(flushed),
            cache.rows().ticket(),
            () -> true);
  }

  private static byte[] savedFlushed(CachedRows cache, FlushedRows flushed) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    new SavedRows(cache, LATER).saveFlushed(flushed, ORIGIN, out);
    return out.toByteArray();
  }

  @Test
  void whatIsFlushedAfterwardsIsMadeUpFor() throws IOException {
    for (int i = 0; i < 20; i++) {
      CachedRows before = filled();
      FlushedRows flushed = before.watch();
      if (random.nextBoolean()) {
        writeSome(before);
      }
      List<String> then = known(before);
      byte[] saved = saved(before);
      writeSome(before);
      writeSome(before);
      assertThat(flushed.areAll()).isTrue();
      byte[] rest = savedFlushed(before, flushed);
      CachedRows after = cache();
      long rows = loadBoth(after, saved, rest);
      List<String> was = known(before);
      List<String> is = known(after);
      int kept = 0;
      for (int key = 0; key < was.size(); key++) {
        String row = was.get(key);
        if (row.contains("Put") && !then.get(key).equals("null")) {
          assertThat(is.get(key)).as("key " + key).isEqualTo(row);
          kept++;
        } else if (!is.get(key).equals("null") && !row.equals("null")) {
          assertThat(is.get(key)).as("key " + key).isEqualTo(row);
        }
      }
      assertThat(rows).isGreaterThanOrEqualTo(kept);
      assertThat(after.faults()).isEmpty();
      before.close();
      after.close();
    }
  }

  @Test
  void aRowThatIsTrimmedDoesNotComeWhereAMarkerOfAVersionMayBeInTheMemstore() throws IOException {
    CachedRows before = cache();
    byte[] row = Bytes.toBytes(row(2));
    before.put(before.rows().ticket(), row, null, region.stored(row(2)));
    for (int i = 0; i < 3; i++) {
      region.put(row(2), "q", ++time, "new");
    }
    region.flush();
    assertThat(CachedRegion.cached(before, row(2))).as("what is trimmed").hasSize(3);
    byte[] saved = saved(before);
    CachedRows after = cache();
    assertThat(load(after, ORIGIN, saved)).isEqualTo(1);
    assertThat(CachedRegion.cached(after, row(2))).hasSize(3);
    KeyValue marker =
        new KeyValue(row, CachedRegion.FAMILY, Bytes.toBytes("q"), time, KeyValue.Type.Delete);
    marker.setSequenceId(1_000);
    after.written(marker);
    assertThat(CachedRegion.cached(after, row(2))).isNull();
    CachedRows later = cache();
    later.written(marker);
    assertThat(load(later, ORIGIN, saved)).isZero();
    assertThat(CachedRegion.cached(later, row(2))).isNull();
  }

  /** A client goes on with the read point that its scan had before the restart. */
  @Test
  void whoReadsAsBeforeTheRestartSeesNoTrimmedRow() throws IOException {
    CachedRows before = cache();
    byte[] row = Bytes.toBytes(row(2));
    before.put(before.rows().ticket(), row, null, region.stored(row(2)));
    long readPoint = region.region().getReadPoint(IsolationLevel.READ_COMMITTED);
    for (int i = 0; i < 3; i++) {
      region.put(row(2), "q", ++time, "new");
    }
    region.flush();
    byte[] saved = saved(before);
    Scan early = new Scan();
    PackagePrivateFieldAccessor.setMvccReadPoint(early, readPoint);
    try (RegionScanner open = region.region().getScanner(early)) {
      CachedRows after = cache();
      assertThat(load(after, ORIGIN, saved)).isEqualTo(1);
      ScanInfo rules = region.store().getScanInfo();
      assertThat(after.reader(early, rules, readPoint).find(row, null)).isNull();
      long now = region.region().getReadPoint(IsolationLevel.READ_COMMITTED);
      assertThat(after.reader(new Scan(), rules, now).find(row, null)).isNotNull();
      assertThat(open.getMvccReadPoint()).isEqualTo(readPoint);
    }
  }

  @Test
  void flushedRowsWithoutTheirEndAreOfNoUse() throws IOException {
    CachedRows before = filled();
    FlushedRows flushed = before.watch();
    byte[] saved = saved(before);
    writeSome(before);
    byte[] rest = savedFlushed(before, flushed);
    CachedRows after = cache();
    assertThatThrownBy(() -> loadBoth(after, saved, Arrays.copyOf(rest, rest.length - 1)))
        .isInstanceOf(IOException.class);
    assertThat(loadBoth(after, saved, saved)).isZero();
    assertThat(load(after, LATER, saved)).isZero();
    assertThat(after.rows().isEmpty()).isTrue();
  }

  @Test
  void whatHadExpiredIsMissingForNobodyWhoseClockIsSetBack() throws IOException {
    ManualEnvironmentEdge clock = new ManualEnvironmentEdge();
    long now = System.currentTimeMillis();
    clock.setValue(now);
    EnvironmentEdgeManager.injectEdge(clock);
    try (CachedRegion expiring =
        new CachedRegion(
            directory.resolve("expiring"), CachedRegion.family().setTimeToLive(3600))) {
      ScanInfo rules = expiring.store().getScanInfo();
      expiring.put("row", "old", now - 3_500_000, "v").put("row", "new", now, "v");
      expiring.flush();
      clock.setValue(now + 600_000);
      byte[] row = Bytes.toBytes("row");
      CachedRows before = expiring.cache(Set.of(DefaultCompactor.class), 60_000);
      CacheVisibility.Reader reader = before.reader(new Scan(new Get(row)), rules, Long.MAX_VALUE);
      long cutOff = reader.leaveOutExpired();
      List<KeyValue> fetched = new ArrayList<>(expiring.stored("row"));
      fetched.removeIf(cell -> cell.getTimestamp() < cutOff);
      before.put(reader.ticket(), row, null, fetched);
      byte[] saved = saved(before);
      byte[] flushed = savedFlushed(before, before.watch());

      CachedRows after = expiring.cache(Set.of(DefaultCompactor.class), 60_000);
      assertThat(loadBoth(after, saved, flushed)).isEqualTo(1);
      assertThat(after.reader(new Scan(new Get(row)), rules, Long.MAX_VALUE).find(row, null))
          .isNotNull();
      clock.setValue(now);
      assertThat(after.reader(new Scan(new Get(row)), rules, Long.MAX_VALUE).find(row, null))
          .isNull();
    } finally {
      EnvironmentEdgeManager.reset();
    }
  }

  /**
   * One fetch by a clock that is a day ahead must not keep the store out of the cache that long.
   */
  @Test
  void whatWasFetchedByAClockThatWasFarAheadIsForgottenOnceItIsSetRight() throws IOException {
    ManualEnvironmentEdge clock = new ManualEnvironmentEdge();
    long now = System.currentTimeMillis();
    clock.setValue(now + 86_400_000);
    EnvironmentEdgeManager.injectEdge(clock);
    try (CachedRegion expiring =
        new CachedRegion(directory.resolve("ahead"), CachedRegion.family().setTimeToLive(3600))) {
      ScanInfo rules = expiring.store().getScanInfo();
      expiring.put("row", "q", now, "v");
      expiring.flush();
      byte[] row = Bytes.toBytes("row");
      Scan scan = new Scan(new Get(row));
      CachedRows cache = expiring.cache(Set.of(DefaultCompactor.class), 60_000);
      CacheVisibility.Reader ahead = cache.reader(scan, rules, Long.MAX_VALUE);
      ahead.leaveOutExpired();
      cache.put(ahead.ticket(), row, null, List.of());
      clock.setValue(now + 1000);
      CacheVisibility.Reader reader = cache.reader(scan, rules, Long.MAX_VALUE);
      assertThat(reader.find(row, null)).isNull();
      reader.leaveOutExpired();
      assertThat(cache.rows().isGood(ahead.ticket())).isFalse();
      cache.put(reader.ticket(), row, null, expiring.stored("row"));
      CachedRow.Cells found = cache.reader(scan, rules, Long.MAX_VALUE).find(row, null);
      assertThat(found).isNotNull();
      // A step of a second, as of NTP, is no reason.
      clock.setValue(now);
      assertThat(cache.reader(scan, rules, Long.MAX_VALUE).find(row, null)).isNotNull();
    } finally {
      EnvironmentEdgeManager.reset();
    }
  }

  @Test
  void whoWatchesLearnsThatMoreThanRowsOfAFlushHasChanged() throws IOException {
    CachedRows cache = filled();
    FlushedRows flushed = cache.watch();
    region.put(row(4), "q", 30, "new").flush();
    assertThat(flushed.areAll()).isTrue();
    region.region().compact(true);
    assertThat(flushed.areAll()).isFalse();
    FlushedRows forgotten = cache.watch();
    cache.forget();
    assertThat(forgotten.areAll()).isFalse();
    FlushedRows late;
    try (CachedRows.FileChange underWay = new CachedRows.FileChange(cache)) {
      late = cache.watch();
      assertThat(late.areAll()).isTrue();
    }
    assertThat(late.areAll()).isFalse();
  }
}
