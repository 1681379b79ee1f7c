package io.ishbase.it.metamorphic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LineTest {
  @Test
  void wordsAndOptions() {
    Line line = Line.of(" scan from=row001 raw filter=\"PageFilter(3) AND (KeyOnlyFilter())\" ");
    assertThat(line.verb()).isEqualTo("scan");
    assertThat(line.words()).containsExactly("raw");
    assertThat(line.options())
        .isEqualTo(Map.of("from", "row001", "filter", "PageFilter(3) AND (KeyOnlyFilter())"));
    assertThat(Line.of("put r f:q@5=v ttl=3").words()).containsExactly("r", "f:q@5=v");
    assertThatThrownBy(() -> Line.of(" ")).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void partsOfOneCall() {
    Line line = Line.joined("batch", List.of("put r f:q@5=v", "get s versions=2"));
    assertThat(line).hasToString("batch put r f:q@5=v ; get s versions=2");
    assertThat(line.parts()).containsExactly(Line.of("put r f:q@5=v"), Line.of("get s versions=2"));
  }

  @Test
  void simplerLinesLackOneThing() {
    assertThat(Line.of("get r versions=2 filter=\"A AND B\"").simpler())
        .extracting(Line::toString)
        .containsExactly(
            "get r versions=2", "get r filter=\"A AND B\"", "get versions=2 filter=\"A AND B\"");
    assertThat(Line.of("batch a b ; c d ; e f").simpler())
        .extracting(Line::toString)
        .containsExactly("batch a b ; c d", "batch a b ; e f", "batch c d ; e f");
    assertThat(Line.of("flush").simpler()).isEmpty();
  }

  @Test
  void withoutAnOption() {
    assertThat(Line.of("scan raw filter=\"A('x y')\" limit=3").without("filter"))
        .hasToString("scan raw limit=3");
  }

  @Test
  void cells() {
    assertThat(CellText.of("f:q1@-5=v1"))
        .isEqualTo(new CellText("f", "q1", -5, "v1"))
        .hasToString("f:q1@-5=v1");
    assertThat(CellText.of("g")).isEqualTo(new CellText("g", null, null, null));
    assertThatThrownBy(() -> CellText.of("f:q@5=v").timestamp(null))
        .isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> CellText.of("f:q").valueBytes())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("value");
    assertThatThrownBy(() -> CellText.of("f:q:r")).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void timesOfTheFile() {
    FileTime clock = new FileTime(1_000_000_000_000L);
    for (int time : new int[] {0, 5, 49_999, -1, -49_999}) {
      assertThat(clock.text(clock.timestamp(time))).isEqualTo(Integer.toString(time));
    }
    assertThat(clock.text(1_000_000_000_000L)).isEqualTo("now");
    long oldest = 1_000_000_000_000L - FileTime.TTL_SECONDS * 1000L;
    assertThat(clock.timestamp(-49_999)).isLessThan(oldest);
    assertThat(clock.timestamp(0)).isGreaterThan(oldest);
    assertThat(clock.withTimestamps("F(@5,'a')")).isEqualTo("F(" + clock.timestamp(5) + ",'a')");
    assertThat(FileTime.order(-3)).isLessThan(FileTime.order(-4)).isLessThan(FileTime.order(0));
  }
}
