package io.ishbase.archetypes.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ishbase.archetypes.graph.Keys.Side;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.KeyValue;
import org.junit.jupiter.api.Test;

class KeysTest {
  private static final Comparator<String> BY_UTF8 =
      Comparator.comparing(text -> text.getBytes(StandardCharsets.UTF_8), Arrays::compareUnsigned);

  /** Edges as the row of one end lists them. */
  private static Comparator<Edge> order(Side side) {
    return Comparator.comparing(Edge::label, BY_UTF8)
        .thenComparing(side == Side.NEAR ? Edge::to : Edge::from, BY_UTF8)
        .thenComparingLong(Edge::number);
  }

  /** With the bytes that mean something in keys, and few values, so that many are equal. */
  @Provide
  Arbitrary<Edge> edges() {
    Arbitrary<String> texts =
        Arbitraries.strings()
            .withChars('\0', '\u0001', '\u0002', 'a', 'e', '\u00ff', '\uffff')
            .ofMinLength(1)
            .ofMaxLength(3);
    Arbitrary<Long> numbers = Arbitraries.of(0L, 1L, -1L, Long.MIN_VALUE, Long.MAX_VALUE, 0xFFL);
    return Combinators.combine(texts, texts, texts, numbers).as(Edge::new);
  }

  @Property
  void columnsSortAsEdgesDo(
      @ForAll("edges") Edge one,
      @ForAll("edges") Edge other,
      @ForAll Side side,
      @ForAll long stamp,
      @ForAll long otherStamp) {
    int wanted = order(side).compare(one, other);
    int got =
        Arrays.compareUnsigned(
            Keys.stamped(Keys.prefix(side, one), stamp),
            Keys.stamped(Keys.prefix(side, other), otherStamp));
    if (wanted == 0) {
      assertThat(Keys.prefix(side, one)).isEqualTo(Keys.prefix(side, other));
    } else {
      assertThat(Integer.signum(got)).isEqualTo(Integer.signum(wanted));
    }
  }

  @Property
  void aColumnLiesInTheRangesOfItsLabelAndItsEdgeAlone(
      @ForAll("edges") Edge edge,
      @ForAll("edges") Edge other,
      @ForAll Side side,
      @ForAll Side otherSide,
      @ForAll long stamp) {
    byte[] column = Keys.stamped(Keys.prefix(side, edge), stamp);
    boolean sameLabel = edge.label().equals(other.label());
    assertThat(isIn(column, Keys.prefix(other.label()))).isEqualTo(sameLabel);
    assertThat(isIn(column, Keys.prefix(other.label(), otherSide)))
        .isEqualTo(sameLabel && side == otherSide);
    assertThat(isIn(column, Keys.prefix(otherSide, other)))
        .isEqualTo(side == otherSide && order(side).compare(edge, other) == 0);
    assertThat(isIn(column, Keys.ALL_EDGES)).isTrue();
    assertThat(isIn(column, Keys.RECORD)).isFalse();
  }

  private static boolean isIn(byte[] column, byte[] prefix) {
    return Arrays.compareUnsigned(column, prefix) >= 0
        && Arrays.compareUnsigned(column, KeyWriter.after(prefix)) < 0;
  }

  @Property
  void anEntryComesBack(
      @ForAll("edges") Edge edge, @ForAll Side side, @ForAll long stamp, @ForAll byte value)
      throws IOException {
    EdgeEntry entry =
        Keys.entry(cell(Keys.row(side, edge), Keys.stamped(Keys.prefix(side, edge), stamp), value));
    assertThat(entry.edge()).isEqualTo(edge);
    assertThat(entry.side()).isEqualTo(side);
    assertThat(entry.incarnation().stamp()).isEqualTo(stamp);
    assertThat(entry.incarnation().time()).isEqualTo(7);
    assertThat(entry.incarnation().value()).containsExactly(value);
    assertThat(entry.isInDoubt()).isEqualTo(side == Side.FAR && value != EdgeEntry.SURE);
  }

  private static Cell cell(byte[] row, byte[] qualifier, byte value) {
    return new KeyValue(row, Keys.FAMILY, qualifier, 7, new byte[] {value});
  }

  @Property
  void rowsOfEdgesDifferAndSort(@ForAll("edges") Edge one, @ForAll("edges") Edge other) {
    int wanted =
        Comparator.comparing(Edge::from, BY_UTF8)
            .thenComparing(order(Side.NEAR))
            .compare(one, other);
    assertThat(Integer.signum(Arrays.compareUnsigned(Keys.row(one), Keys.row(other))))
        .isEqualTo(Integer.signum(wanted));
  }

  @Property
  void aDamagedColumnIsAnErrorOrAnotherEdge(
      @ForAll("edges") Edge edge, @ForAll Side side, @ForAll int where, @ForAll byte damage) {
    byte[] column = Keys.stamped(Keys.prefix(side, edge), 1);
    column[Math.floorMod(where, column.length)] = damage;
    try {
      assertThat(Keys.entry(cell(new byte[] {'a'}, column, (byte) 0)).edge()).isNotNull();
    } catch (IOException e) {
      assertThat(e).hasMessageStartingWith("No key of ");
    }
  }

  @Test
  void cutColumnsAreErrors() {
    byte[] column = Keys.stamped(Keys.prefix(Side.FAR, Edge.of("a", "knows", "b")), 1);
    for (int length = 0; length < column.length; length++) {
      byte[] cut = Arrays.copyOf(column, length);
      assertThatThrownBy(() -> Keys.entry(cell(new byte[] {'b'}, cut, (byte) 0)))
          .isInstanceOf(IOException.class);
    }
  }

  @Test
  void theLongestEdgeFitsIntoARow() {
    Edge edge =
        Edge.of(
            "\0".repeat(Limits.ID_BYTES),
            "\0".repeat(Limits.LABEL_BYTES),
            "\0".repeat(Limits.ID_BYTES));
    assertThat(Keys.row(edge)).hasSizeLessThanOrEqualTo(Short.MAX_VALUE);
  }
}
