package io.ishbase.archetypes.document;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.apache.hadoop.hbase.filter.MultipleColumnPrefixFilter;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;

class ColumnsTest {
  private static final int LARGE = 6;

  @Provide
  Arbitrary<JsonNode> json() {
    return RandomJson.values();
  }

  private static Columns columns(JsonNode json) {
    Columns columns = new Columns();
    columns.flatten(new byte[0], 0, 0, json, LARGE);
    return columns;
  }

  @Property
  void giveTheDocumentBackAsItWas(@ForAll("json") JsonNode json) throws IOException {
    JsonNode back = columns(json).at(new byte[0]);
    assertThat(back).isEqualTo(json);
    // Members in their order, numbers with their digits.
    assertThat(back).hasToString(json.toString());
    assertThat(Json.parse(json.toString())).isEqualTo(json).hasToString(json.toString());
    assertThat(Json.canonical(json)).isEqualTo(json).hasToString(json.toString());
  }

  @Property(tries = 300)
  void ofAPlaceAreOneRange(@ForAll("json") JsonNode json) throws IOException {
    Columns columns = columns(json);
    List<Path> places = RandomJson.places(json);
    List<Path> named = new ArrayList<>();
    for (byte[] name : columns.all().keySet()) {
      named.add(PathBytes.decode(name, 0));
    }
    Collections.sort(places);
    assertThat(named).isEqualTo(places);
    for (Path place : places) {
      assertThat(columns.at(PathBytes.encode(place))).isEqualTo(RandomJson.at(json, place));
      Columns rest = columns.copy();
      rest.remove(PathBytes.encode(place));
      List<Path> left = new ArrayList<>();
      for (byte[] name : rest.all().keySet()) {
        left.add(PathBytes.decode(name, 0));
      }
      List<Path> outside = new ArrayList<>(places);
      outside.removeIf(
          path ->
              path.steps().size() >= place.steps().size()
                  && path.first(place.steps().size()).equals(place));
      assertThat(left).isEqualTo(outside);
    }
  }

  @Test
  void largeStringsLieApart() throws IOException {
    Columns columns = columns(Json.parse("{\"a\":\"123456\",\"b\":\"1234567\"}"));
    Column small = columns.own(PathBytes.encode(Path.of("a")));
    Column large = columns.own(PathBytes.encode(Path.of("b")));
    assertThat(small.body()).isNull();
    assertThat(large.body()).isEqualTo(Bytes.toBytes("1234567"));
    assertThat(large.cell()).hasSize(5);
    assertThatThrownBy(() -> new Column(large.cell(), null).value())
        .isInstanceOf(IOException.class);
  }

  @Test
  void noPrefixThatIsSelectedBeginsAnother() {
    Selection selection =
        new Selection()
            .above(Path.of("a.b.c"))
            .under(Path.of("a.b.c"))
            .under(Path.of("a.b"))
            .under(Path.of("a.b.d[2]"));
    MultipleColumnPrefixFilter filter =
        (MultipleColumnPrefixFilter) selection.get(Bytes.toBytes("row")).getFilter();
    assertThat(List.of(filter.getPrefix()))
        .containsExactly(
            Layout.STAMP,
            Columns.ownName(Layout.column(new byte[0])),
            Columns.ownName(Layout.column(PathBytes.encode(Path.of("a")))),
            Layout.column(PathBytes.encode(Path.of("a.b"))));
  }
}
