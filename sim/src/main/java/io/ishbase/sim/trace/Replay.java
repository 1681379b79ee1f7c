package io.ishbase.sim.trace;

import io.ishbase.core.trace.TraceEntry;
import io.ishbase.core.trace.TraceEntry.Keys;
import io.ishbase.core.trace.TraceEntry.Operation;
import io.ishbase.sim.workload.Parameters;
import io.ishbase.sim.workload.RequestStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * A trace, as requests for the simulator: its rows are numbered in their order. Takes 8 bytes for a
 * request and what its distinct rows take, which is bounded.
 */
public final class Replay {
  private static final int MOST_ROWS = 1_000_000;
  private static final long MOST_ROW_BYTES = 64L << 20;

  /** The highest ordinal and one more. */
  private static final int MOST_ORDINALS = 1 << 26;

  /** Bytes of cache below which the segment cache, which has half of it in auto, does not begin. */
  private static final double LEAST_CACHE = 1 << 18;

  private static final int LONGEST_SCAN = 1 << 28;
  private static final int KIND_BITS = 2;
  private static final RequestStream.Kind[] KINDS = RequestStream.Kind.values();

  private final List<String> remarks;
  private final Keys keysAre;
  private int[] keys = new int[1024];

  /** Rows and kind of each request; 0 rows: a Scan whose length is not known. */
  private int[] shapes = new int[1024];

  private int requests;
  private final long[] ofKind = new long[KINDS.length];
  private boolean isCut;
  private int rows;

  /** Of each table, the first row behind it; they lie one behind the other. */
  private int[] tableEnds = {};

  private boolean isCacheLeast;
  private double sumOfBytes;
  private double rowsWithBytes;

  private Replay(Keys keysAre, List<String> remarks) {
    this.keysAre = keysAre;
    this.remarks = remarks;
  }

  /**
   * Reads a trace.
   *
   * @param limit operations; what is behind them is left out
   * @throws TraceException if it cannot be read
   * @throws IllegalArgumentException if it has too many rows, or none
   */
  public static Replay of(TraceReader reader, int limit) throws IOException {
    Replay replay = new Replay(reader.keys(), List.copyOf(reader.remarks()));
    replay.read(reader, limit);
    if (replay.requests == 0) {
      throw new IllegalArgumentException("The trace has no operation");
    }
    return replay;
  }

  private void read(TraceReader reader, int limit) throws IOException {
    Map<String, Integer> numbers = new HashMap<>();
    long rowBytes = 0;
    for (TraceEntry entry = reader.next(); entry != null; entry = reader.next()) {
      if (requests == limit) {
        isCut = true;
        break;
      }
      if (keysAre == Keys.ORDINALS) {
        add(entry, ordinal(entry));
        continue;
      }
      String name = entry.table() + '\0' + entry.row();
      Integer known = numbers.get(name);
      if (known == null) {
        known = numbers.size();
        rowBytes += name.length();
        if (known == MOST_ROWS || rowBytes > MOST_ROW_BYTES) {
          throw new IllegalArgumentException(
              "The trace has more than 1,000,000 rows, or 64 MB of keys, in its first "
                  + requests
                  + " operations: take fewer with --limit");
        }
        numbers.put(name, known);
      }
      add(entry, known);
    }
    if (keysAre != Keys.ORDINALS) {
      rows = numbers.size();
      inOrder(numbers);
    } else {
      tableEnds = new int[] {rows};
    }
  }

  private int ordinal(TraceEntry entry) {
    long ordinal = Long.parseLong(entry.row());
    if (ordinal >= MOST_ORDINALS) {
      throw new IllegalArgumentException(
          "The trace has the ordinal "
              + ordinal
              + ": ordinals below 67,108,864 can be simulated; convert a part of the trace");
    }
    rows = Math.max(rows, (int) ordinal + 1);
    return (int) ordinal;
  }

  private void add(TraceEntry entry, int key) {
    if (requests == keys.length) {
      keys = Arrays.copyOf(keys, 2 * requests);
      shapes = Arrays.copyOf(shapes, 2 * requests);
    }
    RequestStream.Kind kind = kind(entry.operation());
    long length = entry.length();
    int rowsAsked =
        kind != RequestStream.Kind.SCAN
            ? 1
            : length == TraceEntry.UNKNOWN ? 0 : (int) Math.max(1, Math.min(LONGEST_SCAN, length));
    keys[requests] = key;
    shapes[requests++] = rowsAsked << KIND_BITS | kind.ordinal();
    ofKind[kind.ordinal()]++;
    if (entry.bytes() > 0 && rowsAsked > 0) {
      sumOfBytes += entry.bytes();
      rowsWithBytes += rowsAsked;
    }
  }

  private static RequestStream.Kind kind(Operation operation) {
    switch (operation) {
      case GET:
        return RequestStream.Kind.GET;
      case SCAN:
        return RequestStream.Kind.SCAN;
      default:
        return RequestStream.Kind.PUT;
    }
  }

  /** Numbers the rows in their order; those without one in the order of a hash. */
  private void inOrder(Map<String, Integer> numbers) {
    List<String> names = new ArrayList<>(numbers.keySet());
    names.sort(
        keysAre == Keys.ROWS
            ? Comparator.naturalOrder()
            : Comparator.comparingLong(Replay::hash).thenComparing(Comparator.naturalOrder()));
    int[] places = new int[names.size()];
    for (int place = 0; place < places.length; place++) {
      places[Objects.requireNonNull(numbers.get(names.get(place)))] = place;
    }
    IntStream.range(0, requests).forEach(i -> keys[i] = places[keys[i]]);
    tableEnds = keysAre == Keys.ROWS ? tableEnds(names) : new int[] {rows};
  }

  private static int[] tableEnds(List<String> names) {
    return IntStream.rangeClosed(1, names.size())
        .filter(
            row -> row == names.size() || !table(names.get(row)).equals(table(names.get(row - 1))))
        .toArray();
  }

  private static String table(String name) {
    return name.substring(0, name.indexOf('\0'));
  }

  /** The first row behind the table of a row. */
  private int tableEnd(int row) {
    int found = Arrays.binarySearch(tableEnds, row + 1);
    return tableEnds[found < 0 ? -found - 1 : found];
  }

  /** FNV-1a, the same everywhere. */
  private static long hash(String name) {
    long hash = 0xCBF29CE484222325L;
    for (int i = 0; i < name.length(); i++) {
      hash = (hash ^ name.charAt(i)) * 0x100000001B3L;
    }
    return hash;
  }

  /** Rows, whose numbers are below. */
  public int rows() {
    return rows;
  }

  /**
   * Parameters for these requests: so many, and data of these rows alone, as large as the trace
   * says that they are.
   *
   * @param given what was set by hand and stays
   * @throws IllegalArgumentException if what was set has no room for the rows
   */
  public Parameters fit(Parameters parameters, Set<String> given) {
    Parameters fitting = parameters.with("requests", requests);
    double blockBytes = fitting.number("block.bytes");
    if (!given.contains("cell.bytes") && rowsWithBytes > 0) {
      double least = fitting.number("key.bytes") + 1;
      double mean = Math.rint(sumOfBytes / rowsWithBytes);
      fitting = fitting.with("cell.bytes", Math.max(least, Math.min(blockBytes, mean)));
    }
    double cellsOfBlock = Math.floor(blockBytes / fitting.number("cell.bytes"));
    double blocks = Math.ceil(rows / cellsOfBlock);
    if (!given.contains("blocks")) {
      fitting = fitting.with("blocks", blocks);
    } else if (fitting.number("blocks") < blocks) {
      throw new IllegalArgumentException(
          "blocks has room for fewer rows than the trace has: " + (long) blocks + " are needed");
    }
    double bytes = fitting.number("blocks") * blockBytes;
    isCacheLeast = !given.contains("cache") && fitting.number("cache") * bytes < LEAST_CACHE;
    return isCacheLeast ? fitting.with("cache", LEAST_CACHE / bytes) : fitting;
  }

  /** The requests, of which a Scan of unknown length takes so many rows. */
  public Supplier<RequestStream> requests(Parameters parameters) {
    int unknown = (int) Math.max(1, Math.round(parameters.number("scan.rows")));
    return () -> new Stream(unknown);
  }

  private final class Stream implements RequestStream {
    private final int unknown;
    private int at = -1;

    Stream(int unknown) {
      this.unknown = unknown;
    }

    @Override
    public boolean next() {
      return ++at < requests;
    }

    @Override
    public Kind kind() {
      return KINDS[shapes[at] & (1 << KIND_BITS) - 1];
    }

    @Override
    public int key() {
      return keys[at];
    }

    @Override
    public int rows() {
      int known = shapes[at] >> KIND_BITS;
      return Math.min(tableEnd(keys[at]) - keys[at], known == 0 ? unknown : known);
    }
  }

  /** What is to be known before anything is concluded, a sentence each. */
  public List<String> facts() {
    List<String> facts = new ArrayList<>();
    facts.add(
        String.format(
            Locale.ROOT,
            "%,d operations: %,d Gets, %,d Scans, %,d writes; %,d %s",
            requests,
            ofKind[RequestStream.Kind.GET.ordinal()],
            ofKind[RequestStream.Kind.SCAN.ordinal()],
            ofKind[RequestStream.Kind.PUT.ordinal()],
            rows,
            keysAre == Keys.ORDINALS ? "rows up to the last one" : "rows"));
    if (isCut) {
      facts.add("the trace goes on: --limit takes more of it");
    }
    if (isCacheLeast) {
      facts.add(
          "so few data that the cache is 256 KB, not a part of them: --set cache=... for another");
    }
    facts.addAll(remarks);
    return facts;
  }
}
