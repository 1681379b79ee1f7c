package io.ishbase.sim.workload;

import static java.util.Map.entry;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * All that a run depends on but its seed, by name. The names, units and sources stand in {@code
 * seed.conf} and {@code compaction.conf}. Never changed.
 */
public final class Parameters {
  /** Instead of a number, where the product has one. */
  private static final String SHIPPED = "shipped";

  /** Instead of a number, where what is named before {@link #END} does not move. */
  private static final String SAME = "same";

  private static final String END = ".end";

  private static final List<String> FILES = List.of("seed.conf", "compaction.conf");

  /** Values that are words, with those that are allowed. */
  private static final Map<String, Set<String>> WORDS =
      Map.of(
          "keys", Set.of("zipf", "uniform", "latest", "moving", "mixgraph"),
          "write", Set.of("update", "insert"),
          "scan.lengths", Set.of("uniform", "fixed", "pareto"),
          "zipf.place", Set.of("together", "scattered", "shuffled"),
          "line", Set.of("by-request", "sine", "constant"),
          "scan.misses", Set.of("next", "rpc"),
          "scan.limit", Set.of("known", "unknown"));

  /** The same, of what measurements need. */
  private static final Map<String, Set<String>> MORE_WORDS =
      Map.of(
          "line.calls", Set.of("apart", "in-order"),
          "block.cache", Set.of("lru", "hbase-lru"),
          "get.memstore", Set.of("answers", "asks"),
          "segment.cache", Set.of("on", "off"),
          "processors", Set.of("apart", "shared"));

  /** Values of which there cannot be fewer; others may be 0. */
  private static final Map<String, Double> LEAST =
      Map.ofEntries(
          entry("blocks", 1.0),
          entry("block.bytes", 1.0),
          entry("cell.bytes", 1.0),
          entry("requests", 1.0),
          entry("clients", 1.0),
          entry("scan.rows", 1.0),
          entry("scan.rpc.cells", 1.0),
          entry("block.regions", 1.0),
          entry("period.requests", 1.0),
          entry("line.mbps", 0.001),
          entry("line.least.mbps", 0.001),
          entry("line.period.seconds", 0.001),
          entry("storage.speed", 0.001),
          entry("storage.processors", 1.0),
          entry("region.server.processors", 1.0),
          entry("zipf.scatter", 1.0),
          entry("compaction.file.bytes", 1.0),
          entry("compaction.round.bytes", 65536.0),
          entry("compaction.line.mbps", 0.1),
          entry("compaction.fabric.mbps", 0.1),
          entry("compaction.ahead", 1.0),
          entry("budget.bytes", 1.0),
          entry("budget.processors", 1.0),
          entry("budget.share", 0.001),
          entry("files.min", 2.0),
          entry("files.max", 2.0),
          entry("files.blocking", 1.0),
          entry("region.bytes", 1.0),
          entry("region.rows", 1.0),
          entry("flush.file.bytes", 1.0),
          entry("update.bytes", 1.0),
          entry("major.seconds", 60.0),
          entry("compact.bytes", 1000.0),
          entry("transfer.bytes", 1000.0),
          entry("server.memory.bytes", 1.0),
          entry("server.line.mbps", 0.1),
          entry("read.threads", 1.0),
          entry("read.processors", 1.0),
          entry("read.get.ms", 0.001));

  /** Shares of something, and of what memory is taken for. */
  private static final Map<String, Double> MOST =
      Map.ofEntries(
          entry("get.share", 1.0),
          entry("read.share", 1.0),
          entry("filter.share", 1.0),
          entry("hot.share", 1.0),
          entry("auto.block.share", 1.0),
          entry("alpha", 1.0),
          entry("policy.alpha", 1.0),
          entry("cache", 100.0),
          entry("clients", 1e5),
          entry("block.bytes", 1e8),
          entry("block.regions", 1e4),
          entry("line.period.requests", 1e6),
          entry("line.split.share", 1.0),
          entry("answer.packed.share", 1.0),
          entry("zipf.scatter", 1.0 * (1L << 32)),
          entry("compaction.file.bytes", 1e11),
          entry("compaction.read.ns", 1e4),
          entry("compaction.merge.ns", 1e4),
          entry("compaction.control.bytes", 1e6),
          entry("compaction.ahead", 1e4),
          entry("budget.bytes", 1e11),
          entry("budget.processors", 1e5),
          entry("budget.share", 1.0),
          entry("budget.help.ns", 1e4),
          entry("files.min", 1e4),
          entry("files.max", 1e4),
          entry("files.least.bytes", 1e12),
          entry("files.blocking", 1e4),
          entry("region.bytes", 1e11),
          entry("flush.file.bytes", 1e11),
          entry("compact.bytes", 1e12),
          entry("transfer.bytes", 1e12),
          entry("server.memory.bytes", 1e15),
          entry("large.bytes", 1e12),
          entry("read.threads", 1e5),
          entry("read.processors", 1e5),
          entry("read.client.ms", 1e6),
          entry("read.get.ms", 1e6),
          entry("read.file.ms", 1e6),
          entry("read.disk.ms", 1e6),
          entry("read.remote.ms", 1e6),
          entry("read.cache.bytes", 1e15),
          entry("read.zipf", 10.0));

  private static final double MOST_OF_ALL = 1e9;

  private final Map<String, String> values;

  private Parameters(Map<String, String> values) {
    this.values = values;
  }

  /** The preset of the seed. */
  public static Parameters seed() {
    Map<String, String> values = new LinkedHashMap<>();
    FILES.forEach(name -> read(name, values));
    return new Parameters(values);
  }

  private static void read(String name, Map<String, String> values) {
    try (InputStream file = Parameters.class.getResourceAsStream("/io/ishbase/sim/" + name)) {
      if (file == null) {
        throw new IllegalStateException(name + " is missing");
      }
      BufferedReader lines =
          new BufferedReader(new InputStreamReader(file, StandardCharsets.UTF_8));
      lines
          .lines()
          .map(line -> line.replaceFirst("#.*", "").strip())
          .filter(line -> !line.isEmpty())
          .forEach(line -> put(values, line));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void put(Map<String, String> values, String line) {
    String[] parts = line.split("=", 2);
    values.put(parts[0].strip(), parts[1].strip());
  }

  /**
   * These, but for one.
   *
   * @throws IllegalArgumentException if there is none of the name, or the value is none for it
   */
  public Parameters with(String name, String value) {
    if (!values.containsKey(name)) {
      throw new IllegalArgumentException(
          "No parameter '" + name + "': there are " + String.join(", ", values.keySet()));
    }
    Set<String> words = WORDS.getOrDefault(name, MORE_WORDS.get(name));
    if (words != null && !words.contains(value)) {
      throw new IllegalArgumentException(name + " is one of " + words + ", not '" + value + "'");
    }
    boolean isShipped = value.equals(SHIPPED) && name.startsWith("policy.");
    boolean isSame = value.equals(SAME) && name.endsWith(END);
    if (words == null && !isShipped && !isSame) {
      try {
        check(name, Double.parseDouble(value));
      } catch (NumberFormatException e) {
        throw new IllegalArgumentException(name + " is a number, not '" + value + "'", e);
      }
    }
    Map<String, String> changed = new LinkedHashMap<>(values);
    changed.put(name, value);
    return new Parameters(changed);
  }

  private static void check(String name, double value) {
    double least = LEAST.getOrDefault(name, 0.0);
    double most = MOST.getOrDefault(name, MOST_OF_ALL);
    if (!(value >= least && value <= most)) {
      throw new IllegalArgumentException(
          name + " is from " + text(least) + " to " + text(most) + ", not " + text(value));
    }
  }

  /** These, but for one. */
  public Parameters with(String name, double value) {
    return with(name, text(value));
  }

  /** The number of that name. */
  public double number(String name) {
    return Double.parseDouble(word(name));
  }

  /** The number of that name, or what ships if that is what it says. */
  public double number(String name, double shipped) {
    return word(name).equals(SHIPPED) ? shipped : number(name);
  }

  /** What the number of that name is for a request, by the number of those before it. */
  double moved(String name, long before, long requests) {
    double start = number(name);
    String end = word(name + END);
    return end.equals(SAME)
        ? start
        : start + (Double.parseDouble(end) - start) * Math.min(before, requests) / requests;
  }

  /** The number of that name, a whole one. */
  public int whole(String name) {
    return (int) Math.min(Integer.MAX_VALUE, Math.round(number(name)));
  }

  /** Microseconds or milliseconds of that name, by its end, in nanoseconds. */
  public double nanos(String name) {
    double unit = name.endsWith(".us") ? 1e3 : name.endsWith(".ms") ? 1e6 : 1e9;
    return unit * number(name);
  }

  /** Whether the value of that name is that word. */
  public boolean is(String name, String word) {
    return word(name).equals(word);
  }

  /** The value of that name, as it is written. */
  String word(String name) {
    String value = values.get(name);
    if (value == null) {
      throw new IllegalArgumentException("No parameter '" + name + "'");
    }
    return value;
  }

  /** All, a line each. */
  public Map<String, String> all() {
    return values;
  }

  private static String text(double value) {
    return value == Math.rint(value) && Math.abs(value) < 1e15
        ? Long.toString((long) value)
        : Double.toString(value);
  }
}
