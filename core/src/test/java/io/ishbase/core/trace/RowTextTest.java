package io.ishbase.core.trace;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.core.trace.TraceEntry.Keys;
import io.ishbase.core.trace.TraceEntry.Operation;
import org.junit.jupiter.api.Test;

class RowTextTest {
  /** HBase allows letters of all alphabets. */
  @Test
  void namesOfAnyCharsComeBack() {
    for (String name :
        new String[] {"t", "ns:t_1", "\u8868", "h", "caf\u00e9", "\ud840\udc0b", ""}) {
      String escaped = RowText.escapedName(name);
      assertThat(escaped).matches("[ -~]*");
      assertThat(RowText.name(escaped)).isEqualTo(name);
    }
    assertThat(RowText.name("caf\\xE9")).as("of Latin-1").isEqualTo("caf\u00e9");
  }

  @Test
  void aTableOfATraceKeepsItsName() {
    StringBuilder text = new StringBuilder();
    TraceText.append(text, new TraceEntry(1, Operation.GET, "\u8868", "r", 1, 1, 1), Keys.ROWS);
    assertThat(RowText.name(text.toString().split("\t")[2])).isEqualTo("\u8868");
  }
}
