package io.ishbase.core.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.function.IntFunction;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class NeighbourhoodsTest {
  private static final int ROWS = 100_000;
  private static final int BLOCK_ROWS = 50;

  private static byte[] text(String format, int number) {
    return String.format(format, number).getBytes(StandardCharsets.ISO_8859_1);
  }

  private static byte[] binary(int number) {
    return ByteBuffer.allocate(12).putInt(7).putLong(number).array();
  }

  private static byte[] hashed(int number) {
    byte[] row = new byte[16];
    new Random(number).nextBytes(row);
    return row;
  }

  static Stream<Arguments> keys() {
    return Stream.of(
        Arguments.of("digits", (IntFunction<byte[]>) i -> text("user%010d", i)),
        Arguments.of("digits without zeros", (IntFunction<byte[]>) i -> text("user%d", i)),
        Arguments.of("binary", (IntFunction<byte[]>) NeighbourhoodsTest::binary),
        Arguments.of("hashed", (IntFunction<byte[]>) NeighbourhoodsTest::hashed),
        Arguments.of(
            "entities with a long end",
            (IntFunction<byte[]>)
                i -> text("e" + (1_000_000 + i / 10) + "/attribute-%d/of-it", i % 10)));
  }

  private static List<byte[]> sorted(IntFunction<byte[]> key) {
    TreeSet<byte[]> rows = new TreeSet<>(Arrays::compareUnsigned);
    for (int i = 0; i < ROWS; i++) {
      rows.add(key.apply(i));
    }
    return List.copyOf(rows);
  }

  private static List<List<byte[]>> runs(List<byte[]> rows) {
    List<List<byte[]>> runs = new ArrayList<>();
    int blocks = rows.size() / BLOCK_ROWS;
    for (int run = 0; run < 16; run++) {
      List<byte[]> starts = new ArrayList<>();
      for (int block = run * (blocks / 16); starts.size() < 16 && block < blocks; block++) {
        starts.add(rows.get(block * BLOCK_ROWS));
      }
      runs.add(starts);
    }
    return runs;
  }

  /** Whatever keys look like: a tenth is chosen, in pieces of about some blocks. */
  @ParameterizedTest(name = "{0}")
  @MethodSource("keys")
  void aShareIsChosenInNeighbourhoodsOfSomeBlocks(String name, IntFunction<byte[]> key) {
    List<byte[]> rows = sorted(key);
    Neighbourhoods learned = Neighbourhoods.of(runs(rows), 100);
    assertThat(learned.isUnknown()).isFalse();
    int chosen = 0;
    int neighbourhoods = 1;
    for (int i = 0; i < rows.size(); i++) {
      byte[] row = rows.get(i);
      chosen += learned.has(row, row.length) ? 1 : 0;
      if (i > 0) {
        byte[] before = rows.get(i - 1);
        boolean areTogether = learned.areTogether(before, before.length, row, row.length);
        neighbourhoods += areTogether ? 0 : 1;
        if (areTogether) {
          assertThat(learned.has(row, row.length)).isEqualTo(learned.has(before, before.length));
        }
      }
    }
    assertThat((double) chosen / rows.size()).isCloseTo(0.1, within(0.05));
    assertThat(rows.size() / neighbourhoods)
        .as("%s: rows of a neighbourhood", learned)
        .isBetween(BLOCK_ROWS, 12 * BLOCK_ROWS);
  }

  @Test
  void ofAFewBlocksNothingIsLearned() {
    List<byte[]> rows = sorted(i -> text("user%010d", i));
    assertThat(Neighbourhoods.of(List.of(), 10).isUnknown()).isTrue();
    assertThat(Neighbourhoods.of(List.of(rows.subList(0, 10)), 10).isUnknown()).isTrue();
    Neighbourhoods unknown = Neighbourhoods.unknown(10);
    assertThat(unknown.areTogether(rows.get(10), 14, rows.get(19), 14)).isTrue();
    assertThat(unknown.areTogether(rows.get(19), 14, rows.get(20), 14)).isFalse();
    assertThat(unknown)
        .hasToString("10 of 1000 neighbourhoods, each of rows alike but for the last byte");
  }

  /** Blocks of one row that is wider than they are. */
  @Test
  void aRowOfManyBlocksIsOneNeighbourhood() {
    List<byte[]> starts = new ArrayList<>();
    for (int i = 0; i < 64; i++) {
      starts.add(text("row%03d", i / 32));
    }
    Neighbourhoods learned = Neighbourhoods.of(List.of(starts), 500);
    assertThat(learned.areTogether(text("row%03d", 0), 6, text("row%03d", 0), 6)).isTrue();
    assertThat(learned.areTogether(text("row%03d", 0), 6, text("row%03d", 1), 6)).isFalse();
  }

  /** Together are those that begin alike, and they are chosen together; all, or none. */
  @Property
  void rowsTogetherAreChosenTogether(
      @ForAll @Size(max = 5) byte[] row,
      @ForAll @Size(max = 5) byte[] other,
      @ForAll @IntRange(min = -1, max = 40) int bits,
      @ForAll @IntRange(min = 0, max = 1000) int perMille) {
    Neighbourhoods some =
        bits < 0 ? Neighbourhoods.unknown(perMille) : Neighbourhoods.ofBits(bits, perMille);
    assertThat(some.areTogether(row, row.length, row, row.length)).isTrue();
    boolean areTogether = some.areTogether(row, row.length, other, other.length);
    assertThat(some.areTogether(other, other.length, row, row.length)).isEqualTo(areTogether);
    boolean isChosen = some.has(row, row.length);
    if (areTogether) {
      assertThat(some.has(other, other.length)).isEqualTo(isChosen);
    }
    if (perMille % 1000 == 0) {
      assertThat(isChosen).isEqualTo(perMille == 1000);
    }
    // What stands behind the row is not looked at.
    byte[] longer = Arrays.copyOf(row, row.length + 3);
    longer[row.length] = 1;
    assertThat(some.has(longer, row.length)).isEqualTo(isChosen);
  }
}
