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
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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

  private List<HotInterval> hottest() {
    return list(store.hottest());
  }

  private static List<HotInterval> list(HotIntervals intervals) {
    List<HotInterval> list = new ArrayList<>();
    intervals.forEach(list::add);
    assertThat(list).hasSize(intervals.count());
    return list;
  }

  private static HotIntervals encode(List<HotInterval> intervals) {
    HotIntervals.Builder builder = new HotIntervals.Builder(HotIntervals.MAX_BYTES);
    intervals.forEach(interval -> assertThat(builder.add(interval)).isTrue());
    return builder.build();
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
    assertThat(hottest()).isEmpty();
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
    assertThat(text(hottest())).isEqualTo("1:4 5:8 11-15:4");
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
    assertThat(text(hottest())).isEqualTo("2:4");
  }

  @Test
  void theHottestAreChosenAndTheRestSpread() {
    int rows = 30_000;
    for (int i = 0; i < rows; i++) {
      put(i);
    }
    hit(0, rows);
    hit(7_000, 8_000);
    List<HotInterval> hottest = hottest();
    assertThat(hottest.stream().filter(interval -> interval.heat() == 8)).hasSize(1_000);
    assertThat(hottest.size()).isBetween(3_000, rows / 3);
    long low =
        hottest.stream()
            .filter(interval -> Arrays.compare(interval.from(), row(3_500)) < 0)
            .count();
    long high =
        hottest.stream()
                .filter(interval -> Arrays.compare(interval.from(), row(3_500)) >= 0)
                .count()
            - 1_000;
    assertThat((double) low / (low + high)).isBetween(0.10, 0.14);
    assertThat(encode(hottest).encoded().length)
        .isBetween(HotIntervals.LEAST_BYTES / 3, HotIntervals.LEAST_BYTES);
  }

  @Test
  void allAreTakenIfTheyFit() {
    for (int i = 0; i < 5_000; i++) {
      put(2 * i);
    }
    hit(0, 1);
    for (int i = 0; i < 5_000; i++) {
      hit(2 * i, 2 * i + 1);
    }
    assertThat(hottest()).hasSize(5_000);
  }

  @Test
  void aRunThatSpansSegmentsIsWhole() {
    fill(0, 1_000);
    hit(0, 1_000);
    List<HotInterval> hottest = hottest();
    assertThat(hottest).hasSizeLessThan(50);
    assertThat(hottest.get(0).from()).isEqualTo(row(0));
    for (int i = 1; i < hottest.size(); i++) {
      assertThat(Arrays.compareUnsigned(hottest.get(i).from(), hottest.get(i - 1).to()))
          .isNotNegative();
    }
  }

  /** What is joined with the segment before was shown already. */
  @Test
  void segmentsThatAreJoinedMeanwhileAreShownOnce() {
    for (int i = 0; i < 400; i++) {
      put(i);
    }
    hit(0, 400);
    List<HotInterval> shown = new ArrayList<>();
    HotWalk walk = new HotWalk(store.index(), cache.arena(), cache.hand().heatOfHit());
    try (Pin pin = store.pin()) {
      walk.walk(
          pin,
          interval -> {
            shown.add(interval);
            if (shown.size() == 100) {
              try (Change change = store.change()) {
                change.dropRange(row(10), row(390));
              }
            }
          });
    }
    assertThat(shown).hasSizeGreaterThan(105);
    for (int i = 1; i < shown.size(); i++) {
      assertThat(Arrays.compareUnsigned(shown.get(i).from(), shown.get(i - 1).to()))
          .isNotNegative();
    }
  }

  @Test
  void bytesComeBackAsTheyWere() {
    List<HotInterval> some =
        List.of(
            new HotInterval(row(1), Keys.after(row(1)), 255),
            new HotInterval(row(2), row(200), 1),
            new HotInterval(row(200), new byte[] {(byte) 0xf0}, 7),
            new HotInterval(new byte[] {(byte) 0xf0}, longKey(200), 3),
            new HotInterval(longKey(20_000), Keys.after(longKey(20_000)), 3));
    HotIntervals back = HotIntervals.decode(encode(some).encoded());
    assertThat(list(back)).usingRecursiveComparison().isEqualTo(some);
    assertThat(back.count()).isEqualTo(5);
    assertThat(HotIntervals.decode(HotIntervals.none().encoded()).isEmpty()).isTrue();
  }

  /** A key that needs numbers of several bytes. */
  private static byte[] longKey(int length) {
    byte[] key = new byte[length];
    Arrays.fill(key, (byte) 0xf1);
    return key;
  }

  @Test
  void aRowTakesAFewBytes() {
    List<HotInterval> many = new ArrayList<>();
    for (int i = 0; i < 100_000; i += 2) {
      many.add(new HotInterval(row(i), Keys.after(row(i)), 9));
    }
    assertThat(encode(many).encoded().length).isLessThan(many.size() * 7);
  }

  @Test
  void damagedBytesAreRefused() {
    byte[] encoded = encode(List.of(new HotInterval(row(1), row(5), 3))).encoded();
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

  /** Whatever stands under a checksum that fits. */
  @Test
  void nonsenseIsRefused() {
    long seed = System.nanoTime();
    SplittableRandom random = new SplittableRandom(seed);
    byte[] sound =
        encode(
                List.of(
                    new HotInterval(row(1), row(5), 3),
                    new HotInterval(row(7), Keys.after(row(7)), 200),
                    new HotInterval(row(8), row(1_000), 200)))
            .encoded();
    for (int i = 0; i < 20_000; i++) {
      byte[] changed = sound.clone();
      for (int times = random.nextInt(4); times >= 0; times--) {
        changed[5 + random.nextInt(changed.length - 9)] = (byte) random.nextInt();
      }
      withChecksum(changed);
      try {
        HotIntervals intervals = HotIntervals.decode(changed);
        byte[] last = {};
        for (HotInterval each : list(intervals)) {
          assertThat(Arrays.compareUnsigned(last, each.from())).as("seed " + seed).isNotPositive();
          assertThat(Arrays.compareUnsigned(each.from(), each.to())).isNegative();
          last = each.to();
        }
      } catch (IllegalArgumentException e) {
        assertThat(e).as("seed " + seed).hasMessageContaining("nterval");
      }
    }
  }

  private static void withChecksum(byte[] encoded) {
    CRC32C crc = new CRC32C();
    crc.update(encoded, 0, encoded.length - 4);
    ByteBuffer.wrap(encoded).putInt(encoded.length - 4, (int) crc.getValue());
  }

  @Test
  void noMoreThanThereIsRoomForIsAdded() {
    HotIntervals.Builder builder = new HotIntervals.Builder(HotIntervals.LEAST_BYTES);
    int added = 0;
    while (builder.add(new HotInterval(row(added), Keys.after(row(added)), 1))) {
      added++;
    }
    HotIntervals built = builder.build();
    assertThat(built.count()).isEqualTo(added).isGreaterThan(5_000);
    assertThat(built.encoded().length).isLessThanOrEqualTo(HotIntervals.LEAST_BYTES);
    assertThatThrownBy(() -> builder.add(new HotInterval(row(1), row(2), 1)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  /** Each key is given by a few bytes and is 32 KB long. */
  @Test
  void aFewBytesDoNotBecomeManyKeys() {
    int intervals = 20_000;
    ByteBuffer bytes = ByteBuffer.allocate(1 << 20);
    bytes.putInt(0x49534857).put((byte) 2).putInt(intervals);
    int keyBytes = 1 << 15;
    for (int i = 0; i < intervals; i++) {
      bytes.put((byte) 1);
      if (i == 0) {
        bytes.put((byte) 0).put(number(keyBytes)).put(new byte[keyBytes]);
      } else {
        bytes.put(number(keyBytes - 3)).put((byte) 3);
        bytes.put((byte) (i >> 16)).put((byte) (i >> 8)).put((byte) i);
      }
      bytes.put((byte) 0);
    }
    bytes.putInt(0);
    byte[] encoded = Arrays.copyOf(bytes.array(), bytes.position());
    withChecksum(encoded);
    assertThatThrownBy(() -> HotIntervals.decode(encoded))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("bytes of keys");
  }

  private static byte[] number(int number) {
    return new byte[] {(byte) (number | 0x80), (byte) (number >> 7 | 0x80), (byte) (number >> 14)};
  }

  @Test
  void aRowThatIsRecalledComesWithItsHeat() {
    int i = 0;
    while (cache.hasRoomFor(1 << 20)) {
      put(i);
      hit(i, i + 1);
      hit(i, i + 1);
      i++;
    }
    // Rows that nobody asked for again pass through, those that were hot stay.
    int cold = 1_000_000 - 1;
    int hot = 999_000;
    for (int round = 0; round < 200; round++) {
      store.recall(row(hot + round), HotInterval.MAX_HEAT);
      put(hot + round);
    }
    assertThat(store.hasPlaceFor(HotInterval.MAX_HEAT, 1 << 20)).isTrue();
    for (int round = 0; round < 100_000; round++) {
      put(cold - 200_000 + round % 100_000);
    }
    long kept = IntStream.range(0, 200).filter(r -> store.covers(row(hot + r), null)).count();
    assertThat(kept).isGreaterThan(190);
    assertThat(store.covers(row(cold - 200_000), null)).isFalse();
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
  void paceIsBoundByRate() {
    WarmUpPace pace = new WarmUpPace(1_000_000);
    long pause = 0;
    for (int i = 0; i < 10; i++) {
      pause = pace.answered(1_000_000, 100_000, false, false);
    }
    assertThat(pause).isEqualTo(99_000_000);
  }

  /** A line of 100 MB/s without others, and then with. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void paceGivesWayToOthers(boolean isShortLine) {
    WarmUpPace pace = new WarmUpPace(Long.MAX_VALUE);
    assertThat(pace.answerBytes()).isEqualTo(WarmUpPace.LEAST_ANSWER_BYTES);
    assertThat(pace.answered(640_000, 64_000, false, isShortLine)).isPositive();
    long bytes = 0;
    for (int i = 0; i < 10; i++) {
      bytes = pace.answerBytes();
      assertThat(pace.answered(10 * bytes, bytes, false, isShortLine)).isLessThan(10 * bytes);
    }
    assertThat(pace.answered(10 * bytes, bytes, false, isShortLine)).isZero();
    assertThat(pace.answerBytes()).isEqualTo(isShortLine ? 400_000 : WarmUpPace.MOST_ANSWER_BYTES);
    // One that is late by chance changes nothing.
    assertThat(pace.answered(20 * bytes, bytes, false, isShortLine)).isZero();
    for (int i = 0; i < 10; i++) {
      bytes = pace.answerBytes();
      pace.answered(40 * bytes, bytes, false, isShortLine);
    }
    bytes = pace.answerBytes();
    assertThat(pace.answered(40 * bytes, bytes, false, isShortLine))
        .isEqualTo((isShortLine ? 3 : 1) * 40 * bytes);
    assertThat(bytes).isLessThan(isShortLine ? 150_000 : 900_000);
  }

  /** A daemon that gives no more in one answer is no busy one. */
  @Test
  void paceLearnsFromAnswersThatADaemonBounds() {
    WarmUpPace pace = new WarmUpPace(Long.MAX_VALUE);
    long pause = 1;
    for (int i = 0; i < 10; i++) {
      pause = pace.answered(640_000, 64_000, true, false);
    }
    assertThat(pause).isZero();
    assertThat(pace.answerBytes()).isEqualTo(128_000);
  }

  /** What is slow for long is how it is. */
  @Test
  void paceGetsUsedToALine() {
    WarmUpPace pace = new WarmUpPace(Long.MAX_VALUE);
    for (int i = 0; i < 10; i++) {
      pace.answered(10L * pace.answerBytes(), pace.answerBytes(), false, false);
    }
    long pause = 0;
    for (int i = 0; i < 60; i++) {
      pause = pace.answered(30L * pace.answerBytes(), pace.answerBytes(), false, false);
    }
    assertThat(pause).isZero();
  }
}
