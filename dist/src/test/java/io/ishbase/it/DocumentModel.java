package io.ishbase.it;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.ishbase.archetypes.document.Json;
import io.ishbase.archetypes.document.Path;
import io.ishbase.archetypes.document.Update;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Random documents in memory, changed as those in a store are to be. */
final class DocumentModel {
  /** What the store indexes. */
  static final String[] INDEXES = {"a", "l[*]", "l[*].n", "b.a"};

  private static final String[] NAMES = {"a", "b", "l", "n", "a.b", "", "\0", "é"};
  private static final String[] PLAIN = {
    "0",
    "1",
    "1.0",
    "true",
    "null",
    "\"\"",
    "\"x\"",
    "\"a longer string\"",
    "12345678901234567890",
    "-9223372036854775808",
    "1.50",
    "2e3",
    "[]",
    "{}"
  };

  final Map<String, JsonNode> documents = new TreeMap<>();
  private final Random random;

  DocumentModel(Random random) {
    this.random = random;
  }

  String id() {
    return "doc" + random.nextInt(6);
  }

  /** Any JSON, of not more than some levels. */
  JsonNode json(int levels) {
    if (levels == 0 || random.nextInt(3) == 0) {
      return Json.parse(PLAIN[random.nextInt(PLAIN.length)]);
    }
    if (random.nextInt(3) == 0) {
      ArrayNode array = (ArrayNode) Json.parse("[]");
      for (int i = random.nextInt(4); i > 0; i--) {
        array.add(json(levels - 1));
      }
      return array;
    }
    ObjectNode object = (ObjectNode) Json.parse("{}");
    for (int i = random.nextInt(5); i > 0; i--) {
      object.set(name(), json(levels - 1));
    }
    return object;
  }

  private String name() {
    return NAMES[random.nextInt(NAMES.length)];
  }

  /** A place in the document, any as likely as any other. */
  Path place(JsonNode document) {
    List<Path> places = new ArrayList<>();
    walk(Path.ROOT, document, places);
    return places.get(random.nextInt(places.size()));
  }

  private static void walk(Path path, JsonNode node, List<Path> places) {
    places.add(path);
    node.fields().forEachRemaining(m -> walk(path.member(m.getKey()), m.getValue(), places));
    for (int i = 0; node.isArray() && i < node.size(); i++) {
      walk(path.element(i), node.get(i), places);
    }
  }

  /** What is at {@code path}, which {@link #place} gave, of {@code node}; null if nothing is. */
  static JsonNode at(JsonNode node, Path path) {
    List<Path> places = new ArrayList<>();
    walk(Path.ROOT, node, places);
    List<JsonNode> nodes = new ArrayList<>();
    values(node, nodes);
    int found = places.indexOf(path);
    return found < 0 ? null : nodes.get(found);
  }

  private static void values(JsonNode node, List<JsonNode> nodes) {
    nodes.add(node);
    node.forEach(child -> values(child, nodes));
  }

  /** Adds a change that is possible to {@code update} and makes it in {@code document}. */
  JsonNode change(JsonNode document, Update update) {
    Path place = place(document);
    JsonNode node = at(document, place);
    JsonNode value = json(2);
    if (node instanceof ArrayNode array && random.nextBoolean()) {
      if (random.nextBoolean()) {
        update.append(place, value);
      } else {
        update.set(place.element(array.size()), value);
      }
      array.add(value);
      return document;
    }
    if (node instanceof ArrayNode array && !array.isEmpty()) {
      int index = random.nextInt(array.size());
      if (random.nextBoolean()) {
        update.remove(place.element(index));
        array.remove(index);
      } else {
        update.set(place.element(index), value);
        array.set(index, value);
      }
      return document;
    }
    if (node instanceof ObjectNode object) {
      String name = name();
      if (random.nextInt(3) == 0) {
        update.remove(place.member(name));
        object.remove(name);
      } else if (object.get(name) == null && random.nextBoolean()) {
        // The objects on the way are made.
        update.set(place.member(name).member("x").member("y"), value);
        object.putObject(name).putObject("x").set("y", value);
      } else {
        update.set(place.member(name), value);
        object.set(name, value);
      }
      return document;
    }
    update.set(Path.ROOT, value);
    return value;
  }

  /** The values that an index of {@link #INDEXES} has of the document. */
  static List<JsonNode> indexed(JsonNode document, String index) {
    List<JsonNode> values = new ArrayList<>();
    switch (index) {
      case "a" -> values.add(member(document, "a"));
      case "b.a" -> values.add(member(member(document, "b"), "a"));
      case "l[*]" -> elements(document, values);
      default -> {
        List<JsonNode> elements = new ArrayList<>();
        elements(document, elements);
        elements.forEach(element -> values.add(member(element, "n")));
      }
    }
    values.removeIf(value -> value == null || value.isContainerNode());
    return values;
  }

  private static void elements(JsonNode document, List<JsonNode> into) {
    JsonNode list = member(document, "l");
    if (list != null && list.isArray()) {
      list.forEach(into::add);
    }
  }

  private static JsonNode member(JsonNode node, String name) {
    return node == null ? null : node.get(name);
  }

  /** The documents that have a value equal to {@code wanted} in {@code index}. */
  Set<String> find(String index, JsonNode wanted) {
    Set<String> found = new TreeSet<>();
    documents.forEach(
        (id, document) -> {
          if (indexed(document, index).stream().anyMatch(value -> same(value, wanted))) {
            found.add(id);
          }
        });
    return found;
  }

  private static boolean same(JsonNode one, JsonNode other) {
    return one.isNumber() && other.isNumber()
        ? one.decimalValue().compareTo(other.decimalValue()) == 0
        : one.equals(other);
  }

  /** A value that may be indexed. */
  JsonNode plain() {
    return Json.parse(PLAIN[random.nextInt(PLAIN.length - 2)]);
  }
}
