package io.ishbase.dist;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Map.Entry;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hbase.thirdparty.com.google.gson.JsonElement;
import org.apache.hbase.thirdparty.com.google.gson.JsonObject;
import org.apache.hbase.thirdparty.com.google.gson.JsonParser;
import org.yaml.snakeyaml.Yaml;

/** What ships for Prometheus and Grafana: the queries in it, and the metrics that they ask for. */
public final class MonitoringFiles {
  public static final Path DIRECTORY = Path.of("src", "main", "packaging", "monitoring");
  static final Path RULES = DIRECTORY.resolve("ishbase-rules.yml");

  private static final Pattern SELECTOR = Pattern.compile("(ishbase_[a-z_]+)(?:\\{([^}]*)\\})?");
  private static final Pattern MATCHER =
      Pattern.compile("\\s*([a-z_]+)\\s*(=~|!~|!=|=)\\s*\"([^\"]*)\"\\s*,?");

  private MonitoringFiles() {}

  /** A metric that a query asks for, and which of it. */
  public record Selector(String metric, List<LabelMatcher> matchers) {
    /** Whether it asks for a sample with these labels; the server's name may be any. */
    public boolean matches(String name, Map<String, String> labels) {
      return metric.equals(name) && matchers.stream().allMatch(matcher -> matcher.matches(labels));
    }
  }

  /** A condition on a label. */
  public record LabelMatcher(String label, String operator, String value) {
    boolean matches(Map<String, String> labels) {
      String found = labels.getOrDefault(label, "");
      return switch (operator) {
        case "=" -> found.equals(value);
        case "!=" -> !found.equals(value);
        case "=~" -> found.matches(value);
        default -> !found.matches(value);
      };
    }
  }

  /** All queries, by where they are. */
  public static Map<String, String> queries() throws IOException {
    Map<String, String> queries = new TreeMap<>();
    for (Map<String, Object> rule : rules()) {
      queries.put("rule " + rule.get("alert"), rule.get("expr").toString());
    }
    String text = Files.readString(DIRECTORY.resolve("ishbase-dashboard.json"));
    for (JsonElement panel :
        JsonParser.parseString(text).getAsJsonObject().getAsJsonArray("panels")) {
      JsonObject each = panel.getAsJsonObject();
      if (each.has("targets")) {
        for (JsonElement target : each.getAsJsonArray("targets")) {
          JsonObject asked = target.getAsJsonObject();
          queries.put(
              "panel " + each.get("title").getAsString() + ", " + asked.get("refId").getAsString(),
              asked.get("expr").getAsString());
        }
      }
    }
    return queries;
  }

  /** The alert rules. */
  @SuppressWarnings("unchecked") // as YAML is
  static List<Map<String, Object>> rules() throws IOException {
    Map<String, Object> file = new Yaml().load(Files.readString(RULES));
    List<Map<String, Object>> rules = new ArrayList<>();
    for (Map<String, Object> group : (List<Map<String, Object>>) file.get("groups")) {
      rules.addAll((List<Map<String, Object>>) group.get("rules"));
    }
    return rules;
  }

  /** What each query asks for, by where it is. */
  public static Map<String, List<Selector>> selectors() throws IOException {
    Map<String, List<Selector>> selectors = new TreeMap<>();
    for (Entry<String, String> query : queries().entrySet()) {
      List<Selector> asked = new ArrayList<>();
      Matcher selector = SELECTOR.matcher(query.getValue());
      while (selector.find()) {
        asked.add(new Selector(selector.group(1), matchers(selector.group(2))));
      }
      selectors.put(query.getKey(), asked);
    }
    return selectors;
  }

  private static List<LabelMatcher> matchers(String text) {
    List<LabelMatcher> matchers = new ArrayList<>();
    int end = 0;
    if (text != null) {
      Matcher matcher = MATCHER.matcher(text);
      while (matcher.find(end) && matcher.start() == end) {
        if (!matcher.group(1).equals("instance")) {
          matchers.add(new LabelMatcher(matcher.group(1), matcher.group(2), matcher.group(3)));
        }
        end = matcher.end();
        if (end == text.length()) {
          return matchers;
        }
      }
      throw new IllegalArgumentException("{" + text + "}");
    }
    return matchers;
  }
}
