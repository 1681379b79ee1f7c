package io.ishbase.it.metamorphic;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class HiddenTest {
  private final Hidden hidden =
      new Hidden(
          Map.of(
              "f", Map.of("versions", "2"),
              "g", Map.of("ttl", "9", "min-versions", "1"),
              "h", Map.of("versions", "2", "keep-deleted", "TRUE")));

  private boolean mayPut(String cell) {
    return hidden.mayPut("r", CellText.of(cell));
  }

  @Test
  void nothingIsPutBelowAMarker() {
    hidden.deleteUpTo("r", CellText.of("f:q1@5"));
    assertThat(mayPut("f:q1@5")).isFalse();
    assertThat(mayPut("f:q1@-7")).isFalse();
    assertThat(mayPut("f:q1@6")).isTrue();
    assertThat(mayPut("f:q2@5")).isTrue();
    hidden.deleteUpTo("r", CellText.of("f@-5"));
    assertThat(mayPut("f:q2@-5")).isFalse();
    assertThat(mayPut("f:q2@-6")).isTrue();
    hidden.deleteVersion("r", CellText.of("f@8"));
    assertThat(mayPut("f:q2@8")).isFalse();
    assertThat(hidden.mayPut("s", CellText.of("f:q2@8"))).isTrue();
  }

  @Test
  void noVersionIsDeletedAboveOneThatMayBeDropped() {
    CellText column = CellText.of("f:q1@1");
    CellText family = CellText.of("f@1");
    hidden.put("r", CellText.of("f:q1@1"));
    hidden.put("r", CellText.of("f:q1@2"));
    assertThat(hidden.mayDeleteVersion("r", column)).isTrue();
    assertThat(hidden.mayDeleteVersion("r", family)).isTrue();
    hidden.put("r", CellText.of("f:q1@3"));
    assertThat(hidden.mayDeleteVersion("r", column)).isFalse();
    assertThat(hidden.mayDeleteVersion("r", family)).isFalse();
    assertThat(hidden.mayDeleteVersion("s", family)).isTrue();
    assertThat(hidden.mayDeleteVersion("r", CellText.of("g:q1@1"))).isFalse();
    assertThat(hidden.mayDeleteVersion("r", CellText.of("h:q1@1"))).isFalse();
    hidden.put("s", CellText.of("f:q1@3"));
    hidden.put("s", CellText.of("f:q1@4"));
    hidden.lower("f", "1");
    assertThat(hidden.mayDeleteVersion("s", family)).isFalse();
  }
}
