package io.ishbase.cluster;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a server shows at {@code /ishbase-metrics}, in Prometheus's text format: figures, and what
 * they mean.
 */
public final class MetricsPage {
  private static final String PATH = "/ishbase-metrics";
  private static final int MOST_BYTES = 4 << 20;

  private static final Pattern SAMPLE =
      Pattern.compile("([a-zA-Z_:][\\w:]*)(?:\\{(.*)\\})? ([-+.\\w]+)");
  private static final Pattern LABEL =
      Pattern.compile("([a-zA-Z_]\\w*)=\"((?:[^\"\\\\]++|\\\\.)*+)\",?");
  private static final Pattern HELP = Pattern.compile("# HELP (\\S+) (.*)");
  private static final Pattern TYPE = Pattern.compile("# TYPE (\\S+) (\\S+)");

  private final List<Sample> samples = new ArrayList<>();
  private final Map<String, String> helps = new TreeMap<>();
  private final Map<String, String> types = new TreeMap<>();

  /** One figure. */
  public record Sample(String name, SortedMap<String, String> labels, double value) {}

  private MetricsPage() {}

  /**
   * The page of a server now.
   *
   * @param address of its web pages, as in {@code host:port}
   * @throws IOException if it shows none; the message says where
   */
  public static MetricsPage of(WebPages pages, String address) throws IOException {
    return parse(pages.read(address, PATH, MOST_BYTES).text());
  }

  /**
   * The page that has this text.
   *
   * @throws IOException if it is no page of metrics
   */
  public static MetricsPage parse(String text) throws IOException {
    MetricsPage page = new MetricsPage();
    for (String line : text.split("\n")) {
      if (!line.isBlank()) {
        page.add(line);
      }
    }
    return page;
  }

  private void add(String line) throws IOException {
    Matcher help = HELP.matcher(line);
    Matcher type = TYPE.matcher(line);
    Matcher sample = SAMPLE.matcher(line);
    if (help.matches()) {
      helps.put(help.group(1), help.group(2));
    } else if (type.matches()) {
      types.put(type.group(1), type.group(2));
    } else if (sample.matches()) {
      samples.add(new Sample(sample.group(1), labels(sample.group(2)), number(sample.group(3))));
    } else if (!line.startsWith("#")) {
      throw new IOException("No metric: " + line.substring(0, Math.min(100, line.length())));
    }
  }

  private static SortedMap<String, String> labels(String text) throws IOException {
    SortedMap<String, String> labels = new TreeMap<>();
    if (text != null) {
      Matcher label = LABEL.matcher(text);
      int end = 0;
      while (end < text.length() && label.find(end) && label.start() == end) {
        labels.put(label.group(1), unescaped(label.group(2)));
        end = label.end();
      }
      if (end < text.length()) {
        throw new IOException("No labels: " + text);
      }
    }
    return labels;
  }

  private static String unescaped(String text) {
    StringBuilder plain = new StringBuilder();
    for (int i = 0; i < text.length(); i++) {
      char next = text.charAt(i);
      if (next == '\\') {
        next = text.charAt(++i);
        next = next == 'n' ? '\n' : next;
      }
      plain.append(next);
    }
    return plain.toString();
  }

  private static double number(String text) throws IOException {
    try {
      return text.endsWith("Inf")
          ? Double.parseDouble(text.replace("Inf", "Infinity"))
          : Double.parseDouble(text);
    } catch (NumberFormatException e) {
      throw new IOException("No number: " + text, e);
    }
  }

  /** All figures. */
  public List<Sample> samples() {
    return List.copyOf(samples);
  }

  /** By the name of each metric that has one: what it means. */
  public Map<String, String> helps() {
    return helps;
  }

  /** By the name of each metric: {@code counter}, {@code gauge} or {@code histogram}. */
  public Map<String, String> types() {
    return types;
  }

  /** The sum of all figures of that name; 0 if there is none. */
  public double sum(String name) {
    return sum(name, labels -> true);
  }

  /** The sum of those whose label has that value. */
  public double sum(String name, String label, String value) {
    return sum(name, labels -> value.equals(labels.get(label)));
  }

  private double sum(String name, Predicate<Map<String, String>> wanted) {
    return samples.stream()
        .filter(sample -> sample.name().equals(name) && wanted.test(sample.labels()))
        .mapToDouble(Sample::value)
        .sum();
  }

  /** The figures of that name by the values of a label. */
  public SortedMap<String, Double> by(String name, String label) {
    SortedMap<String, Double> all = new TreeMap<>();
    for (Sample sample : samples) {
      String value = sample.labels().get(label);
      if (sample.name().equals(name) && value != null) {
        all.merge(value, sample.value(), Double::sum);
      }
    }
    return all;
  }
}
