package io.ishbase.sim.plan;

import io.ishbase.sim.miniature.Reads;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A plan's input as text: names of {@code plan.conf}, for the cluster and for each table. */
public final class PlanFile {
  private static final String PLACE = "place";
  private static final String SKEW = "skew";

  /** By how many times the rows of a trace may be more than those of its table, by chance. */
  private static final double MORE_ROWS = 1.25;

  private static final String BY_DEFAULT = "scattered";
  private static final Set<String> PLACES = Set.of(BY_DEFAULT, "together");
  private static final Set<String> WHOLE =
      Set.of(
          "region.servers",
          "region.server.cores",
          "storage.nodes",
          "storage.cores",
          "replication",
          "worker.slots",
          "regions",
          "scan.rows");
  private static final Set<String> MAY_BE_0 =
      Set.of(
          "block.cache",
          "segment.cache",
          "core.mbps",
          "near.part",
          "price.near.gb",
          "price.far.gb",
          "page.cache",
          "gets",
          "scans",
          "puts",
          "skew",
          "bloom.errors",
          "disk.ms",
          "round.trip.ms",
          "patience.s");

  private static final int LONGEST_LINE = 10_000;
  private static final int MOST_TABLES = 1_000;
  private static final double MOST_ROW_BYTES = 65536;

  /** The least that makes sense, of what is more than above 0. */
  private static final Map<String, Double> LEAST =
      Map.of("flush.bytes", 1048576.0, "compaction.files", 2.0, "major.days", 0.01);

  /** The most that makes sense. */
  private static final Map<String, Double> MOST =
      Map.ofEntries(
          Map.entry("page.cache", 1.0),
          Map.entry("near.part", 1.0),
          Map.entry("bloom.errors", 1.0),
          Map.entry("load.limit", 0.95),
          Map.entry("skew", 3.0),
          Map.entry("region.servers", 1e5),
          Map.entry("storage.nodes", 1e5),
          Map.entry("region.server.cores", 1e4),
          Map.entry("storage.cores", 1e4),
          Map.entry("regions", 1e7),
          Map.entry("scan.rows", 1e5),
          Map.entry("row.bytes", MOST_ROW_BYTES),
          Map.entry("block.bytes", 16777216.0),
          Map.entry("bytes", 1e18),
          Map.entry("unpacked", 100.0),
          Map.entry("worker.slots", 1024.0),
          Map.entry("replication", 512.0),
          Map.entry("patience.s", 3600.0));

  private static final String NUMBER = "([0-9.eE+-]+)\\s*(KB|MB|GB|TB)?";
  private static final Pattern VALUE =
      Pattern.compile(NUMBER + "(?:\\s*\\(\\s*" + NUMBER + "\\s+to\\s+" + NUMBER + "\\s*\\))?");

  private static final PlanFile DEFAULTS = defaults();

  /** A line's value. */
  private record Entry(String text, int line) {}

  /** A table's section. */
  private record Section(String name, int line, Map<String, Entry> entries) {}

  /** Instead of the exponent of a law: what was asked for once. */
  private static final Pattern TRACE =
      Pattern.compile("trace\\s+(.*?)(?:\\s*,\\s*(\\d{1,4}) of 1000)?");

  private final String file;
  private final Path directory;
  private final Map<String, Entry> cluster = new LinkedHashMap<>();
  private final List<Section> tables = new ArrayList<>();

  private PlanFile(String file, List<String> lines, Path directory) {
    this.file = file;
    this.directory = directory;
    Map<String, Entry> section = cluster;
    for (int i = 0; i < lines.size(); i++) {
      int number = i + 1;
      if (lines.get(i).length() > LONGEST_LINE) {
        throw at(number, "longer than 10,000 characters: is it the right file?");
      }
      String line = lines.get(i).replaceFirst("#.*", "").strip();
      if (line.startsWith("[")) {
        section = section(line, number);
      } else if (!line.isEmpty()) {
        entry(section, line, number);
      }
    }
  }

  private Map<String, Entry> section(String line, int number) {
    Matcher header =
        Pattern.compile("\\[table(?:\\s+([\\w:.-]+))?]", Pattern.UNICODE_CHARACTER_CLASS)
            .matcher(line);
    if (!header.matches()) {
      throw at(number, "'" + line + "' begins no table; write [table NAME]");
    }
    String name = header.group(1) == null ? "" : header.group(1);
    for (Section other : tables) {
      if (other.name().equals(name)) {
        throw at(number, "table '" + name + "' stands in line " + other.line() + " already");
      }
    }
    if (tables.size() == MOST_TABLES) {
      throw at(number, "a plan has no more than 1,000 tables; leave the small ones out");
    }
    Section section = new Section(name, number, new LinkedHashMap<>());
    tables.add(section);
    return section.entries();
  }

  private void entry(Map<String, Entry> section, String line, int number) {
    String[] parts = line.split("=", 2);
    if (parts.length < 2) {
      throw at(number, "'" + line + "' says nothing; write NAME = VALUE");
    }
    String name = parts[0].strip();
    Entry before = section.putIfAbsent(name, new Entry(parts[1].strip(), number));
    if (before != null) {
      throw at(number, name + " stands in line " + before.line() + " already; keep one of them");
    }
  }

  private IllegalArgumentException at(int line, String words) {
    return new IllegalArgumentException(file + " line " + line + ": " + words);
  }

  private static PlanFile defaults() {
    return new PlanFile("plan.conf", List.of(parameters().split("\n")), Path.of(""));
  }

  /** All names with units, defaults and where these come from. */
  public static String parameters() {
    try (InputStream file = PlanFile.class.getResourceAsStream("/io/ishbase/sim/plan.conf")) {
      if (file == null) {
        throw new IllegalStateException("plan.conf is missing");
      }
      BufferedReader reader =
          new BufferedReader(new InputStreamReader(file, StandardCharsets.UTF_8));
      return String.join("\n", reader.lines().toList());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Reads a plan's input.
   *
   * @param file its name, for messages
   * @param directory where traces lie that it names without one
   * @throws IllegalArgumentException if it cannot be understood; the message says where, and what
   *     to write
   */
  public static Inputs read(String file, List<String> lines, Path directory) {
    return new PlanFile(file, lines, directory).inputs();
  }

  /** The same, whose traces lie in the working directory. */
  public static Inputs read(String file, List<String> lines) {
    return read(file, lines, Path.of(""));
  }

  private Inputs inputs() {
    Map<String, Range> ranges = new LinkedHashMap<>();
    put(ranges, "", "the cluster", cluster, DEFAULTS.cluster);
    if (tables.isEmpty()) {
      throw new IllegalArgumentException(
          file + ": there is no table; add a section [table NAME] with regions, bytes, row.bytes");
    }
    List<Inputs.Table> read = new ArrayList<>();
    Map<String, Entry> ofTable = DEFAULTS.tables.get(0).entries();
    for (Section table : tables) {
      if (table.name().isEmpty()) {
        throw at(table.line(), "the table has no name; write [table NAME]");
      }
      String prefix = Inputs.name(table.name(), "");
      put(ranges, prefix, "table '" + table.name() + "'", table.entries(), ofTable);
      Entry place = table.entries().get(PLACE);
      boolean isScattered = place == null || place.text().equals(BY_DEFAULT);
      read.add(new Inputs.Table(table.name(), isScattered, null));
    }
    Inputs inputs = new Inputs(ranges, read);
    tables.forEach(table -> check(table, inputs));
    for (int i = 0; i < read.size(); i++) {
      Entry skew = tables.get(i).entries().get(SKEW);
      if (skew != null && isTrace(skew)) {
        read.set(i, traced(read.get(i), tables.get(i), skew, inputs.middle()));
      }
    }
    return inputs;
  }

  private static boolean isTrace(Entry entry) {
    return entry.text().matches("trace\\b.*");
  }

  /** That table with what its trace asks for. */
  private Inputs.Table traced(Inputs.Table table, Section section, Entry skew, Values values) {
    Matcher trace = TRACE.matcher(skew.text());
    if (!trace.matches() || trace.group(1).isEmpty()) {
      throw at(skew.line(), "write trace FILE, or trace FILE, 10 of 1000 if it is a sample");
    }
    double part = trace.group(2) == null ? 1 : Integer.parseInt(trace.group(2)) / 1000.0;
    if (part == 0 || part > 1) {
      throw at(skew.line(), "a sample is 1 of 1000 to 1000 of 1000, not " + trace.group(2));
    }
    Entry place = section.entries().get(PLACE);
    if (place != null) {
      throw at(place.line(), "where popular rows lie is in the trace; leave place out");
    }
    Reads reads;
    try {
      Path path = directory.resolve(trace.group(1));
      reads = TracedReads.of(path, table.name(), (int) values.of(table, "scan.rows"), part);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(file + " line " + skew.line() + ": " + e.getMessage(), e);
    }
    double rows = values.of(table, "bytes") / values.of(table, "row.bytes");
    if (reads.rows() > MORE_ROWS * rows * part) {
      throw at(
          skew.line(),
          "the trace has "
              + reads.rows()
              + " rows, and the table "
              + text(Math.rint(rows * part))
              + " of these; check bytes, row.bytes, and of how many of 1000 it is");
    }
    if (values.of(table, "gets") > 0 && reads.gets() == 0) {
      throw at(skew.line(), "the trace has no Get of the table, and gets is above 0");
    }
    if (values.of(table, "scans") > 0 && reads.gets() == reads.count()) {
      throw at(skew.line(), "the trace has no Scan of the table, and scans is above 0");
    }
    return new Inputs.Table(table.name(), table.isScattered(), reads);
  }

  private void check(Section table, Inputs inputs) {
    double row = inputs.range(Inputs.name(table.name(), "row.bytes")).most();
    double all = inputs.range(Inputs.name(table.name(), "bytes")).least();
    if (all < row) {
      throw at(
          table.line(),
          "table '" + table.name() + "' is smaller than one of its rows; check bytes, row.bytes");
    }
    double open = row * inputs.range(Inputs.name(table.name(), "unpacked")).most();
    if (open > MOST_ROW_BYTES) {
      throw at(
          table.line(),
          "a row of table '"
              + table.name()
              + "' has "
              + text(Math.rint(open))
              + " bytes once opened; row.bytes times unpacked is 65536 at most");
    }
  }

  private void put(
      Map<String, Range> ranges,
      String prefix,
      String whose,
      Map<String, Entry> given,
      Map<String, Entry> known) {
    given.forEach(
        (name, entry) -> {
          if (!known.containsKey(name)) {
            throw at(entry.line(), unknown(name, whose, known));
          }
        });
    List<String> missing = new ArrayList<>();
    known.forEach(
        (name, byDefault) -> {
          Entry entry = given.get(name);
          if (entry == null && byDefault.text().equals("required")) {
            missing.add(name);
          } else if (name.equals(SKEW) && entry != null && isTrace(entry)) {
            ranges.put(prefix + name, Range.exactly(0));
          } else if (!name.equals(PLACE)) {
            ranges.put(
                prefix + name,
                entry == null ? DEFAULTS.range(name, byDefault) : range(name, entry));
          } else if (entry != null && !PLACES.contains(entry.text())) {
            throw at(entry.line(), "place is scattered or together, not '" + entry.text() + "'");
          }
        });
    if (!missing.isEmpty()) {
      throw new IllegalArgumentException(
          file + ": " + whose + " needs " + String.join(", ", missing) + "; add a line for each");
    }
  }

  private static String unknown(String name, String whose, Map<String, Entry> known) {
    for (Map<String, Entry> others : List.of(DEFAULTS.cluster, DEFAULTS.tables.get(0).entries())) {
      if (others != known && others.containsKey(name)) {
        return name
            + " is nothing of "
            + whose
            + (others == DEFAULTS.cluster
                ? "; write it before the first [table NAME]"
                : "; write it below a [table NAME]");
      }
    }
    return "there is no '" + name + "' of " + whose + "; one of " + new TreeSet<>(known.keySet());
  }

  private Range range(String name, Entry entry) {
    Matcher value = VALUE.matcher(entry.text());
    if (!value.matches()) {
      throw at(
          entry.line(),
          name
              + " is a number, or a number and its range, as 5000 (4000 to 7000) or 2 TB, not '"
              + entry.text()
              + "'");
    }
    double middle = number(name, entry, value.group(1), value.group(2));
    if (value.group(3) == null) {
      return Range.exactly(middle);
    }
    if (hasUnit(value, 1) || hasUnit(value, 3) || hasUnit(value, 5)) {
      for (int digits = 1; digits <= 5; digits += 2) {
        if (!hasUnit(value, digits) && !value.group(digits).matches("0*\\.?0*")) {
          throw at(
              entry.line(),
              name + " has a unit behind some of its numbers; write it behind each of them");
        }
      }
    }
    double least = number(name, entry, value.group(3), value.group(4));
    double most = number(name, entry, value.group(5), value.group(6));
    if (!(least <= middle && middle <= most)) {
      throw at(entry.line(), name + " is not in its range; write VALUE (LEAST to MOST)");
    }
    return new Range(least, middle, most);
  }

  private static boolean hasUnit(Matcher value, int digits) {
    return value.group(digits + 1) != null;
  }

  private double number(String name, Entry entry, String digits, @Nullable String unit) {
    double number;
    try {
      number = Double.parseDouble(digits);
    } catch (NumberFormatException e) {
      throw at(entry.line(), name + " is a number, not '" + digits + "'");
    }
    if (unit != null) {
      number *= 1L << 10 * (1 + List.of("KB", "MB", "GB", "TB").indexOf(unit));
    }
    double most = MOST.getOrDefault(name, 1e18);
    if (number < 0 && MAY_BE_0.contains(name)) {
      throw at(entry.line(), name + " is 0 or more, not " + digits);
    }
    if (number <= 0 && !MAY_BE_0.contains(name)) {
      throw at(entry.line(), name + " is above 0, not " + digits);
    }
    double least = LEAST.getOrDefault(name, 0.0);
    if (number < least) {
      throw at(entry.line(), name + " is " + text(least) + " at least, not " + digits);
    }
    if (number > most) {
      throw at(entry.line(), name + " is " + text(most) + " at most, not " + digits);
    }
    if (WHOLE.contains(name) && number != Math.rint(number)) {
      throw at(entry.line(), name + " is a whole number, not " + digits);
    }
    return number;
  }

  private static String text(double number) {
    return number == Math.rint(number) ? Long.toString((long) number) : Double.toString(number);
  }
}
