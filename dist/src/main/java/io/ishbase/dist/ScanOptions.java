package io.ishbase.dist;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.filter.ParseFilter;
import picocli.CommandLine.Option;

/** What a Scan is to return, as the command line says it. */
final class ScanOptions {
  @Option(names = "--start", paramLabel = "ROW", description = "First row of the Scan.")
  private String start;

  @Option(names = "--stop", paramLabel = "ROW", description = "Row before which the Scan ends.")
  private String stop;

  @Option(
      names = "--columns",
      split = ",",
      paramLabel = "FAMILY[:QUALIFIER]",
      description = "What to read; all unless said.")
  private List<String> columns = new ArrayList<>();

  @Option(
      names = "--filter",
      description = "In HBase's filter language, such as \"ColumnPrefixFilter('a')\".")
  private String filter;

  @Option(names = "--versions", defaultValue = "1", description = "Versions; ${DEFAULT-VALUE}.")
  private int versions;

  @Option(names = "--limit", description = "Rows at most; all unless said.")
  private Integer limit;

  /** Whether anything says which rows, but by a filter. */
  boolean sayWhichRows() {
    return start != null || stop != null || limit != null;
  }

  /**
   * {@code scan} with all of it.
   *
   * @throws CliException that says what is wrong
   */
  Scan addTo(Scan scan) throws IOException {
    if (start != null) {
      scan.withStartRow(BinaryText.of(RowKey.WHAT, start));
    }
    if (stop != null) {
      scan.withStopRow(BinaryText.of(RowKey.WHAT, stop));
    }
    for (String column : columns) {
      if (column.indexOf(':') < 0) {
        scan.addFamily(BinaryText.of("family", column));
      } else {
        Column wanted = Column.of(column);
        scan.addColumn(wanted.family(), wanted.qualifier());
      }
    }
    if (filter != null) {
      try {
        scan.setFilter(new ParseFilter().parseFilterString(filter));
      } catch (CharacterCodingException | IllegalArgumentException e) {
        throw new CliException("--filter: " + e.getMessage(), e);
      }
    }
    if (versions < 1) {
      throw new CliException("--versions is 1 or more, not " + versions);
    }
    if (limit != null) {
      if (limit < 1) {
        throw new CliException("--limit is 1 or more, not " + limit);
      }
      scan.setLimit(limit);
    }
    return scan.readVersions(versions);
  }
}
