package io.ishbase.it.metamorphic;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.IsolationLevel;
import org.apache.hadoop.hbase.client.OperationWithAttributes;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.util.Bytes;

/** The reads of a file of operations: {@code get}, {@code gets} and {@code scan}. */
final class Reads {
  private static final String BETWEEN = "\\.\\.";

  private final FileTime clock;

  Reads(FileTime clock) {
    this.clock = clock;
  }

  static boolean isRead(Line line) {
    return switch (line.verb()) {
      case "get", "gets", "scan" -> true;
      default -> false;
    };
  }

  /**
   * Reads.
   *
   * @param mode an operation's attribute {@code ishbase.read}; null: none
   */
  Answer of(Table table, Line line, String mode) {
    return Answer.of(
        results -> {
          switch (line.verb()) {
            case "get" -> results.add(text(table.get(in(mode, get(line, line.word(0))))));
            case "gets" -> {
              List<Get> gets = new ArrayList<>();
              for (String row : line.words()) {
                gets.add(in(mode, get(line, row)));
              }
              for (Result result : table.get(gets)) {
                results.add(text(result));
              }
            }
            case "scan" -> scan(table, in(mode, scan(line)), results);
            default -> throw new IllegalArgumentException("No read: " + line);
          }
        });
  }

  private static <T extends OperationWithAttributes> T in(String mode, T operation) {
    if (mode != null) {
      operation.setAttribute("ishbase.read", Bytes.toBytes(mode));
    }
    return operation;
  }

  /** The Get of one row that the line describes. */
  Get get(Line line, String row) throws IOException {
    Get get = new Get(Bytes.toBytes(row));
    for (CellText column : columns(line)) {
      if (column.qualifier() == null) {
        get.addFamily(column.familyBytes());
      } else {
        get.addColumn(column.familyBytes(), column.qualifierBytes());
      }
    }
    get.readVersions(line.number("versions", 1));
    String time = line.option("time");
    if (time != null) {
      get.setTimeRange(from(time), to(time));
    }
    get.setMaxResultsPerColumnFamily(line.number("per-family", -1));
    get.setRowOffsetPerColumnFamily(line.number("offset", 0));
    get.setFilter(filter(line));
    get.setCacheBlocks(!"false".equals(line.option("cache")));
    get.setIsolationLevel(isolation(line));
    get.setCheckExistenceOnly("true".equals(line.option("exists")));
    return get;
  }

  Scan scan(Line line) throws IOException {
    // Of no row: what Gets and scans share.
    Scan scan = new Scan(get(line, "none"));
    scan.withStartRow(HConstants.EMPTY_START_ROW, true);
    scan.withStopRow(HConstants.EMPTY_END_ROW, false);
    scan.setReversed(line.has("reversed"));
    if (line.option("from") != null) {
      scan.withStartRow(Bytes.toBytes(line.option("from")), true);
    } else if (line.option("behind") != null) {
      scan.withStartRow(Bytes.toBytes(line.option("behind")), false);
    }
    if (line.option("to") != null) {
      scan.withStopRow(Bytes.toBytes(line.option("to")), false);
    } else if (line.option("through") != null) {
      scan.withStopRow(Bytes.toBytes(line.option("through")), true);
    }
    scan.setRaw(line.has("raw"));
    String familyTime = line.option("family-time");
    if (familyTime != null) {
      String[] parts = familyTime.split(":", 2);
      scan.setColumnFamilyTimeRange(Bytes.toBytes(parts[0]), from(parts[1]), to(parts[1]));
    }
    scan.setLimit(line.number("limit", -1));
    if (line.option("batch") != null) {
      scan.setBatch(line.number("batch", -1));
    }
    scan.setCaching(line.number("caching", -1));
    scan.setMaxResultSize(line.number("bytes", -1));
    scan.setAllowPartialResults(line.has("partial"));
    if (line.option("type") != null) {
      scan.setReadType(Scan.ReadType.valueOf(line.option("type")));
    }
    return scan;
  }

  private static List<CellText> columns(Line line) {
    String columns = line.option("columns");
    return columns == null
        ? List.of()
        : List.of(columns.split(",")).stream().map(CellText::of).toList();
  }

  private long from(String range) {
    return clock.timestamp(Integer.parseInt(range.split(BETWEEN)[0]));
  }

  private long to(String range) {
    String[] ends = range.split(BETWEEN);
    return ends.length == 1 ? Long.MAX_VALUE : clock.timestamp(Integer.parseInt(ends[1]));
  }

  private Filter filter(Line line) {
    String text = line.option("filter");
    return text == null ? null : FilterNames.parse(clock.withTimestamps(text));
  }

  private static IsolationLevel isolation(Line line) {
    return line.has("uncommitted")
        ? IsolationLevel.READ_UNCOMMITTED
        : IsolationLevel.READ_COMMITTED;
  }

  private void scan(Table table, Scan scan, List<String> results) throws IOException {
    try (ResultScanner scanner = table.getScanner(scan)) {
      for (Result result : scanner) {
        add(scan, result, results);
      }
    }
  }

  // Where a partial result ends depends on the size of cells in the server's memory: there only the
  // cells are answers.
  private void add(Scan scan, Result result, List<String> results) {
    if (scan.getAllowPartialResults() || scan.getBatch() > 0) {
      for (Cell cell : result.rawCells()) {
        results.add(text(cell));
      }
    } else {
      results.add(text(result));
    }
  }

  /** A result on one line. */
  String text(Result result) {
    if (result.getExists() != null) {
      return "exists " + result.getExists();
    }
    StringBuilder text = new StringBuilder();
    for (Cell cell : result.rawCells()) {
      text.append(text.isEmpty() ? "" : " ").append(text(cell));
    }
    return text.isEmpty() ? "nothing" : text.toString();
  }

  /** Reads a Get or a scan at the regions; what mode is: {@link #of(Table, Line, String)}. */
  Answer of(RegionTable table, Line line, String mode) {
    return Answer.of(
        results -> {
          if (line.verb().equals("get")) {
            results.add(text(table.get(in(mode, get(line, line.word(0))))));
            return;
          }
          Scan scan = in(mode, scan(line));
          table.scan(scan, result -> add(scan, result, results));
        });
  }

  private String text(Cell cell) {
    return Bytes.toStringBinary(CellUtil.cloneRow(cell))
        + "/"
        + Bytes.toString(CellUtil.cloneFamily(cell))
        + ":"
        + Bytes.toStringBinary(CellUtil.cloneQualifier(cell))
        + "@"
        + clock.text(cell.getTimestamp())
        + (cell.getType() == Cell.Type.Put ? "" : "/" + cell.getType())
        + "="
        + Bytes.toStringBinary(CellUtil.cloneValue(cell));
  }
}
