package io.ishbase.bench.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hbase.thirdparty.com.google.gson.Gson;
import org.apache.hbase.thirdparty.com.google.gson.GsonBuilder;
import org.apache.hbase.thirdparty.com.google.gson.JsonObject;
import org.apache.hbase.thirdparty.com.google.gson.ToNumberPolicy;

/**
 * What one run of one scenario measured, and all that is needed to show it. Written as JSON and
 * read from there: a report is made of such files alone.
 */
public final class Results {
  /** The end of the name of a commit whose tree held changes that are not in it. */
  public static final String DIRTY = "-dirty";

  private static final Gson GSON =
      new GsonBuilder()
          .disableHtmlEscaping()
          .setObjectToNumberStrategy(ToNumberPolicy.LONG_OR_DOUBLE)
          .create();

  private final String scenario;
  private final String description;
  private final String seedFigures;
  private final Map<String, String> facts = new LinkedHashMap<>();
  private final Map<String, String> conditions = new LinkedHashMap<>();
  private final List<String> notes = new ArrayList<>();
  private final List<Plot> plots = new ArrayList<>();
  private final List<Row> rows = new ArrayList<>();
  private final List<Row> costs = new ArrayList<>();
  private final List<Map<String, Object>> measurements = new ArrayList<>();

  public Results(String scenario, String description, String seedFigures) {
    this.scenario = scenario;
    this.description = description;
    this.seedFigures = seedFigures;
  }

  /** Adds something to know beside the figures. */
  public void fact(String name, Object value) {
    facts.put(name, String.valueOf(value));
  }

  /** Adds something without which the figures mislead; it stands beside each table. */
  public void condition(String name, Object value) {
    conditions.put(name, String.valueOf(value));
  }

  /** Adds something to know of how it was measured, once. */
  public void note(String words) {
    if (!notes.contains(words)) {
      notes.add(words);
    }
  }

  public void plot(Plot plot) {
    plots.add(plot);
  }

  /**
   * Adds a measurement.
   *
   * @param figures all of it, for machines
   * @param shown what the table shows of it
   */
  public void add(Map<String, Object> figures, List<Row> shown) {
    measurements.add(figures);
    rows.addAll(shown);
  }

  /** Adds rows of what operations cost, which stand in a table of their own. */
  public void addCosts(List<Row> shown) {
    costs.addAll(shown);
  }

  public String scenario() {
    return scenario;
  }

  public String description() {
    return description;
  }

  public String seedFigures() {
    return seedFigures;
  }

  Map<String, String> facts() {
    return facts;
  }

  Map<String, String> conditions() {
    // Results that an earlier version wrote have none.
    return conditions == null || conditions.isEmpty()
        ? Published.conditionsAmong(facts)
        : conditions;
  }

  List<String> notes() {
    return notes;
  }

  List<Plot> plots() {
    return plots;
  }

  List<Row> rows() {
    return rows;
  }

  List<Row> costs() {
    // Results that an earlier version wrote have none.
    return costs == null ? List.of() : costs;
  }

  /** Writes it as JSON. */
  public void write(Path file) throws IOException {
    write(file, GSON.toJsonTree(this).getAsJsonObject());
  }

  /** Writes it as JSON without the single windows. */
  public void writeSummary(Path file) throws IOException {
    JsonObject json = GSON.toJsonTree(this).getAsJsonObject();
    CompactJson.dropWindows(json);
    write(file, json);
  }

  private static void write(Path file, JsonObject json) throws IOException {
    Files.createDirectories(file.getParent());
    Files.writeString(file, CompactJson.of(GSON, json));
  }

  /** Reads what {@link #write} wrote. */
  public static Results read(Path file) throws IOException {
    return GSON.fromJson(Files.readString(file), Results.class);
  }
}
