package io.ishbase.plugin.local;

import io.ishbase.plugin.metrics.InStorageMetrics;
import io.ishbase.testing.Seed;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random scripts: what the storage nodes give is what HBase reads, whatever the table, the read and
 * the faults. A script that fails is shown; as a golden file it stays.
 */
class RandomScriptTest {
  private static final int LINES = 300;
  private static final int MOST_RUNS = 300;
  private static final List<String> FILTERS =
      List.of(
          "QualifierFilter(>, 'binary:q1')",
          "PrefixFilter('r1')",
          "ValueFilter(!=, 'substring:3')",
          "ColumnPrefixFilter('q')",
          "ColumnRangeFilter('q1', true, 'q3', false)",
          "SingleColumnValueFilter('f','q1',>,'binary:v3')",
          "SingleColumnValueExcludeFilter('f','q1',<,'binary:v7')",
          "FirstKeyOnlyFilter()",
          "KeyOnlyFilter()",
          "PageFilter(3)",
          "ColumnCountGetFilter(2)",
          "ColumnPaginationFilter(2,1)",
          "TimestampsFilter(1,3,5,7)",
          "InclusiveStopFilter('r3')",
          "DependentColumnFilter('f','q2')",
          "SKIP ValueFilter(!=, 'binary:v2')",
          "WHILE RowFilter(<, 'binary:r4')",
          "WHILE RowFilter(!=, 'binary:r2')",
          "WHILE ValueFilter(!=, 'binary:v5')",
          "Prefix('r2\\x00')",
          "RowFilter(=, 'regexstring:[024]') AND ValueFilter(>, 'binary:v2')",
          "QualifierFilter(=, 'binary:q0') OR TimestampsFilter(2,4)",
          "PageFilter(2) AND KeyOnlyFilter()",
          "Fuzzy('r?', 's?')",
          "Fuzzy('?2', 'r4')",
          "Fuzzy('?3') AND ValueFilter(!=, 'binary:v4')",
          "Fuzzy('?1') OR QualifierFilter(=, 'binary:q2')",
          "SKIP Fuzzy('?1', '?2')",
          "Ranges('r1', 'r2', 'r4', 'r5')",
          "Ranges('r0', 'r1', 'r3', 'r4') AND ColumnPaginationFilter(1,1)",
          "HintedTimestamps('2', '4', '6', '8')",
          "SKIP HintedTimestamps('1', '2', '3')",
          "HintedTimestamps('5', '7') OR ValueFilter(=, 'binary:v1')",
          "ColumnsFrom('2', 'q1')",
          "ColumnPaginationFilter(2147483647,1)",
          "ColumnPaginationFilter(1,0) AND ValueFilter(>, 'binary:v3')",
          "ColumnValue('q1', 'v3')",
          "ColumnValue('q0', 'v5') OR ColumnValue('q2', 'v5')",
          "AnyVersion('q1', 'v3')",
          "AnyVersion('q1', 'v5') AND PageFilter(2)",
          "Lengths()",
          "Lengths() AND ColumnPrefixFilter('q')",
          "FirstMatching('q1', 'q2')",
          "FirstKeyOnlyFilter() AND PageFilter(2)",
          "SKIP QualifierFilter(!=, 'binary:q3')",
          "SKIP TimestampsFilter(1,2,3,4,5,6)",
          "MultipleColumnPrefixFilter('q1','q3')",
          "ColumnRangeFilter('q1', true, 'q2', true) OR ColumnRangeFilter('q4', true, 'q5', false)",
          "ColumnCountGetFilter(3) AND ValueFilter(>, 'binary:v1')",
          "FamilyFilter(=, 'binary:f')",
          "FamilyFilter(=, 'binary:g') OR ValueFilter(=, 'binary:v3')",
          "RowFilter(>=, 'binary:r2') AND FirstKeyOnlyFilter()",
          "SingleColumnValueFilter('f','q0',=,'binary:v3',true,false) OR RowFilter(=, 'binary:r1')",
          "SingleColumnValueFilter('f','q0',!=,'binary:v3',true,true) AND ColumnPaginationFilter(2,0)");

  private static final List<String> MARKERS =
      List.of("-", "-version", "-family", "-family-version");

  private static final List<String> RULES =
      List.of(
          "more-versions",
          "one-version",
          "for-ever",
          "less-long",
          "keep",
          "keep-ttl",
          "keep-none",
          "at-least-two",
          "at-least-none");

  @TempDir private Path directory;

  private final Random random = new Random(Seed.get());
  private String row = "r%d";
  private boolean namesColumns;
  private boolean hasTwoFamilies;
  private boolean hasOtherRules;
  private boolean isSplit;
  private boolean expires;
  private int firstRow;
  private int rows = 6;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "table versions=1",
        "table versions=3",
        "table versions=3 ishbase.batch.first.bytes=256 ishbase.batch.max.bytes=512",
        "table versions=2 nodes=3 block=64",
        "table versions=3 nodes=2 copies ishbase.batch.first.bytes=256 ishbase.batch.max.bytes=512",
        "table versions=2 nodes=2 copies cache=8388608 ishbase.batch.first.bytes=256 ishbase.batch.max.bytes=512",
        "table versions=2 two nodes=3 copies ishbase.batch.first.bytes=256 ishbase.batch.max.bytes=512",
        "table packed versions=3 two nodes=2 copies encoding=DIFF ishbase.batch.first.bytes=256",
        "table versions=2 nodes=2 copies cache=8388608 block=1024 ishbase.batch.first.bytes=256",
        "table rules versions=2 ttl=1 nodes=2 copies cache=8388608",
        "table versions=2 nodes=2 copies bloom=ROWCOL encoding=FAST_DIFF cache=8388608 halves-top",
        "table versions=3 nodes=2 copies ishbase.verify.share=1 ishbase.batch.first.bytes=256",
        "table packed versions=3 nodes=2 cache=8388608 keep-deleted ttl=1",
        "table versions=3 cache=8388608",
        "table versions=1 cache=8388608 ishbase.batch.first.bytes=256",
        "table versions=2 ttl=1 cache=8388608",
        "table versions=2 two ttl=1 cache=8388608",
        "table versions=2 ttl=1 cache=8388608 block=1024",
        "table versions=2 nodes=2 copies cache=65536 block=1024",
        "table versions=3 keep-deleted cache=8388608",
        "table versions=3 min-versions=1 ttl=1",
        "table versions=2 new-versions cache=8388608",
        "table versions=3 nodes=2 cache=8388608",
        "table versions=2 start=r1 end=r4 cache=8388608",
        "table versions=2 cache=8388608 block=1024",
        "table versions=3 cache=8388608 bloom=ROWCOL",
        "table versions=2 two cache=8388608 bloom=ROWCOL encoding=FAST_DIFF",
        "table versions=3 two ishbase.batch.first.bytes=256 ishbase.batch.max.bytes=512",
        "table versions=2 memory=EAGER cache=8388608 hbase.memstore.inmemoryflush.threshold.factor=0.000002",
        "table versions=3 memory=ADAPTIVE cache=8388608 bloom=NONE encoding=DIFF hbase.memstore.inmemoryflush.threshold.factor=0.000002",
        "table versions=2 memory=AUTO cache=8388608 hbase.hregion.memstore.mslab.chunksize=64 hbase.hregion.memstore.flush.size=4096",
        "table versions=3 memory=AUTO nodes=2 hbase.hregion.memstore.mslab.chunksize=64 hbase.hregion.memstore.flush.size=4096",
        "table versions=3 keep-deleted-ttl ttl=1 min-versions=2 cache=8388608",
        "table versions=2 nodes=2 two cache=8388608 bloom=ROWCOL encoding=ROW_INDEX_V1",
        "table versions=1 min-versions=1 ttl=1 cache=8388608 encoding=PREFIX",
        "table versions=3 keep-deleted ishbase.batch.first.bytes=256 ishbase.batch.max.bytes=512",
        "table versions=3 cache=8388608 halves-top",
        "table versions=2 two bloom=ROWCOL cache=8388608 ishbase.batch.first.bytes=256 halves-bottom",
        "table versions=2 bloom=ROWPREFIX_FIXED_LENGTH RowPrefixBloomFilter.prefix_length=2",
        "table versions=2 nodes=3 cache=8388608 memory=BASIC",
        "table packed versions=2 block=1024",
        "table rules versions=1 cache=8388608",
        "table rules versions=2 ttl=1 cache=8388608",
        "table rules versions=3 ttl=1 min-versions=1 cache=8388608 bloom=ROWCOL",
        "table rules versions=2 keep-deleted cache=8388608",
        "table rules versions=2 ttl=1 nodes=2 ishbase.batch.first.bytes=256",
        "table versions=3 nodes=3 cache=8388608 ishbase.batch.first.bytes=256 ishbase.batch.max.bytes=512",
        "table versions=2 nodes=2 cache=8388608 block=1024",
        "table versions=3 nodes=3 cache=8388608 block=1024 ishbase.batch.first.bytes=256",
        "table versions=3 ishbase.verify.share=1 ishbase.batch.first.bytes=256",
        "table versions=2 two nodes=2 cache=8388608 ishbase.verify.share=1",
        "table versions=3 keep-deleted cache=8388608 memory=AUTO ishbase.verify.share=1",
        "table rules versions=2 nodes=3 cache=8388608 block=1024 ishbase.verify.share=1"
      })
  void readsAreThoseOfHBase(String table) throws Exception {
    // There HBase seeks a named column's next where it stands, and may not get on.
    namesColumns = !table.contains("new-versions");
    expires = table.contains("ttl=1");
    hasTwoFamilies = table.contains(" two");
    hasOtherRules = table.contains(" rules");
    if (table.contains("start=r1 end=r4")) {
      firstRow = 1;
      rows = 3;
    }
    List<String> lines = new ArrayList<>(List.of(table.replaceAll(" halves-.*", "")));
    if (table.contains("block=1024")) {
      // Runs of cached rows, and gaps between them.
      row = "%04d";
      rows = 200;
      lines.addAll(List.of("fill 200 2 30", "flush"));
    }
    if (table.contains("cache=")) {
      // What HBase reads comes into the cache, too.
      lines.add("prefer-blocks");
    }
    while (lines.size() < LINES) {
      if (lines.size() == LINES / 2 && table.contains(" halves-")) {
        boolean top = table.endsWith("top");
        lines.add("split r3" + (top ? " top" : ""));
        isSplit = true;
        firstRow = top ? 3 : 0;
        rows = 3;
      }
      lines.add(line());
    }
    lines.add("check");
    long differences = differences();
    Throwable failure = failure(lines);
    if (failure == null && differences() > differences) {
      throw new AssertionError("A read was corrected after\n" + String.join("\n", lines));
    }
    if (failure != null) {
      List<String> shrunk = shrunk(lines, failure);
      throw new AssertionError("After\n" + String.join("\n", shrunk), failure(shrunk));
    }
  }

  private static long differences() {
    return InStorageMetrics.get().differences() + InStorageMetrics.get().passingDifferences();
  }

  /** What ends the script; null: nothing does. */
  private Throwable failure(List<String> lines) throws Exception {
    try (Script script = new Script(directory)) {
      for (String line : lines) {
        script.run(line);
      }
      return null;
    } catch (IOException | AssertionError | RuntimeException e) {
      return e;
    }
  }

  /** As few lines as a bounded search finds that fail in the same way. */
  private List<String> shrunk(List<String> failing, Throwable failure) throws Exception {
    List<String> lines = failing;
    int runs = 0;
    for (int chunk = lines.size() / 2; chunk > 0; chunk /= 2) {
      for (int from = 1; from < lines.size() && runs < MOST_RUNS; runs++) {
        List<String> fewer = new ArrayList<>(lines.subList(0, from));
        fewer.addAll(lines.subList(Math.min(lines.size(), from + chunk), lines.size()));
        Throwable still = failure(fewer);
        if (still != null && still.getClass() == failure.getClass()) {
          lines = fewer;
        } else {
          from += chunk;
        }
      }
    }
    return lines;
  }

  private String line() {
    return switch (random.nextInt(24)) {
      case 0, 1, 2, 3, 4 ->
          "put "
              + row()
              + " "
              + column()
              + " v"
              + random.nextInt(9)
              + " ts="
              + ts()
              + (random.nextInt(20) == 0 ? " ttl=" + (1 + random.nextInt(900)) : "");
      case 5 ->
          row.startsWith("%") && random.nextInt(8) == 0
              ? "fill 200 2 30"
              : "put " + row() + " " + column() + " " + "x".repeat(1 + random.nextInt(300));
      case 6 -> "delete " + row() + (random.nextBoolean() ? " " + column() : "") + " ts=" + ts();
      case 7 ->
          "delete " + row() + (random.nextInt(5) > 0 ? " " + column() : "") + " version ts=" + ts();
      case 8 -> {
        int kind = random.nextInt(12);
        yield kind < 8
            ? kind == 0 ? "fail-sync" : "flush"
            : kind == 8
                ? "compact"
                : kind < 11 ? "compact minor" : random.nextInt(4) == 0 ? "reopen" : "mark";
      }
      case 22 ->
          "load "
              + row()
              + " "
              + column()
              + " "
              + (random.nextInt(4) == 0
                  ? MARKERS.get(random.nextInt(MARKERS.size()))
                  : "v" + random.nextInt(9))
              + " ts="
              + ts()
              + (random.nextInt(4) == 0 ? " times=" + (2 + random.nextInt(40)) : "");
      case 23 ->
          random.nextInt(3) == 0
              ? "append " + row() + " " + column() + " v" + random.nextInt(9)
              : random.nextInt(3) == 0
                  ? "increment " + row() + " c"
                  : switch (random.nextInt(6)) {
                    case 0 -> "mark";
                    case 1, 2 -> "replica";
                    case 3 -> "replicate entries=" + (1 + random.nextInt(5));
                    default -> "replicate";
                  };
      case 9 -> random.nextInt(3) > 0 ? "forget" : "sleep " + random.nextInt(700);
      case 10 -> "fail " + fault() + " " + fault() + " " + fault();
      case 11, 12, 13 ->
          "get "
              + row()
              + (random.nextInt(3) == 0 ? "" : read())
              + (random.nextInt(4) == 0 ? " auto" : "")
              + (random.nextInt(10) == 0 ? " of-replica" : "");
      case 14 ->
          "multi "
              + row()
              + " "
              + row()
              + " "
              + row()
              + read()
              + (random.nextInt(10) == 0 ? " of-replica" : "");
      case 15 ->
          "next "
              + scanner()
              + " "
              + (1 + random.nextInt(3))
              + (random.nextInt(3) == 0 ? " during=\"" + change() + "\"" : "");
      case 16 ->
          switch (random.nextInt(8)) {
            case 0 -> "check";
            case 1 -> "explain get " + row() + read();
            case 2 ->
                "explain " + scan().replace(" of-replica", "").replaceAll(" pieces=[0-9]+", "");
            case 3 -> "close " + scanner();
            // After a flush HBase itself loses a row of a reverse scan (HBASE-29254), and which one
            // depends on the cells that its scanners stand at.
            default ->
                scan()
                    .replace(" reversed", "")
                    .replaceAll(" pieces=[0-9]+", "")
                    .replace("scan", "open " + scanner());
          };
      default -> scan();
    };
  }

  /** What happens to files and memstore. */
  private String change() {
    return switch (random.nextInt(6)) {
      case 0, 1 -> "flush";
      case 2 -> "compact";
      case 3 -> "compact minor";
      case 4 -> "load " + row() + " " + column() + " v" + random.nextInt(9) + " ts=" + ts();
      default -> "delete " + row() + " " + column() + " version ts=" + ts();
    };
  }

  private String scan() {
    String low = row();
    String high = row();
    StringBuilder scan = new StringBuilder("scan").append(read());
    // HBase's fuzzy filter may loop for ever in a reverse scan over rows longer than its keys.
    boolean reversed = !isSplit && scan.indexOf("Fuzzy") < 0 && random.nextInt(4) == 0;
    if (random.nextBoolean()) {
      scan.append(random.nextInt(4) == 0 ? " behind=" : " from=")
          .append(reversed ? max(low, high) : min(low, high));
    }
    if (random.nextInt(3) == 0) {
      scan.append(random.nextInt(3) == 0 ? " through=" : " to=")
          .append(reversed ? min(low, high) : max(low, high));
    }
    if (reversed) {
      scan.append(" reversed");
    }
    if (random.nextInt(4) == 0) {
      scan.append(" limit=").append(1 + random.nextInt(5));
    }
    if (random.nextInt(6) == 0) {
      scan.append(" per-row=").append(1 + random.nextInt(3));
    }
    if (random.nextInt(6) == 0 && scan.indexOf("filter") < 0) {
      scan.append(" batch=").append(1 + random.nextInt(3));
    }
    if (random.nextInt(10) == 0 && scan.indexOf("columns") < 0 && scan.indexOf("filter") < 0) {
      scan.append(" raw");
    }
    if (random.nextInt(10) == 0 && scan.indexOf("limit") < 0 && scan.indexOf("batch") < 0) {
      scan.append(" pieces=").append(1 + random.nextInt(300));
    }
    // In a reverse scan HBase may show what is newer than the read point.
    if (random.nextInt(8) == 0 && scan.indexOf("reversed") < 0) {
      scan.append(" marked");
    }
    if (random.nextInt(10) == 0) {
      scan.append(" uncommitted");
    }
    if (random.nextInt(10) == 0) {
      scan.append(" of-replica");
    }
    if (hasTwoFamilies && random.nextInt(4) == 0) {
      scan.append(" on-demand");
    }
    if (random.nextInt(8) == 0) {
      scan.append(" offset=").append(random.nextInt(3));
    }
    return scan.toString();
  }

  private static String min(String some, String other) {
    return some.compareTo(other) < 0 ? some : other;
  }

  private static String max(String some, String other) {
    return some.compareTo(other) < 0 ? other : some;
  }

  private String read() {
    StringBuilder read = new StringBuilder();
    if (namesColumns && random.nextInt(3) == 0) {
      read.append(" columns=").append(column());
      if (random.nextBoolean()) {
        read.append(',').append(column());
      }
    }
    if (random.nextInt(3) == 0) {
      read.append(" versions=").append(1 + random.nextInt(4));
    }
    if (random.nextInt(5) == 0) {
      int from = expires ? -1400 + 100 * random.nextInt(8) : random.nextInt(8);
      read.append(random.nextInt(3) == 0 ? " time-of-f=" : " time=");
      read.append(from).append(',').append(from + (expires ? 100 : 1) * (1 + random.nextInt(5)));
    }
    if (hasTwoFamilies && random.nextInt(3) == 0 && read.indexOf("columns") < 0) {
      read.append(" family=").append(random.nextBoolean() ? "f" : "g");
    }
    if (random.nextInt(4) == 0) {
      read.append(" filter=\"").append(slice()).append('"');
    } else if (random.nextInt(3) == 0) {
      String filter = FILTERS.get(random.nextInt(FILTERS.size()));
      if (filter.startsWith("Prefix")) {
        // HBase's lazy seek shows it an empty row, on which it throws.
        read.setLength(0);
      }
      read.append(" filter=\"").append(filter).append('"');
    }
    if (random.nextInt(8) == 0) {
      read.append(" no-cache");
    }
    if (random.nextInt(8) == 0) {
      read.append(" auto");
    }
    if (hasOtherRules && random.nextInt(3) == 0) {
      read.append(" rules=").append(rule());
      if (random.nextBoolean()) {
        read.append(',').append(rule());
      }
    }
    return read.toString();
  }

  private String rule() {
    return RULES.get(random.nextInt(RULES.size()));
  }

  /** A filter that keeps to some columns, alone or with others. */
  private String slice() {
    String slice =
        switch (random.nextInt(6)) {
          case 0 ->
              "ColumnPrefixFilter('q" + (random.nextBoolean() ? "" : random.nextInt(5)) + "')";
          case 1 -> "MultipleColumnPrefixFilter('q0','q" + (1 + random.nextInt(4)) + "')";
          case 2 ->
              "QualifierFilter("
                  + List.of("=", "<", "<=", ">", ">=").get(random.nextInt(5))
                  + ", 'binary:q"
                  + random.nextInt(5)
                  + "')";
          default ->
              "ColumnRangeFilter('"
                  + (random.nextInt(5) == 0 ? "" : "q" + random.nextInt(3))
                  + "', "
                  + random.nextBoolean()
                  + ", '"
                  + (random.nextInt(5) == 0 ? "" : "q" + (2 + random.nextInt(3)))
                  + "', "
                  + random.nextBoolean()
                  + ")";
        };
    return switch (random.nextInt(8)) {
      case 0 -> slice + " AND ColumnPaginationFilter(" + (1 + random.nextInt(3)) + ",0)";
      case 1 -> slice + " AND ColumnCountGetFilter(" + (1 + random.nextInt(3)) + ")";
      case 2 -> slice + " AND ValueFilter(!=, 'binary:v4')";
      case 3 -> slice + " OR ColumnPrefixFilter('q" + random.nextInt(5) + "')";
      default -> slice;
    };
  }

  private String fault() {
    // In a range without an end no row lies beyond it; and that there are other cells than in the
    // file cannot be seen.
    Set<LocalDaemons.Fault> faults = EnumSet.allOf(LocalDaemons.Fault.class);
    faults.removeAll(
        EnumSet.of(
            LocalDaemons.Fault.BEYOND,
            LocalDaemons.Fault.HUGE,
            LocalDaemons.Fault.WRONG_VALUE,
            LocalDaemons.Fault.ROW_LOST,
            LocalDaemons.Fault.CELL_LOST,
            LocalDaemons.Fault.CELL_MORE));
    return (random.nextBoolean()
            ? LocalDaemons.Fault.NONE
            : List.copyOf(faults).get(random.nextInt(faults.size())))
        .name();
  }

  private String scanner() {
    return "s" + random.nextInt(2);
  }

  private String row() {
    return String.format(row, firstRow + random.nextInt(rows))
        + (random.nextInt(10) == 0 ? "\\x00" : "");
  }

  // None without a qualifier: whether HBase sees the family's delete markers among its versions
  // depends on where blocks end.
  private String column() {
    return (hasTwoFamilies && random.nextInt(3) == 0 ? "g:" : "") + "q" + random.nextInt(5);
  }

  private int ts() {
    return expires ? -1 - 100 * random.nextInt(15) : 1 + random.nextInt(9);
  }
}
