package io.ishbase.it;

import static io.ishbase.it.MiniCluster.in;

import io.ishbase.core.Reason;
import io.ishbase.it.metamorphic.Answer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
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
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Reads stock and in-storage, some also over the route that the gate chooses, and demands the same
 * cells, from the storage nodes. What stock refuses, in-storage must refuse alike, after the same
 * results. What may differ is a {@link KnownDifference}.
 */
final class Comparison {
  private static final Map<KnownDifference, Integer> KNOWN =
      Collections.synchronizedMap(new EnumMap<>(KnownDifference.class));

  private final Random random;
  private final Supplier<List<String>> history;
  private final boolean mayFallBack;

  /**
   * @param history how the table came to be, a change a line, for the message of a failure
   */
  Comparison(Random random, Supplier<List<String>> history) {
    this(random, history, false);
  }

  private Comparison(Random random, Supplier<List<String>> history, boolean mayFallBack) {
    this.random = random;
    this.history = history;
    this.mayFallBack = mayFallBack;
  }

  /** One that also takes cells over HBase's own path, of many threads. */
  static Comparison wherever(Random random, Supplier<List<String>> history) {
    return new Comparison(random, history, true);
  }

  /** How often each known difference was met by all comparisons so far. */
  static Map<KnownDifference, Integer> known() {
    return KNOWN;
  }

  void of(Table table, Get get) {
    compare(
        table, get, mode -> answer(found -> found.add(text(table.get(in(mode, new Get(get)))))));
  }

  void of(Table table, List<Get> gets) {
    compare(table, gets, mode -> answer(found -> getAll(table, mode, gets, found)));
  }

  void of(Table table, Scan scan) {
    compare(table, scan, mode -> answer(found -> scan(table, in(mode, new Scan(scan)), found)));
  }

  private static void getAll(Table table, String mode, List<Get> gets, List<String> found)
      throws IOException {
    List<Get> copies = gets.stream().map(get -> in(mode, new Get(get))).toList();
    Stream.of(table.get(copies)).map(Comparison::text).forEach(found::add);
  }

  private void compare(Table table, Object query, Function<String, Answer> reader) {
    StockAnswers stock = new StockAnswers(table, query, reader);
    check(MiniCluster.IN_STORAGE, stock, reader);
    // Once more: what the first reading left in the segment cache serves the second.
    check(MiniCluster.IN_STORAGE, stock, reader);
    if (random.nextInt(4) == 0) {
      check(MiniCluster.AUTO, stock, reader);
    }
  }

  private void check(String mode, StockAnswers answers, Function<String, Answer> reader) {
    Answer stock = answers.usual();
    Map<Reason, Long> counted = ReadCheck.fallbacks();
    Answer answer = reader.apply(mode);
    if (stock.isRefused()) {
      // The daemon, too, reads with HBase's classes. What failed is to be read there again.
      NodesBean.forgetFailures();
    }
    Set<Reason> reasons = ReadCheck.since(counted);
    // A filter may throw at the daemon, at cells that HBase's matcher does not show it.
    reasons.remove(Reason.FILTER);
    reasons.remove(Reason.REVERSED_HALF);
    boolean isInStorage = mayFallBack || stock.isRefused() || reasons.isEmpty();
    boolean hangs = stock.threwIn("Timeout");
    if (isInStorage && !hangs && (stock.equals(answer) || isKnown(answers, answer))) {
      return;
    }
    String difference =
        String.join("\n", history.get())
            + "\nquery      "
            + answers.query()
            + "\nstock      "
            + stock
            + "\n"
            + mode
            + " "
            + answer
            + "\nthe same query again "
            + (answer.equals(reader.apply(mode)) ? "agrees" : "differs")
            + "; went HBase's own way for "
            + reasons
            + "\nstock without lazy seeks "
            + (hangs ? "" : answers.withoutLazySeeks());
    throw new AssertionError(mode + " differs from stock, or fell back\n" + difference);
  }

  private static boolean isKnown(StockAnswers stock, Answer answer) {
    for (KnownDifference difference : KnownDifference.values()) {
      if (difference.explains(stock, answer)) {
        KNOWN.merge(difference, 1, Integer::sum);
        return true;
      }
    }
    return false;
  }

  static Answer answer(Answer.Asking reading) {
    List<String> results = new ArrayList<>();
    try {
      reading.into(results);
      return new Answer(results, null, null);
    } catch (IOException | RuntimeException e) {
      return Answer.failure(results, e);
    }
  }

  // Where a partial result ends depends on the size of cells in the server's memory, which differs
  // from one read of a block to the next in stock HBase too: there only the cells are compared.
  static void scan(Table table, Scan scan, List<String> results) throws IOException {
    boolean asCells = scan.getAllowPartialResults() || scan.getBatch() > 0;
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
  }

  static String text(Result result) {
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
