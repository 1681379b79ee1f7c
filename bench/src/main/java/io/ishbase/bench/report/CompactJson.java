package io.ishbase.bench.report;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hbase.thirdparty.com.google.gson.Gson;
import org.apache.hbase.thirdparty.com.google.gson.JsonArray;
import org.apache.hbase.thirdparty.com.google.gson.JsonElement;
import org.apache.hbase.thirdparty.com.google.gson.JsonObject;

/**
 * JSON that people can compare line by line: a line for each fact, row, plot and measurement, and
 * for each window where a measurement holds windows.
 */
final class CompactJson {
  /** Names of lists of windows. */
  private static final Set<String> WINDOWS = Set.of("windows", "dropped_windows");

  private final Gson gson;
  private final StringBuilder text = new StringBuilder();

  private CompactJson(Gson gson) {
    this.gson = gson;
  }

  static String of(Gson gson, JsonObject results) {
    CompactJson json = new CompactJson(gson);
    json.object(results, "");
    return json.text.append('\n').toString();
  }

  /** Takes the windows out of all that is in {@code element}. */
  static void dropWindows(JsonElement element) {
    if (element.isJsonObject()) {
      WINDOWS.forEach(element.getAsJsonObject()::remove);
    }
    children(element).forEach(CompactJson::dropWindows);
  }

  private void object(JsonObject object, String indent) {
    text.append("{\n");
    String comma = "";
    for (Map.Entry<String, JsonElement> entry : object.entrySet()) {
      text.append(comma).append(indent).append("  ").append(gson.toJson(entry.getKey()));
      text.append(": ");
      boolean expand =
          indent.isEmpty() && !entry.getValue().isJsonPrimitive()
              || WINDOWS.contains(entry.getKey());
      value(entry.getValue(), indent + "  ", expand);
      comma = ",\n";
    }
    text.append('\n').append(indent).append('}');
  }

  private void array(JsonArray array, String indent) {
    text.append('[');
    String comma = "\n";
    for (JsonElement element : array) {
      text.append(comma).append(indent).append("  ");
      value(element, indent + "  ", false);
      comma = ",\n";
    }
    text.append('\n').append(indent).append(']');
  }

  private void value(JsonElement element, String indent, boolean expand) {
    boolean empty = children(element).isEmpty();
    if (empty || !expand && !holdsWindows(element)) {
      text.append(gson.toJson(element));
    } else if (element.isJsonObject()) {
      object(element.getAsJsonObject(), indent);
    } else {
      array(element.getAsJsonArray(), indent);
    }
  }

  private static boolean holdsWindows(JsonElement element) {
    return element.isJsonObject() && WINDOWS.stream().anyMatch(element.getAsJsonObject()::has)
        || children(element).stream().anyMatch(CompactJson::holdsWindows);
  }

  private static Collection<JsonElement> children(JsonElement element) {
    if (element.isJsonObject()) {
      return element.getAsJsonObject().asMap().values();
    }
    return element.isJsonArray() ? element.getAsJsonArray().asList() : List.of();
  }
}
