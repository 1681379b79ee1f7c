package io.ishbase.it;

import io.ishbase.core.Reason;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.regionserver.LazySeek;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Reads stock and in-storage, some also over the route that the gate chooses, and demands the same
 * cells, from the storage nodes. What stock refuses, in-storage must refuse alike.
 */
final class Comparison {
  /** What stock HBase throws when it scans backwards over half of a file that has no cells. */
  private static final String EMPTY_HALF = "on an empty half";

  private static final List<String> EMPTY_HALF_MESSAGES =
      List.of("Seeking for a key in bottom of file", "java.lang.NullPointerException");

  private final Random random;
  private final Supplier<List<String>> history;

  /**
   * @param history how the table came to be, a change a line, for the message of a failure
   */
  Comparison(Random random, Supplier<List<String>> history) {
    this.random = random;
    this.history = history;
  }

  void of(Table table, Get get) {
    compare(
        get, mode -> answer(() -> List.of(text(table.get(MiniCluster.in(mode, new Get(get)))))));
  }

  void of(Table table, List<Get> gets) {
    compare(gets, mode -> answer(() -> getAll(table, mode, gets)));
  }

  void of(Table table, Scan scan) {
    compare(scan, mode -> answer(() -> scan(table, MiniCluster.in(mode, new Scan(scan)))));
  }

  private static List<String> getAll(Table table, String mode, List<Get> gets) throws IOException {
    List<Get> copies = gets.stream().map(get -> MiniCluster.in(mode, new Get(get))).toList();
    return Stream.of(table.get(copies)).map(Comparison::text).toList();
  }

  private void compare(Object query, Function<String, List<String>> reader) {
    List<String> stock = reader.apply(MiniCluster.STOCK);
    check(MiniCluster.IN_STORAGE, stock, query, reader);
    // Once more: what the first reading left in the segment cache serves the second.
    check(MiniCluster.IN_STORAGE, stock, query, reader);
    if (random.nextInt(4) == 0) {
      check(MiniCluster.AUTO, stock, query, reader);
    }
  }

  private void check(
      String mode, List<String> stock, Object query, Function<String, List<String>> reader) {
    Map<Reason, Long> counted = ReadCheck.fallbacks();
    List<String> answer = reader.apply(mode);
    boolean isRefused = !stock.isEmpty() && stock.get(0).startsWith("threw");
    if (isRefused) {
      // The daemon, too, reads with HBase's classes. What failed is to be read there again.
      NodesBean.forgetFailures();
      if (stock.get(0).contains(EMPTY_HALF)) {
        return;
      }
    }
    Set<Reason> reasons = ReadCheck.since(counted);
    // A filter may throw at the daemon, at cells that HBase's matcher does not show it.
    reasons.remove(Reason.FILTER);
    reasons.remove(Reason.REVERSED_HALF);
    boolean hangs = stock.toString().contains("Timeout");
    boolean isInStorage = isRefused || reasons.isEmpty();
    if (stock.equals(answer) && isInStorage && !hangs) {
      return;
    }
    List<String> eager = hangs ? List.of() : withoutLazySeeks(reader);
    if (isRefused && eager.equals(answer)) {
      // HBase's lazy seeks break some reads; in-storage reads have none and need not break too.
      return;
    }
    String difference =
        String.join("\n", history.get())
            + "\nquery      "
            + query
            + "\nstock      "
            + String.join("\n           ", stock)
            + "\n"
            + mode
            + " "
            + String.join("\n           ", answer)
            + "\nthe same query again "
            + (answer.equals(reader.apply(mode)) ? "agrees" : "differs")
            + "; went HBase's own way for "
            + reasons
            + "\nstock without lazy seeks "
            + String.join("\n           ", eager);
    // A hanging read keeps the cluster from stopping: said at once.
    System.out.println(difference);
    throw new AssertionError(mode + " differs from stock, or fell back\n" + difference);
  }

  private static List<String> withoutLazySeeks(Function<String, List<String>> reader) {
    LazySeek.enable(false);
    try {
      return reader.apply(MiniCluster.STOCK);
    } finally {
      LazySeek.enable(true);
    }
  }

  private interface Query {
    List<String> run() throws IOException;
  }

  private static List<String> answer(Query query) {
    try {
      return query.run();
    } catch (IOException | RuntimeException e) {
      Throwable root = e;
      while (root.getCause() != null) {
        root = root.getCause();
      }
      return List.of(
          EMPTY_HALF_MESSAGES.stream().anyMatch(String.valueOf(root.getMessage())::contains)
              ? "threw " + EMPTY_HALF
              : "threw " + root.getClass().getName());
    }
  }

  // Where a partial result ends depends on the size of cells in the server's memory, which differs
  // from one read of a block to the next in stock HBase too: there only the cells are compared.
  private static List<String> scan(Table table, Scan scan) throws IOException {
    boolean asCells = scan.getAllowPartialResults() || scan.getBatch() > 0;
    List<String> results = new ArrayList<>();
    try (ResultScanner scanner = table.getScanner(scan)) {
      for (Result result : scanner) {
        if (asCells) {
          for (Cell cell : result.rawCells()) {
            results.add(text(cell));
          }
        } else {
          results.add(text(result));
        }
      }
    }
    return results;
  }

  private static String text(Result result) {
    if (result.getExists() != null) {
      return "exists " + result.getExists();
    }
    StringBuilder text = new StringBuilder();
    for (Cell cell : result.rawCells()) {
      text.append(text(cell)).append("; ");
    }
    return text.append(result.mayHaveMoreCellsInRow()).toString();
  }

  private static String text(Cell cell) {
    return CellUtil.getCellKeyAsString(cell)
        + "="
        + Bytes.toStringBinary(CellUtil.cloneValue(cell));
  }
}
