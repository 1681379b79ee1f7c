package io.ishbase.dist;

import static io.ishbase.dist.Outcome.complaint;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RowKeyTest {
  @Test
  void bytesThatCannotBePrintedAreWritten() {
    assertThat(RowKey.of("a\\x00b")).isEqualTo(Bytes.toBytesBinary("a\\x00b")).hasSize(3);
  }

  @ParameterizedTest
  @ValueSource(strings = {"a\\x", "k\\xZZ", "k\\xab", "k\\x0", "\u20ac"})
  void whatHBaseWouldMakeAnotherRowOfIsNone(String row) {
    assertThatThrownBy(() -> RowKey.of(row))
        .isInstanceOf(CliException.class)
        .hasMessageContaining("byte by byte");
  }

  /** What was written would not be what was given. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "put t r f:\u20ac v",
        "put t r \u20ac:q v",
        "put t r f:q gr\u00fcn",
        "put t r f:q a\\x",
        "scan t --start \u20ac",
        "explain t --start \u20ac",
        "explain t --stop k\\x0",
        "explain t --columns f:\u20ac",
        "explain t --columns \u20ac",
        "create t f --split k\\xZZ"
      })
  void neitherAreOtherBytes(String command) {
    assertThat(complaint(command.split(" ")))
        .startsWith("ishbase: '")
        .contains("byte by byte")
        .hasLineCount(1);
  }

  /** Before anything is connected to: none of these commands could ever do it. */
  @ParameterizedTest
  @ValueSource(strings = {"get t ROW", "put t ROW f:q v", "explain t --get ROW"})
  void aRowThatCannotBeIsOneLine(String command) {
    for (String row : List.of("", "r".repeat(32_768))) {
      String[] arguments = command.split(" ");
      for (int i = 0; i < arguments.length; i++) {
        arguments[i] = arguments[i].equals("ROW") ? row : arguments[i];
      }
      assertThat(complaint(arguments))
          .startsWith("ishbase: A row's name has 1 to 32767 bytes, not " + row.length())
          .hasLineCount(1);
    }
  }
}
