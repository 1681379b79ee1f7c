package io.ishbase.archetypes.document;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.BinaryNode;
import com.fasterxml.jackson.databind.node.DoubleNode;
import com.fasterxml.jackson.databind.node.FloatNode;
import com.fasterxml.jackson.databind.node.LongNode;
import com.fasterxml.jackson.databind.node.ShortNode;
import io.ishbase.archetypes.document.DocumentException.Problem;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JsonTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "'' | INVALID_JSON",
        "{ | INVALID_JSON",
        "{\"a\":1}} | INVALID_JSON",
        "1 2 | INVALID_JSON",
        "NaN | INVALID_JSON",
        "01 | INVALID_JSON",
        "[1,] | INVALID_JSON",
        "1e99999999999 | INVALID_JSON",
        "{\"a\":{\"b\":1,\"c\":2,\"b\":3}} | DUPLICATE_MEMBER",
        "1e1001 | TOO_LARGE",
        "1e-1001 | TOO_LARGE"
      })
  void refusesOtherText(String text, Problem problem) {
    assertThatThrownBy(() -> Json.parse(text))
        .isInstanceOfSatisfying(
            DocumentException.class, e -> assertThat(e.problem()).isEqualTo(problem))
        .hasMessageMatching("(?s).{10,300}");
  }

  @Test
  void refusesWhatIsTooMuch() {
    assertThatThrownBy(() -> Json.parse("[".repeat(100_000))).hasMessageContaining("at most 100");
    assertThatThrownBy(() -> Json.parse("1".repeat(5_000_000)))
        .hasMessageContaining("at most 1000");
    JsonNode deep = Json.parse("[".repeat(100) + "1" + "]".repeat(100));
    assertThat(deep).hasToString("[".repeat(100) + "1" + "]".repeat(100));
    assertThatThrownBy(() -> Json.parse("[" + deep + "]")).hasMessageContaining("at most 100");
    assertThatThrownBy(() -> Json.canonical(Json.NODES.arrayNode().add(deep)))
        .hasMessageContaining("at most 100");
    String longest = "1" + "0".repeat(999);
    assertThat(Json.parse(longest)).hasToString(longest);
    assertThatThrownBy(() -> Json.parse(longest + "0")).hasMessageContaining("at most 1000");
  }

  @Test
  void keepsTreesOfOthersAsItsOwn() {
    assertThat(Json.canonical(LongNode.valueOf(7))).isEqualTo(Json.parse("7"));
    assertThat(Json.canonical(ShortNode.valueOf((short) 7))).isEqualTo(Json.parse("7"));
    assertThat(Json.canonical(DoubleNode.valueOf(0.1))).isEqualTo(Json.parse("0.1"));
    assertThat(Json.canonical(FloatNode.valueOf(0.1f))).isEqualTo(Json.parse("0.1"));
    assertThatThrownBy(() -> Json.canonical(DoubleNode.valueOf(Double.NaN)))
        .hasMessageContaining("no number of JSON");
    assertThatThrownBy(() -> Json.canonical(BinaryNode.valueOf(new byte[1])))
        .hasMessageContaining("BINARY");
  }

  @Test
  void unpairedSurrogatesAreRefused() {
    Columns columns = new Columns();
    for (String json : new String[] {"\"\\ud800\"", "{\"\\udc00x\":1}"}) {
      assertThatThrownBy(() -> columns.flatten(new byte[0], 0, 0, Json.parse(json), 100))
          .isInstanceOf(DocumentException.class)
          .hasMessageContaining("surrogate");
    }
  }
}
