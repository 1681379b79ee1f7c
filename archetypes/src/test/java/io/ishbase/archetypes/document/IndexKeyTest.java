package io.ishbase.archetypes.document;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.List;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;

class IndexKeyTest {
  @Provide
  Arbitrary<String> strings() {
    return RandomJson.strings();
  }

  @Property
  void givesPatternAndIdBack(@ForAll("strings") String value, @ForAll("strings") String id)
      throws IOException {
    Path pattern = Path.of("a[*].b");
    byte[] key = Bytes.add(IndexKey.prefix(pattern, Json.NODES.textNode(value)), Bytes.toBytes(id));
    assertThat(IndexKey.pattern(key)).isEqualTo(pattern);
    assertThat(IndexKey.id(key)).isEqualTo(Bytes.toBytes(id));
  }

  @Property
  void noValueBeginsAnother(@ForAll("strings") String one, @ForAll("strings") String other) {
    byte[] a = IndexKey.prefix(Path.of("a"), Json.NODES.textNode(one));
    byte[] b = IndexKey.prefix(Path.of("a"), Json.NODES.textNode(other));
    assertThat(Bytes.startsWith(a, b)).isEqualTo(one.equals(other));
  }

  @Test
  void equalNumbersAreOneValue() {
    assertThat(key("100")).isEqualTo(key("100.00")).isEqualTo(key("1e2")).isEqualTo(key("10E+1"));
    assertThat(key("0")).isEqualTo(key("-0.0")).isEqualTo(key("0e5"));
    assertThat(key("100")).isNotEqualTo(key("\"100\"")).isNotEqualTo(key("1e3"));
    assertThat(key("null")).isNotEqualTo(key("\"\""));
  }

  @Test
  void longValuesAreShort() {
    String text = "x".repeat(1000);
    assertThat(key('"' + text + '"')).hasSizeLessThan(100).isNotEqualTo(key('"' + text + "y\""));
  }

  private static byte[] key(String json) {
    JsonNode value = Json.parse(json);
    return IndexKey.prefix(Path.of("a"), value);
  }

  @Test
  void oneEntryForAValueThatStandsTwice() throws IOException {
    Columns columns = new Columns();
    columns.flatten(
        new byte[0],
        0,
        0,
        Json.parse("{\"a\":[{\"b\":1},{\"b\":1.0},{\"b\":[2]},3,{\"b\":4}]}"),
        9);
    assertThat(Indexes.keys(Bytes.toBytes("id"), columns, List.of(Path.of("a[*].b")))).hasSize(2);
  }
}
