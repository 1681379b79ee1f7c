package io.ishbase.sim.calibration;

import io.ishbase.sim.calibration.Observation.Load;
import io.ishbase.sim.design.Designs;
import io.ishbase.sim.workload.Parameters;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * What things take on the machines that were measured: fitted values by name, and what is known of
 * them otherwise. Never changed.
 */
public final class Costs {
  /** Of bytes and microseconds. */
  private static final double MOST = 1e6;

  /** Microseconds of a Get in a batch at the region server. */
  static final String BATCHED = "cpu.batched.us";

  /** Microseconds of a cell that a batch asks for by key, at the storage node. */
  static final String SEEK = "cpu.seek.us";

  /** Microseconds of a cell of a wide row that passes the filter, at the region server. */
  static final String COLUMN = "cpu.column.us";

  /** The same at the storage node. */
  static final String COLUMN_AT_STORAGE = "cpu.column.cell.us";

  /** Microseconds of a cell of a wide row that a filter drops. */
  static final String SKIPPED = "cpu.skipped.us";

  /**
   * A cost that is fitted.
   *
   * @param start where the search begins
   * @param most that makes sense
   * @param isParameter whether the simulator has a parameter of that name
   * @param loads that have it
   * @param designs that have it
   */
  record Cost(
      String name,
      double start,
      double most,
      boolean isParameter,
      Set<Load> loads,
      Set<Designs> designs,
      String meaning) {
    boolean isOf(Observation observation) {
      return loads.contains(observation.load()) && designs.contains(observation.design());
    }
  }

  private static final Set<Load> ALL = EnumSet.allOf(Load.class);
  private static final Set<Load> ROWS = EnumSet.of(Load.GET, Load.MIXED, Load.SCAN);
  private static final Set<Load> SCANS = EnumSet.of(Load.SCAN, Load.MIXED);
  private static final Set<Load> BATCHES = EnumSet.of(Load.BATCH);
  private static final Set<Load> WIDE = EnumSet.of(Load.WIDE_SCAN);
  private static final Set<Load> PUTS = EnumSet.of(Load.MIXED);
  private static final Set<Designs> BOTH = EnumSet.of(Designs.B, Designs.IN_STORAGE);
  private static final Set<Designs> BLOCKS = EnumSet.of(Designs.B);
  private static final Set<Designs> CELLS = EnumSet.of(Designs.IN_STORAGE);

  /** All that are fitted. */
  static final List<Cost> FITTED =
      List.of(
          bytes("request.bytes", 250, ALL, CELLS, "a request for cells and its acknowledgement"),
          bytes("request.cell.bytes", 57, BATCHES, CELLS, "more, for each Get of a batch"),
          bytes("answer.bytes", 110, ALL, CELLS, "an answer besides its cells"),
          bytes("answer.cell.bytes", 7, ALL, CELLS, "more, for each of its cells"),
          bytes("block.request.bytes", 550, ALL, BLOCKS, "a request for a block, and its like"),
          bytes("block.answer.bytes", 3700, ALL, BLOCKS, "what comes with a block"),
          bytes("queued.request.bytes", 15, ALL, CELLS, "less of a request while others wait"),
          bytes("queued.answer.bytes", 10, ALL, CELLS, "less of an answer while others wait"),
          bytes("put.more.bytes", 100, PUTS, BOTH, "a Put besides its cell"),
          share("line.split.share", 0.8, 1, ALL, "of runs longer than a burst, what is split"),
          micros("line.ack.us", 140, ALL, BOTH, "an acknowledgement waits for further packets"),
          micros("cpu.query.us", 95, ROWS, BOTH, "a Get at client and region server"),
          share("cpu.next.share", 0.03, 10, SCANS, "of a Get, a row of a Scan"),
          share("cpu.put.share", 1, 10, PUTS, "of a Get, a Put"),
          micros("cpu.scan.us", 100, notGets(), BOTH, "a Scan besides its rows and requests"),
          micros("cpu.rpc.us", 100, ALL, BOTH, "a request to storage"),
          micros("cpu.cell.us", 4, SCANS, CELLS, "a cell that storage picks for a Scan"),
          micros("cpu.block.us", 240, ALL, BLOCKS, "a block, besides its request"),
          ours(BATCHED, 10, BATCHES, BOTH, "a Get of a batch at client and region server"),
          ours(SEEK, 60, BATCHES, CELLS, "a cell that storage picks by key for a batch"),
          ours(COLUMN, 0.8, WIDE, BOTH, "a cell of a wide row at client and region server"),
          ours(COLUMN_AT_STORAGE, 0.6, WIDE, CELLS, "the same at storage"),
          ours(SKIPPED, 0.1, WIDE, BOTH, "a cell of a wide row that a filter drops"));

  /** What is known of the cluster of {@code bench}, of TCP and of our Scans. */
  private static final Map<String, String> KNOWN =
      Map.ofEntries(
          Map.entry("line", "constant"),
          Map.entry("line.calls", "in-order"),
          Map.entry("processors", "shared"),
          Map.entry("line.segment.bytes", "1448"),
          Map.entry("line.header.bytes", "66"),
          Map.entry("round.trip.ms", "0.05"),
          Map.entry("put.wal.ms", "0.05"),
          Map.entry("scan.more.cells", "1"),
          Map.entry("scan.limit", "known"),
          Map.entry("get.memstore", "asks"));

  private final Map<String, Double> values;

  private Costs(Map<String, Double> values) {
    this.values = values;
  }

  private static Set<Load> notGets() {
    return EnumSet.complementOf(EnumSet.of(Load.GET));
  }

  private static Cost bytes(
      String name, double start, Set<Load> loads, Set<Designs> designs, String meaning) {
    return new Cost(name, start, MOST, true, loads, designs, "bytes; " + meaning);
  }

  private static Cost micros(
      String name, double start, Set<Load> loads, Set<Designs> designs, String meaning) {
    return new Cost(name, start, MOST, true, loads, designs, "microseconds; " + meaning);
  }

  private static Cost share(
      String name, double start, double most, Set<Load> loads, String meaning) {
    return new Cost(name, start, most, true, loads, BOTH, "share; " + meaning);
  }

  private static Cost ours(
      String name, double start, Set<Load> loads, Set<Designs> designs, String meaning) {
    return new Cost(name, start, MOST, false, loads, designs, "microseconds; " + meaning);
  }

  /** Where the search begins. */
  static Costs start() {
    Map<String, Double> values = new LinkedHashMap<>();
    FITTED.forEach(cost -> values.put(cost.name(), cost.start()));
    return new Costs(values);
  }

  /**
   * Those that {@link #text} wrote.
   *
   * @throws IllegalArgumentException if a line is none, or a cost is missing
   */
  public static Costs parse(String text) {
    Map<String, Double> values = new LinkedHashMap<>();
    for (String line : text.lines().map(each -> each.replaceFirst("#.*", "").strip()).toList()) {
      if (line.isEmpty()) {
        continue;
      }
      String[] parts = line.split("=", 2);
      String name = parts[0].strip();
      if (parts.length < 2 || FITTED.stream().noneMatch(cost -> cost.name().equals(name))) {
        throw new IllegalArgumentException("no cost: '" + line + "'");
      }
      try {
        values.put(name, Double.valueOf(parts[1].strip()));
      } catch (NumberFormatException e) {
        throw new IllegalArgumentException("no number: '" + line + "'", e);
      }
    }
    List<String> missing = new ArrayList<>(FITTED.stream().map(Cost::name).toList());
    missing.removeAll(values.keySet());
    if (!missing.isEmpty()) {
      throw new IllegalArgumentException("missing: " + String.join(", ", missing));
    }
    return new Costs(values);
  }

  /** A line each, with unit and meaning. */
  public String text() {
    StringBuilder text = new StringBuilder();
    for (Cost cost : FITTED) {
      text.append(
          String.format(
              Locale.ROOT,
              "%-22s = %-10.4g # %s%n",
              cost.name(),
              value(cost.name()),
              cost.meaning()));
    }
    return text.toString();
  }

  double value(String name) {
    return Objects.requireNonNull(values.get(name));
  }

  Costs with(String name, double value) {
    Map<String, Double> changed = new LinkedHashMap<>(values);
    changed.put(name, value);
    return new Costs(changed);
  }

  /** These costs in the place of the preset's. */
  Parameters applied(Parameters preset) {
    Parameters parameters = preset;
    for (Map.Entry<String, String> known : KNOWN.entrySet()) {
      parameters = parameters.with(known.getKey(), known.getValue());
    }
    for (Cost cost : FITTED) {
      if (cost.isParameter()) {
        parameters = parameters.with(cost.name(), value(cost.name()));
      }
    }
    return parameters;
  }
}
