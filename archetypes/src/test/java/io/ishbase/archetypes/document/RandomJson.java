package io.ishbase.archetypes.document;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.DecimalNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;

/** Arbitrary JSON, its strings of characters that are hard on an encoding. */
final class RandomJson {
  private RandomJson() {}

  static Arbitrary<String> strings() {
    return Arbitraries.of(
            "\0", "\1", "\2", "a", "b", " ", ".", "[", "]", "\"", "\\", "é", "\uffff", "😀")
        .list()
        .ofMaxSize(4)
        .map(parts -> String.join("", parts));
  }

  static Arbitrary<JsonNode> values() {
    return values(4).withoutEdgeCases();
  }

  private static Arbitrary<JsonNode> values(int levels) {
    return levels == 0
        ? plain()
        : Arbitraries.oneOf(
            plain(),
            values(levels - 1).list().ofMaxSize(4).map(RandomJson::array),
            Arbitraries.maps(strings(), values(levels - 1)).ofMaxSize(4).map(RandomJson::object));
  }

  private static Arbitrary<JsonNode> plain() {
    return Arbitraries.oneOf(
        strings().map(TextNode::valueOf),
        Arbitraries.of(true, false).map(BooleanNode::valueOf),
        Arbitraries.just(NullNode.getInstance()),
        Arbitraries.integers().map(i -> Json.parse(i.toString())),
        Arbitraries.longs().map(l -> Json.parse(l.toString())),
        Arbitraries.bigIntegers()
            .between(BigInteger.TWO.pow(200).negate(), BigInteger.TWO.pow(200))
            .map(Json::number),
        Arbitraries.bigDecimals().ofScale(5).map(DecimalNode::valueOf),
        Arbitraries.of("1.00", "1e2", "0.0", "-0.5", "12345678901234567890.10", "1E-999", "3E+999")
            .map(Json::parse));
  }

  private static JsonNode array(List<JsonNode> elements) {
    ArrayNode array = Json.NODES.arrayNode();
    elements.forEach(array::add);
    return array;
  }

  private static JsonNode object(Map<String, JsonNode> members) {
    ObjectNode object = Json.NODES.objectNode();
    // An order that is not that of the names.
    List<String> names = new ArrayList<>(members.keySet());
    names.sort(Comparator.comparing(name -> (name + "x").hashCode()));
    names.forEach(name -> object.set(name, members.get(name)));
    return object;
  }

  static Arbitrary<Path> paths() {
    Arbitrary<Path.Step> steps =
        Arbitraries.oneOf(
            strings().map(Path.Member::new),
            Arbitraries.integers().between(0, Integer.MAX_VALUE).map(Path.Element::new),
            Arbitraries.of(0, 1, 9, 10, 255, 256, 65535, 65536, 1 << 24).map(Path.Element::new));
    return steps.list().ofMaxSize(5).map(Path::ofSteps);
  }

  /** All places in {@code node}, as a walk of it meets them. */
  static List<Path> places(JsonNode node) {
    List<Path> places = new ArrayList<>();
    walk(Path.ROOT, node, places);
    return places;
  }

  private static void walk(Path path, JsonNode node, List<Path> places) {
    places.add(path);
    node.fields().forEachRemaining(m -> walk(path.member(m.getKey()), m.getValue(), places));
    for (int i = 0; node.isArray() && i < node.size(); i++) {
      walk(path.element(i), node.get(i), places);
    }
  }

  /** What is at {@code path}, or null. */
  static JsonNode at(JsonNode node, Path path) {
    JsonNode here = node;
    for (Path.Step step : path.steps()) {
      if (here != null) {
        here =
            step instanceof Path.Member member
                ? here.get(member.name())
                : here.get(((Path.Element) step).index());
      }
    }
    return here;
  }
}
