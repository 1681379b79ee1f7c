package io.ishbase.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.hbase.thirdparty.com.google.gson.GsonBuilder;

/** What a run measured, as text, as JSON and as a page. */
public final class Report {
  private static final String ROW = "%-26s %-10s %-11s %9s %9s %9s %9s %10s %8s%n";

  private final String title;
  private final String counting;
  private final Map<String, Object> facts = new LinkedHashMap<>();
  private final List<Comparison> comparisons = new ArrayList<>();

  /**
   * An empty report.
   *
   * @param counting what the bytes from storage are, in words
   */
  public Report(String title, String counting) {
    this.title = title;
    this.counting = counting;
    facts.put("processors", Runtime.getRuntime().availableProcessors());
    facts.put("java", System.getProperty("java.version"));
  }

  /** Adds something to know beside the figures. */
  public void fact(String name, Object value) {
    facts.put(name, value);
  }

  public void add(Comparison comparison) {
    comparisons.add(comparison);
  }

  /** The table that people read. */
  public String text() {
    StringBuilder text = new StringBuilder();
    text.append(
        String.format(
            Locale.ROOT,
            ROW,
            "",
            "cap",
            "reads",
            "Gets/s",
            "mean ms",
            "p50 ms",
            "p99 ms",
            "MB in",
            "amplif."));
    for (Comparison comparison : comparisons) {
      for (Mode mode : Mode.values()) {
        Sample all = comparison.all(mode);
        boolean first = mode == Mode.STOCK;
        text.append(
            String.format(
                Locale.ROOT,
                ROW,
                first ? comparison.load() : "",
                first ? comparison.capInWords() : "",
                mode,
                number(comparison.median(mode, Sample::perSecond)),
                number(all.meanMillis()),
                number(all.millisAt(50)),
                number(all.millisAt(99)),
                number(all.networkBytes() / 1e6),
                number(all.amplification())));
      }
      text.append(
          String.format(Locale.ROOT, "%39s in-storage : stock = %.2f%n", "", comparison.speedUp()));
    }
    text.append("MB in: ").append(counting).append(".\n");
    text.append("amplif.: those bytes for each byte of value that the client got.\n");
    text.append("Gets/s: median of the windows; latency: all windows together.\n");
    return text.toString();
  }

  static String number(double value) {
    return String.format(
        Locale.ROOT, value >= 100 ? "%,.0f" : value >= 10 ? "%.1f" : "%.2f", value);
  }

  /** Writes {@code report} as JSON. */
  public void writeJson(Path file) throws IOException {
    Map<String, Object> root = new LinkedHashMap<>();
    root.put("title", title);
    root.put("network_bytes_are", counting);
    root.put("facts", facts);
    root.put("comparisons", comparisons.stream().map(Comparison::figures).toList());
    Files.createDirectories(file.getParent());
    Files.writeString(
        file,
        new GsonBuilder().setPrettyPrinting().disableHtmlEscaping().create().toJson(root) + "\n");
  }

  /** Writes the report as a page that needs nothing else. */
  public void writeHtml(Path file) throws IOException {
    Files.createDirectories(file.getParent());
    Files.writeString(file, new ReportPage(title, facts, comparisons, text()).html());
  }
}
