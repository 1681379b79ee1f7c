package io.ishbase.plugin.cache;

import static org.assertj.core.api.Assertions.assertThat;

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
import org.apache.hadoop.hbase.regionserver.compactions.DefaultCompactor;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is cached, written down and read back. */
class SavedRowsTest {
  private static final int ROWS = 200;
  private static final List<String> ORIGIN = List.of("rules", "file");

  @TempDir private Path directory;

  private final Random random = new Random(Seed.get());
  private CachedRegion region;

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

  private static long load(CachedRows cache, List<String> origin, byte[] saved) throws IOException {
    return new SavedRows(cache, origin)
        .load(new ByteArrayInputStream(saved), cache.rows().ticket(), () -> true);
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
    new SavedRows(after, ORIGIN).load(new ByteArrayInputStream(saved), ticket, () -> true);
    assertThat(after.rows().isEmpty()).isTrue();
  }
}
