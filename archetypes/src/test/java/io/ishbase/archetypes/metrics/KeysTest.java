package io.ishbase.archetypes.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class KeysTest {
  @Provide
  Arbitrary<Series> series() {
    return AnySeries.get();
  }

  @Property
  void rowsSayWhatTheyStandFor(
      @ForAll("series") Series series,
      @ForAll Resolution resolution,
      @ForAll @IntRange int base,
      @ForAll @IntRange(max = 255) int shard) {
    assertThat(Keys.dataRowOf(Keys.data(series, resolution, base, shard)))
        .isEqualTo(new Keys.DataRow(series, resolution, base, shard));
    assertThat(Keys.seriesOf(Keys.directory(series))).isEqualTo(series);
    assertThat(Keys.baseOfCoverage(Keys.coverage(series.metric(), resolution, base)))
        .isEqualTo(base);
  }

  @Property(tries = 3_000)
  void rowsAreInTheOrderOfWhatTheyStandFor(
      @ForAll("series") Series one,
      @ForAll("series") Series other,
      @ForAll @IntRange(max = 70_000) int base,
      @ForAll @IntRange(max = 70_000) int otherBase) {
    int order = compare(one, other);
    if (order == 0) {
      order = Integer.compare(base, otherBase);
    }
    int ofRows =
        Arrays.compareUnsigned(
            Keys.data(one, Resolution.HOUR, base, 0),
            Keys.data(other, Resolution.HOUR, otherBase, 0));
    assertThat(Integer.signum(ofRows)).isEqualTo(Integer.signum(order));
  }

  @Property(tries = 3_000)
  void noRowOfOneSeriesIsAmongThoseOfAnother(
      @ForAll("series") Series one,
      @ForAll("series") Series other,
      @ForAll @IntRange int base,
      @ForAll @IntRange(max = 255) int shard) {
    byte[] row = Keys.data(other, Resolution.SECOND, base, shard);
    boolean among =
        Arrays.compareUnsigned(row, Keys.data(one, Resolution.SECOND, 0, 0)) >= 0
            && Arrays.compareUnsigned(row, Keys.data(one, Resolution.SECOND, -1, 0)) < 0;
    assertThat(among).isEqualTo(one.equals(other));
  }

  @Property
  void seriesAreInTheSameOrderInTheDirectory(
      @ForAll("series") Series one, @ForAll("series") Series other) {
    int inDirectory = Arrays.compareUnsigned(Keys.directory(one), Keys.directory(other));
    int inData =
        Arrays.compareUnsigned(
            Keys.data(one, Resolution.DAY, 1, 0), Keys.data(other, Resolution.DAY, 1, 0));
    assertThat(Integer.signum(inDirectory)).isEqualTo(Integer.signum(inData));
  }

  @Test
  void tagsHaveOneOrder() {
    assertThat(Keys.directory(Series.of("m", "a", "1", "b", "2")))
        .isEqualTo(Keys.directory(Series.of("m", "b", "2", "a", "1")));
  }

  @Test
  void whatIsNoRowIsRefused() {
    for (byte[] row : List.of(new byte[0], new byte[] {1, 0}, new byte[] {1, 0, 1, 16, 0, 0})) {
      assertThatThrownBy(() -> Keys.dataRowOf(row)).isInstanceOf(IllegalStateException.class);
    }
  }

  @Test
  void whatIsNoSeriesIsRefused() {
    String tooLong = "é".repeat(128);
    assertRefused(() -> Series.of(""), "metric is empty");
    assertRefused(() -> Series.of(tooLong), "256 bytes");
    assertRefused(() -> Series.of("\ud83d"), "half of a character");
    assertRefused(() -> Series.of("m", "k"), "no value");
    assertRefused(() -> Series.of("m", "k", "1", "k", "2"), "Two tags");
    assertRefused(() -> Series.of("m", "", "1"), "key of a tag is empty");
    assertRefused(() -> Series.of("m", "k", ""), "value of the tag k is empty");
    assertRefused(() -> Series.of("m", "k", tooLong), "256 bytes");
    TreeMap<String, String> many = new TreeMap<>();
    for (int i = 0; i < 17; i++) {
      many.put("k" + i, "v");
    }
    assertRefused(() -> new Series("m", many), "17 tags");
  }

  private static void assertRefused(Runnable action, String why) {
    assertThatThrownBy(action::run)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(why);
  }

  /** Text by text, in the order of UTF-8; of two of which one begins with the other, that first. */
  private static int compare(Series one, Series other) {
    int order = Arrays.compareUnsigned(utf8(one.metric()), utf8(other.metric()));
    return order != 0
        ? order
        : Arrays.compare(
            texts(one).toArray(byte[][]::new),
            texts(other).toArray(byte[][]::new),
            Arrays::compareUnsigned);
  }

  private static List<byte[]> texts(Series series) {
    List<byte[]> texts = new ArrayList<>();
    series
        .tags()
        .forEach(
            (key, value) -> {
              texts.add(utf8(key));
              texts.add(utf8(value));
            });
    return texts;
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
