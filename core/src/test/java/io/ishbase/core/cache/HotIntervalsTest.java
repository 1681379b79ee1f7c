package io.ishbase.core.cache;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ishbase.core.cache.memory.Columns;
import io.ishbase.core.cache.memory.Keys;
import io.ishbase.core.cache.memory.Pin;
import io.ishbase.core.hot.HotInterval;
import io.ishbase.core.hot.HotIntervals;
import io.ishbase.core.hot.WarmUpPace;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class HotIntervalsTest {
  private final SegmentCache cache = new SegmentCache(16 << 20, () -> 0);
  private final StoreCache store = cache.open("t");
  private final RowView view = new RowView();

  @AfterEach
  void close() {
    cache.close();
  }

  private static byte[] row(int number) {
    return String.format("row%06d", number).getBytes(UTF_8);
  }

  private void put(int row) {
    assertThat(store.put(store.ticket(), row(row), null, new byte[10], 0, 10, true)).isTrue();
  }

  /** A run of rows that a scan brought. */
  private void fill(int from, int to) {
    Fill fill = store.fill(store.ticket(), row(from), true);
    for (int i = from; i < to; i++) {
      fill.row(row(i), new byte[10], 0, 10, true);
    }
    fill.reachedBefore(row(to));
  }

  private void hit(int from, int to) {
    try (Pin pin = store.pin()) {
      for (int i = from; i < to; i++) {
        assertThat(store.find(pin, row(i), null, view)).isTrue();
      }
    }
  }

  private static String text(List<HotInterval> intervals) {
    return intervals.stream()
        .map(
            interval ->
                Integer.parseInt(new String(interval.from(), 3, 6, UTF_8))
                    + (interval.isRow()
                        ? ""
                        : "-" + Integer.parseInt(new String(interval.to(), 3, 6, UTF_8)))
                    + ":"
                    + interval.heat())
        .collect(Collectors.joining(" "));
  }

  @Test
  void aStoreThatWasNotHitHasNone() {
    put(1);
    fill(10, 20);
    assertThat(store.hottest()).isEmpty();
  }

  @Test
  void rowsAreApartAndRunsTogether() {
    put(1);
    put(3);
    put(5);
    fill(10, 20);
    hit(1, 2);
    hit(5, 6);
    hit(5, 6);
    hit(12, 15);
    assertThat(text(store.hottest())).isEqualTo("1:4 5:8 11-15:4");
  }

  @Test
  void anAbsentRowIsARowAndColumnsAreNot() {
    Columns columns = Columns.of(new byte[] {'c'});
    store.put(store.ticket(), row(1), columns, new byte[10], 0, 10, true);
    store.put(store.ticket(), row(2), null, new byte[0], 0, 0, true);
    try (Pin pin = store.pin()) {
      store.find(pin, row(1), columns, view);
      store.find(pin, row(2), null, view);
    }
    assertThat(text(store.hottest())).isEqualTo("2:4");
  }

  @Test
  void theHottestAreChosenAndTheRestSpread() {
    int rows = 10_000;
    for (int i = 0; i < rows; i++) {
      put(i);
    }
    hit(0, rows);
    hit(7_000, 8_000);
    List<HotInterval> hottest = store.hottest();
    assertThat(hottest.stream().filter(interval -> interval.heat() == 8)).hasSize(1_000);
    assertThat(hottest.size()).isBetween(2_000, rows / 2);
    long low =
        hottest.stream()
            .filter(interval -> Arrays.compare(interval.from(), row(3_500)) < 0)
            .count();
    long high =
        hottest.stream()
                .filter(interval -> Arrays.compare(interval.from(), row(3_500)) >= 0)
                .count()
            - 1_000;
    assertThat((double) low / (low + high)).isBetween(0.35, 0.42);
    assertThat(HotIntervals.encode(hottest).length)
        .isBetween(HotIntervals.MAX_BYTES / 3, HotIntervals.MAX_BYTES);
  }

  @Test
  void aRunThatSpansSegmentsIsWhole() {
    fill(0, 1_000);
    hit(0, 1_000);
    List<HotInterval> hottest = store.hottest();
    assertThat(hottest).hasSizeLessThan(50);
    assertThat(hottest.get(0).from()).isEqualTo(row(0));
    for (int i = 1; i < hottest.size(); i++) {
      assertThat(Arrays.compareUnsigned(hottest.get(i).from(), hottest.get(i - 1).to()))
          .isNotNegative();
    }
  }

  @Test
  void bytesComeBackAsTheyWere() {
    List<HotInterval> some =
        List.of(
            new HotInterval(row(1), Keys.after(row(1)), 255),
            new HotInterval(row(2), row(200), 1),
            new HotInterval(row(200), new byte[] {(byte) 0xff}, 7));
    List<HotInterval> back = HotIntervals.decode(HotIntervals.encode(some));
    assertThat(back).usingRecursiveComparison().isEqualTo(some);
    assertThat(HotIntervals.decode(HotIntervals.encode(List.of()))).isEmpty();
  }

  @Test
  void damagedBytesAreRefused() {
    byte[] encoded = HotIntervals.encode(List.of(new HotInterval(row(1), row(5), 3)));
    for (int i = 0; i < encoded.length; i++) {
      byte[] damaged = encoded.clone();
      damaged[i] ^= 0x10;
      assertThatThrownBy(() -> HotIntervals.decode(damaged))
          .isInstanceOf(IllegalArgumentException.class);
      byte[] shorter = Arrays.copyOf(encoded, i);
      assertThatThrownBy(() -> HotIntervals.decode(shorter))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void tooManyAreRefused() {
    List<HotInterval> many = new ArrayList<>();
    for (int i = 0; i < HotIntervals.MAX_BYTES / 10; i++) {
      many.add(new HotInterval(row(i), Keys.after(row(i)), 1));
    }
    assertThatThrownBy(() -> HotIntervals.encode(many))
        .isInstanceOf(IllegalArgumentException.class);
  }

  /** Each key is given by two bytes and is 32 KB long. */
  @Test
  void aFewBytesDoNotBecomeManyKeys() {
    ByteBuffer bytes = ByteBuffer.allocate(HotIntervals.MAX_BYTES);
    int keyBytes = 1 << 15;
    int intervals = 2_000;
    bytes.putInt(0x49534857).put((byte) 1).putInt(intervals);
    int shared = 0;
    for (int i = 0; i < intervals; i++) {
      bytes.put((byte) 1);
      for (int key = 0; key < 2; key++) {
        int given = shared == 0 ? keyBytes : 2;
        bytes.putShort((short) shared).putShort((short) given);
        bytes.put(new byte[given - 2]).putShort((short) (2 * i + key));
        shared = keyBytes - 2;
      }
    }
    CRC32C crc = new CRC32C();
    crc.update(bytes.array(), 0, bytes.position());
    bytes.putInt((int) crc.getValue());
    byte[] encoded = Arrays.copyOf(bytes.array(), bytes.position());
    assertThatThrownBy(() -> HotIntervals.decode(encoded))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("bytes of keys");
  }

  /** What cannot be read again is not written. */
  @Test
  void keysThatAreTooLongTogetherAreNotEncoded() {
    List<HotInterval> many = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      byte[] row = Arrays.copyOf(new byte[0], 1 << 15);
      row[row.length - 1] = (byte) i;
      many.add(new HotInterval(row, Keys.after(row), 1));
    }
    assertThatThrownBy(() -> HotIntervals.encode(many))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("bytes of keys");
  }

  @Test
  void aRegionGetsWhatLiesInIt() {
    HotInterval interval = new HotInterval(row(10), row(20), 1);
    assertThat(interval.within(new byte[0], new byte[0])).isEqualTo(interval);
    assertThat(text(List.of(interval.within(row(15), new byte[0])))).isEqualTo("15-20:1");
    assertThat(text(List.of(interval.within(row(5), row(12))))).isEqualTo("10-12:1");
    assertThat(interval.within(row(20), new byte[0])).isNull();
    assertThat(interval.within(row(0), row(10))).isNull();
  }

  @Test
  void theCacheHasRoomUntilItIsFull() {
    assertThat(cache.hasRoomFor(8 << 20)).isTrue();
    for (int i = 0; i < 20_000; i++) {
      store.put(store.ticket(), row(i), null, new byte[1_000], 0, 1_000, true);
    }
    assertThat(cache.hasRoomFor(1 << 20)).isFalse();
    store.close();
    assertThat(cache.hasRoomFor(8 << 20)).isTrue();
  }

  @Test
  void paceIsBoundByRateAndByTime() {
    WarmUpPace pace = new WarmUpPace(1_000_000);
    assertThat(pace.pauseNanos(0, 500_000)).isEqualTo(500_000_000);
    assertThat(pace.pauseNanos(100_000_000, 500_000)).isEqualTo(400_000_000);
    assertThat(pace.pauseNanos(400_000_000, 500_000)).isEqualTo(1_200_000_000);
  }
}
