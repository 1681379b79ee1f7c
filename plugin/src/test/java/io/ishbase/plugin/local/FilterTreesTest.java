package io.ishbase.plugin.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.testing.Seed;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Random trees of HBase's filters over small tables: what comes of a filter depends on which cells
 * it is asked about, and HBase's lists ask in an order of their own. Reads at which stock HBase
 * throws are passed over. {@code -Dishbase.filter.trees=N} tables; 60 unless said.
 */
class FilterTreesTest {
  private static final int TABLES = Integer.getInteger("ishbase.filter.trees", 60);
  private static final int READS = 60;
  private static final int MOST_DEPTH = 3;

  @TempDir private Path directory;

  private final Random random = new Random(Seed.get());

  @Test
  void treesGiveWhatTheyGiveInHBase() throws Exception {
    int compared = 0;
    for (int table = 0; table < TABLES; table++) {
      List<String> lines = new ArrayList<>();
      try (Script script = new Script(directory)) {
        for (String line : script()) {
          lines.add(line);
          try {
            script.run(line);
          } catch (AssertionError | Exception e) {
            lines.removeIf(each -> each.contains("filter=") && !each.equals(line));
            throw new AssertionError("After\n" + String.join("\n", lines), e);
          }
        }
        compared += script.compared();
      }
    }
    System.out.println("reads compared: " + compared);
    assertThat(compared).isGreaterThan(TABLES * READS / 2);
  }

  private List<String> script() {
    List<String> lines = new ArrayList<>();
    boolean isCached = random.nextBoolean();
    lines.add(
        "table versions="
            + (1 + random.nextInt(3))
            + (random.nextInt(4) == 0 ? " nodes=2 copies" : "")
            + (isCached ? " cache=8388608" : "")
            + (random.nextInt(3) == 0
                ? " ishbase.batch.first.bytes=256 ishbase.batch.max.bytes=512"
                : ""));
    lines.add("lenient");
    for (int files = 1 + random.nextInt(3); files > 0; files--) {
      puts(lines, 3 + random.nextInt(20));
      lines.add("flush");
    }
    if (random.nextBoolean()) {
      puts(lines, 1 + random.nextInt(6));
    }
    for (int i = 0; i < READS; i++) {
      if (isCached && random.nextInt(12) == 0) {
        lines.add("scan");
      }
      lines.add(read());
    }
    if (isCached) {
      lines.add("check");
    }
    return lines;
  }

  private void puts(List<String> lines, int count) {
    for (int i = 0; i < count; i++) {
      String cell = row() + " q" + random.nextInt(4);
      String time = " ts=" + (1 + random.nextInt(6));
      lines.add(
          random.nextInt(20) == 0
              ? "delete " + cell + time
              : "put " + cell + " v" + random.nextInt(6) + time);
    }
  }

  private String read() {
    String filter = tree(random.nextInt(MOST_DEPTH));
    boolean isGet = random.nextInt(5) == 0;
    StringBuilder read = new StringBuilder(isGet ? "get " + row() : "scan");
    // HBase's lazy seeks show a filter a row without a key, at which that may end the scan.
    if (random.nextInt(5) == 0 && !filter.contains("WHILE")) {
      read.append(" columns=q").append(random.nextInt(4)).append(",q").append(random.nextInt(4));
    }
    if (random.nextInt(3) == 0) {
      read.append(" versions=").append(1 + random.nextInt(4));
    }
    if (!isGet && random.nextInt(3) == 0) {
      read.append(" from=").append(row());
    }
    if (!isGet && random.nextInt(5) == 0) {
      read.append(" limit=").append(1 + random.nextInt(4));
    } else if (!isGet && random.nextInt(8) == 0) {
      read.append(" pieces=").append(1 + random.nextInt(200));
    }
    return read + " filter=\"" + filter + "\"";
  }

  private String tree(int depth) {
    if (depth == 0) {
      return leaf();
    }
    if (random.nextInt(3) == 0) {
      // What goes by column, then what remembers cells, then what hints.
      return IntStream.of(0, 1 + random.nextInt(FIRST_CELLS), 0)
          .mapToObj(kind -> kind == 0 ? column() : leaf(kind - 1))
          .collect(Collectors.joining(" AND "));
    }
    return IntStream.range(0, 2 + random.nextInt(2))
        .mapToObj(member -> "(" + tree(depth - 1) + ")")
        .collect(Collectors.joining(random.nextBoolean() ? " AND " : " OR "));
  }

  private String column() {
    String from = "'q" + random.nextInt(3) + "'";
    return switch (random.nextInt(4)) {
      case 0 -> "QualifierFilter(" + order() + ", 'binary:q" + random.nextInt(4) + "')";
      case 1 -> "ColumnPrefixFilter(" + from + ")";
      case 2 -> "MultipleColumnPrefixFilter(" + from + ",'q3')";
      default -> "ColumnRangeFilter(" + from + ", true, 'q3', " + random.nextBoolean() + ")";
    };
  }

  /** Of {@link #leaf(int)}, those that remember cells. */
  private static final int FIRST_CELLS = 9;

  private static final int LEAVES = 21;

  private String leaf() {
    return leaf(random.nextInt(LEAVES));
  }

  private String leaf(int kind) {
    String column = "'q" + random.nextInt(4) + "'";
    String value = "'binary:v" + random.nextInt(6) + "'";
    return switch (kind) {
      case 0 -> "SingleColumnValueFilter('f'," + column + "," + order() + "," + value + ")";
      case 1 -> "SingleColumnValueExcludeFilter('f'," + column + "," + order() + "," + value + ")";
      case 2 -> "FirstKeyOnlyFilter()";
      case 3 -> "ColumnCountGetFilter(" + (1 + random.nextInt(3)) + ")";
      case 4 -> "ColumnPaginationFilter(" + (1 + random.nextInt(2)) + "," + random.nextInt(3) + ")";
      case 5 -> "ColumnsFrom('" + (1 + random.nextInt(2)) + "', " + column + ")";
      case 6 -> "DependentColumnFilter('f'," + column + ")";
      case 7 -> "SKIP ValueFilter(" + order() + ", " + value + ")";
      case 8 -> "ColumnValue(" + column + ", 'v" + random.nextInt(6) + "')";
      case 9 -> "Fuzzy('?" + digit() + "')";
      case 10 -> "Fuzzy('" + digit() + "?')";
      case 11 -> "Fuzzy('" + digit() + digit() + "', '?" + digit() + "')";
      case 12 -> "Ranges('1" + digit() + "', '2" + digit() + "')";
      case 13 -> "PrefixFilter('" + digit() + "')";
      case 14 -> "InclusiveStopFilter('" + digit() + digit() + "')";
      case 15 -> "RowFilter(" + order() + ", 'binary:" + digit() + digit() + "')";
      case 16 -> "TimestampsFilter(1,3,5)";
      case 17 -> "HintedTimestamps('2', '4', '5')";
      case 18 -> "ValueFilter(" + order() + ", " + value + ")";
      case 19 -> "WHILE ValueFilter(" + order() + ", " + value + ")";
      default -> column();
    };
  }

  private String order() {
    return List.of("<", "<=", "=", "!=", ">", ">=").get(random.nextInt(6));
  }

  private String digit() {
    return Integer.toString(1 + random.nextInt(3));
  }

  private String row() {
    return digit() + digit();
  }
}
