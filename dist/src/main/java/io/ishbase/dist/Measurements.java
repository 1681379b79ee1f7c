package io.ishbase.dist;

import io.ishbase.sim.calibration.Observation;
import io.ishbase.sim.calibration.Observation.Load;
import io.ishbase.sim.calibration.Observation.Measured;
import io.ishbase.sim.design.Designs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.hbase.thirdparty.com.google.gson.JsonElement;
import org.apache.hbase.thirdparty.com.google.gson.JsonObject;
import org.apache.hbase.thirdparty.com.google.gson.JsonParseException;
import org.apache.hbase.thirdparty.com.google.gson.JsonParser;
import org.jspecify.annotations.Nullable;

/** What {@code bench} wrote, as observations that the simulator can predict. */
final class Measurements {
  private static final String PHASES = "cache-phases";

  /** Scenarios whose loads the simulator has, in the order of the report. */
  private static final List<String> SCENARIOS =
      List.of("get-bandwidth", "scan-length", "scan-filter", "mixed", "cache", PHASES, "scale");

  /** Scenarios that ought to be predicted and are not. */
  private static final Map<String, String> LEFT_OUT =
      Map.of(
          "load", "flushes and HBase's selection of compactions",
          "compaction-time", "compactions");

  private static final int UNCAPPED_MBPS = 100_000;
  private static final int BLOCK_BYTES = 65_536;
  private static final int SMALL_BLOCK_BYTES = 8192;

  /** The cap is a token bucket of two milliseconds of its rate, and never smaller than this. */
  private static final int LEAST_BURST_BYTES = 16 << 10;

  private static final int BURST_BYTES_OF_MBPS = 250;

  /** {@code cache} and {@code scale} have tables of such rows, and caches of a tenth of them. */
  private static final int KEY_BYTES_OF_CACHED = 40;

  /** HBase's Bloom filters of 1 % have 9.6 bits for each row. They lie in the block cache too. */
  private static final double BLOOM_BYTES_OF_ROW = 1.2;

  /** What a block takes in HBase's block cache besides itself, about. */
  private static final int BOOKKEEPING_OF_BLOCK = 400;

  /** By which {@code bench} scatters popular rows, where rows are numbers and no hashes. */
  private static final long NUMBERED_SCATTER = 2_147_483_647L;

  /**
   * How long each variant of a scenario runs before anything is measured; and again for a table.
   */
  private static final double SECONDS_OF_FIRST_WARM_UP = 10;

  private static final double SECONDS_OF_WARM_UP = 2;

  /** Of what a window lasts, its lead-in. */
  private static final double LEAD_IN = 1.0 / 3;

  private static final int MOST_ANSWER_BYTES = 1 << 20;
  private static final double TWELVE = 12;

  private static final int LEAST_WARM_UP = 1000;
  private static final int WARM_UP_OF_CACHED = 5;
  private static final int MOST_WARM_UP = 200_000;
  private static final int CELL_BYTES_OF_CACHED = 1032;
  private static final double CACHED_SHARE = 0.1;
  private static final List<String> PHASES_OF_ONE_LOAD =
      List.of("Zipf", "uniform", "scans", "Zipf again");
  private static final int PHASES_OF_ALL = 5;
  private static final int SCAN_ROWS_OF_PHASES = 100;
  private static final int SCAN_ROWS_OF_FILTERS = 100;
  private static final int COLUMNS_OF_FILTERS = 100;
  private static final int MEAN_SCAN_ROWS = 30;

  private static final Pattern TABLE =
      Pattern.compile(
          "([\\d,]+) rows of (\\d+) × (\\d+) bytes"
              + "(, one region, one HFile|(, blocks of \\d+ bytes)?, 1 HFiles in 1 regions)?");
  private static final Pattern BLOCK_CACHE = Pattern.compile("block cache (\\d+) bytes");

  private final List<Observation> observations = new ArrayList<>();
  private final TreeSet<String> leftOut = new TreeSet<>();

  private Measurements() {}

  /**
   * Reads a directory of results.
   *
   * @throws CliException if a file is no result of {@code bench}, or there is none
   */
  static Measurements of(Path dir) throws IOException {
    Measurements measurements = new Measurements();
    for (String scenario : SCENARIOS) {
      Path file = dir.resolve(scenario + ".json");
      if (!Files.exists(file)) {
        measurements.leftOut.add(scenario + ": not measured");
        continue;
      }
      try {
        JsonObject json = JsonParser.parseString(Files.readString(file)).getAsJsonObject();
        measurements.new File(scenario, json).read();
      } catch (JsonParseException
          | IllegalArgumentException
          | IllegalStateException
          | ClassCastException
          | UnsupportedOperationException e) {
        throw new CliException(file + " is no result of bench: " + e.getMessage(), e);
      }
    }
    LEFT_OUT.forEach(
        (scenario, why) -> measurements.leftOut.add(scenario + ": no model of " + why));
    if (measurements.observations.isEmpty()) {
      throw new CliException(
          "Nothing to predict in " + dir + ": " + String.join("; ", measurements.leftOut));
    }
    return measurements;
  }

  /** Every second point of a scenario is to be fitted, the others are to be predicted. */
  List<Observation> fitted() {
    return observations.stream().filter(Observation::fits).toList();
  }

  List<Observation> predicted() {
    return observations.stream().filter(observation -> !observation.fits()).toList();
  }

  /** What was measured and the simulator has no model of, in words. */
  List<String> leftOut() {
    return List.copyOf(leftOut);
  }

  /** One file of results. */
  private final class File {
    private final String scenario;
    private final JsonObject json;
    private final JsonObject facts;

    private boolean packs;

    /** Of which table the first point was. */
    private @Nullable String firstTable;

    /** Operations before a point, by table and variant: what the caches have seen. */
    private final Map<String, Double> before = new HashMap<>();

    File(String scenario, JsonObject json) {
      this.scenario = scenario;
      this.json = json;
      this.facts = object(json, "facts");
    }

    void read() {
      if (scenario.equals(PHASES)) {
        readPhases();
        return;
      }
      packs = packs();
      int index = 0;
      for (JsonElement element : member(json, "measurements").getAsJsonArray()) {
        JsonObject point = element.getAsJsonObject();
        boolean fits = index++ % 2 == 1;
        if (point.has("after")) {
          leftOut.add(scenario + ": no model of what is measured after a compaction or a flush");
          continue;
        }
        if (scenario.equals("scale") && !point.has("variants")) {
          leftOut.add(scenario + ": no model of compactions");
          continue;
        }
        for (Map.Entry<String, JsonElement> variant : object(point, "variants").entrySet()) {
          add(point, variant.getKey(), object(variant.getValue().getAsJsonObject()), fits);
        }
      }
    }

    /**
     * Whether answers came packed: they are smaller then than the cells that clients got. Points
     * that are to be predicted are not asked.
     */
    private boolean packs() {
      int index = 0;
      for (JsonElement element : member(json, "measurements").getAsJsonArray()) {
        JsonObject point = element.getAsJsonObject();
        boolean fits = index++ % 2 == 1;
        if (fits && point.has("variants") && object(point, "variants").has("in-storage")) {
          JsonObject windows = object(object(object(point, "variants"), "in-storage"));
          if (number(windows, "network_bytes_in") < number(windows, "cell_bytes_read")) {
            return true;
          }
        }
      }
      return false;
    }

    /** A phase is a point. Its figures stand in the table alone, without bytes to storage. */
    private void readPhases() {
      List<String> phases = new ArrayList<>();
      for (JsonElement element : member(json, "rows").getAsJsonArray()) {
        JsonObject row = element.getAsJsonObject();
        JsonObject point = new JsonObject();
        JsonObject parameters = object(row, "parameters");
        String phase = member(parameters, "phase").getAsString();
        if (!phases.contains(phase)) {
          phases.add(phase);
        }
        if (!PHASES_OF_ONE_LOAD.contains(phase)) {
          leftOut.add(scenario + ": no model of a range that moves");
          continue;
        }
        String cap = member(parameters, "cap").getAsString();
        point.addProperty("phase", phase);
        point.addProperty("mbps", cap.replace(" Mbps", ""));
        JsonObject figures = object(row, "figures");
        double perSecond = number(figures, "ops/s");
        double seconds = secondsOfPhase();
        JsonObject windows = new JsonObject();
        windows.addProperty("operations", Math.round(perSecond * seconds));
        windows.addProperty("operations_per_second", perSecond);
        windows.addProperty("mean_ms", number(figures, "mean ms"));
        windows.addProperty("network_bytes_in", 1e6 * number(figures, "MB in"));
        windows.addProperty(
            "storage reads", number(figures, "storage reads/op") * perSecond * seconds);
        windows.addProperty("value_bytes_read", 1000);
        windows.addProperty("cell_bytes_read", CELL_BYTES_OF_CACHED);
        add(point, member(row, "variant").getAsString(), windows, phases.indexOf(phase) % 2 == 1);
      }
    }

    private double secondsOfPhase() {
      JsonObject first = member(json, "measurements").getAsJsonArray().get(0).getAsJsonObject();
      double windows = 0;
      double seconds = 0;
      for (JsonElement window : member(first, "LRU").getAsJsonArray()) {
        windows++;
        seconds += number(window.getAsJsonObject(), "seconds");
      }
      if (windows == 0) {
        throw new IllegalArgumentException("there are no windows");
      }
      return seconds / PHASES_OF_ALL;
    }

    private void add(JsonObject point, String variant, JsonObject windows, boolean fits) {
      Designs design = design(variant);
      if (design == null) {
        leftOut.add(scenario + ": no model of " + variant);
        return;
      }
      Matcher table = table(point);
      if (table == null) {
        leftOut.add(scenario + ": no model of tables that are encoded or compressed");
        return;
      }
      Load load = load(point);
      Map<String, String> settings = common(point);
      long rows = Long.parseLong(table.group(1).replace(",", ""));
      long columns = Long.parseLong(table.group(2));
      double valueBytes = Double.parseDouble(table.group(3));
      double perCell = number(windows, "cell_bytes_read") / number(windows, "value_bytes_read");
      if (!(perCell >= 1) || number(windows, "operations") < 1) {
        throw new IllegalArgumentException("nothing was read: " + words(point, variant));
      }
      if (columns > 1 && load != Load.WIDE_SCAN) {
        leftOut.add(scenario + ": no model of rows of several cells but for scans");
        return;
      }
      int cellBytes = (int) Math.round(valueBytes * perCell);
      // A block ends with the cell that fills it; a cell in a file has a byte for its sequence id.
      int filled = variant.equals("stock-8k") ? SMALL_BLOCK_BYTES : BLOCK_BYTES;
      int cellsOfBlock = (filled - 1) / (cellBytes + 1) + 1;
      int blockBytes = cellsOfBlock * cellBytes;
      settings.put("block.bytes", "" + blockBytes);
      long cells = rows * columns;
      long blocks = (cells - 1) / cellsOfBlock + 1;
      settings.put("rows", "" + cells);
      settings.put("cell.bytes", "" + cellBytes);
      settings.put("blocks", "" + blocks);
      double cacheBytes = cacheBytes(point, design);
      double ofBlooms = design == Designs.B ? rows * BLOOM_BYTES_OF_ROW : 0;
      settings.put("cache", "" + Math.max(0, cacheBytes - ofBlooms) / cells / cellBytes);
      settings.put("segment.cache", design == Designs.IN_STORAGE && cacheBytes > 0 ? "on" : "off");
      double cachedReads = cacheBytes / (design == Designs.B ? blockBytes : cellBytes);
      if (packs && design == Designs.IN_STORAGE) {
        if (columns > 1) {
          leftOut.add(scenario + ": no model of packed answers of wide rows");
          return;
        }
        int ofAnswer = Math.min(rowsOfOperation(point, load), MOST_ANSWER_BYTES / cellBytes);
        settings.put(
            "answer.packed.share",
            "" + PackedAnswers.bytes((int) valueBytes, ofAnswer) / ofAnswer / cellBytes);
      }
      double seen = cacheBytes > 0 ? before(point, variant, windows) : 0;
      double wanted = Math.max(LEAST_WARM_UP + WARM_UP_OF_CACHED * cachedReads, seen);
      settings.put("warmup.requests", "" + Math.round(Math.min(MOST_WARM_UP, wanted)));
      observations.add(
          new Observation(
              facts.has("commit") ? facts.get("commit").getAsString() : "unknown",
              scenario,
              words(point, variant),
              load,
              design,
              settings,
              rowsOfOperation(point, load),
              fits,
              measured(windows, uncertainty(windows, clients(point)))));
    }

    /** Operations that a variant has done before a point is measured, about. */
    private double before(JsonObject point, String variant, JsonObject windows) {
      String table = point.has("value bytes") ? point.get("value bytes").getAsString() : "";
      firstTable = firstTable == null ? table : firstTable;
      boolean isFirst = table.equals(firstTable);
      double seconds =
          SECONDS_OF_WARM_UP + (isFirst ? SECONDS_OF_FIRST_WARM_UP : SECONDS_OF_WARM_UP);
      double warmUp = seconds * number(windows, "operations_per_second");
      double operations = before.computeIfAbsent(table + variant, any -> warmUp);
      before.merge(table + variant, number(windows, "operations") * (1 + LEAD_IN), Double::sum);
      return operations;
    }

    /**
     * What is done of an operation when a window begins or ends is anything between nothing and
     * all: of each client's, at both ends, a variance of a twelfth.
     */
    private double uncertainty(JsonObject windows, double clients) {
      double count = 1;
      if (windows.has("seconds") && facts.has("seconds of a window")) {
        double each = number(facts, "seconds of a window");
        count = Math.max(1, Math.rint(number(windows, "seconds") / each));
      }
      return Math.sqrt(2 * count * clients / TWELVE) / number(windows, "operations");
    }

    private Designs design(String variant) {
      return switch (variant) {
        case "stock", "stock-8k", "LRU" -> Designs.B;
        case "in-storage", "segment cache" -> Designs.IN_STORAGE;
        default -> null;
      };
    }

    private Matcher table(JsonObject point) {
      String values = point.has("value bytes") ? point.get("value bytes").getAsString() : "";
      for (Map.Entry<String, JsonElement> fact : facts.entrySet()) {
        Matcher matcher = TABLE.matcher(fact.getValue().getAsString());
        if (fact.getKey().startsWith("table")
            && matcher.matches()
            && (values.isEmpty() || values.equals(matcher.group(3)))) {
          return matcher;
        }
      }
      String rows = rowsOfCached(values);
      Matcher cached =
          TABLE.matcher(rows + " rows of 1 × " + (values.isEmpty() ? "1000" : values) + " bytes");
      return cached.matches() ? cached : null;
    }

    /** Of a scenario that does not say what its table is like. */
    private String rowsOfCached(String values) {
      if (facts.has("rows of each table")) {
        return facts.get("rows of each table").getAsString();
      }
      if (facts.has("rows")) {
        return facts.get("rows").getAsString();
      }
      if (!scenario.equals("cache")) {
        return "no";
      }
      double bytes = number(facts, "bytes of each cache") / CACHED_SHARE;
      long rows = Math.round(bytes / (1000 + KEY_BYTES_OF_CACHED));
      return "" + (values.equals("1000") ? rows : 8 * rows);
    }

    private Load load(JsonObject point) {
      return switch (scenario) {
        case "get-bandwidth" -> number(point, "rows") > 1 ? Load.BATCH : Load.GET;
        case "scan-length" -> Load.SCAN;
        case "scan-filter" -> Load.WIDE_SCAN;
        case "mixed" -> Load.MIXED;
        case PHASES -> isPhase(point, "scans") ? Load.SCAN : Load.GET;
        default -> Load.GET;
      };
    }

    /** Whose rows are numbers. */
    private boolean hasNumberedTable() {
      return facts.has("bytes of each cache") || scenario.equals("scale");
    }

    private static boolean isPhase(JsonObject point, String phase) {
      return point.has("phase") && point.get("phase").getAsString().equals(phase);
    }

    private int rowsOfOperation(JsonObject point, Load load) {
      return switch (load) {
        case BATCH -> (int) number(point, "rows");
        case SCAN ->
            isPhase(point, "scans") ? SCAN_ROWS_OF_PHASES : (int) number(point, "rows of a scan");
        case WIDE_SCAN -> SCAN_ROWS_OF_FILTERS * COLUMNS_OF_FILTERS;
        case GET, MIXED -> 1;
      };
    }

    private double clients(JsonObject point) {
      String threads =
          load(point) == Load.BATCH
              ? "client threads of batches"
              : "client threads, unless a row says otherwise";
      double servers = point.has("region servers") ? number(point, "region servers") : 1;
      return number(facts, threads) * servers;
    }

    private Map<String, String> common(JsonObject point) {
      Map<String, String> settings = new LinkedHashMap<>();
      String cap = member(point, "mbps").getAsString();
      double mbps = cap.equals("uncapped") ? 0 : Double.parseDouble(cap);
      double servers = point.has("region servers") ? number(point, "region servers") : 1;
      settings.put("clients", "" + clients(point));
      settings.put("region.server.processors", "" + number(facts, "cores"));
      settings.put("line.mbps", "" + (mbps == 0 ? UNCAPPED_MBPS : mbps * servers));
      settings.put(
          "line.burst.bytes",
          "" + (mbps == 0 ? 0 : Math.max(LEAST_BURST_BYTES, mbps * BURST_BYTES_OF_MBPS)));
      boolean zipf =
          !scenario.equals("scan-length")
              && !scenario.equals("scan-filter")
              && !scenario.equals("scale")
              && !isPhase(point, "uniform")
              && !(point.has("Gets") && point.get("Gets").getAsString().equals("uniform"));
      settings.put("keys", zipf ? "zipf" : "uniform");
      settings.put("zipf.exponent", "0.99");
      settings.put("block.cache", "hbase-lru");
      settings.put("bookkeeping.block.bytes", "" + BOOKKEEPING_OF_BLOCK);
      settings.put("zipf.place", hasNumberedTable() ? "scattered" : "shuffled");
      settings.put("zipf.scatter", "" + NUMBERED_SCATTER);
      if (point.has("dropped %")) {
        settings.put("filter.share", "" + number(point, "dropped %") / 100);
      }
      if (point.has("reads %")) {
        settings.put("read.share", "" + number(point, "reads %") / 100);
        settings.put("get.share", "" + number(point, "gets %") / 100);
        settings.put("scan.rows", "" + MEAN_SCAN_ROWS);
        settings.put("flush.bytes", "" + (128 << 20));
      }
      return settings;
    }

    private double cacheBytes(JsonObject point, Designs design) {
      if (facts.has("bytes of each cache")) {
        return number(facts, "bytes of each cache");
      }
      if (design != Designs.B) {
        return 0;
      }
      Matcher caches = BLOCK_CACHE.matcher(member(facts, "region servers").getAsString());
      double servers = point.has("region servers") ? number(point, "region servers") : 1;
      return caches.find() ? servers * Double.parseDouble(caches.group(1)) : 0;
    }

    private String words(JsonObject point, String variant) {
      String cap = member(point, "mbps").getAsString();
      return point.entrySet().stream()
              .filter(entry -> entry.getValue().isJsonPrimitive())
              .filter(entry -> !entry.getKey().equals("mbps"))
              .filter(entry -> !entry.getKey().startsWith("limit"))
              .map(entry -> entry.getKey() + " " + entry.getValue().getAsString())
              .collect(Collectors.joining(", "))
          + ", "
          + (cap.equals("uncapped") ? cap : cap + " Mbps")
          + ", "
          + variant;
    }
  }

  private static Measured measured(JsonObject windows, double uncertainty) {
    double operations = number(windows, "operations");
    double processors =
        windows.entrySet().stream()
            .filter(entry -> entry.getKey().startsWith("processor s"))
            .mapToDouble(entry -> entry.getValue().getAsDouble())
            .sum();
    return new Measured(
        (long) operations,
        uncertainty,
        number(windows, "operations_per_second"),
        number(windows, "mean_ms"),
        number(windows, "network_bytes_in") / operations,
        windows.has("network_bytes_out")
            ? number(windows, "network_bytes_out") / operations
            : Double.NaN,
        windows.has("storage reads") ? number(windows, "storage reads") / operations : Double.NaN,
        processors > 0 ? 1000 * processors / operations : Double.NaN);
  }

  private static JsonObject object(JsonObject variant) {
    return object(variant, "all_windows");
  }

  private static JsonObject object(JsonObject of, String name) {
    return member(of, name).getAsJsonObject();
  }

  private static double number(JsonObject of, String name) {
    String text = member(of, name).getAsString();
    try {
      return Double.parseDouble(text);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(
          String.format(Locale.ROOT, "'%s' is no number: '%s'", name, text), e);
    }
  }

  private static JsonElement member(JsonObject of, String name) {
    JsonElement member = of.get(name);
    if (member == null) {
      throw new IllegalArgumentException("'" + name + "' is missing");
    }
    return member;
  }
}
