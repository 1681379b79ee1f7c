package io.ishbase.bench.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The results of scenarios, as text and as one page. */
public final class Report {
  /** What the second table of a scenario shows. */
  static final String COSTS = "Processor time for each operation, by kind of process";

  private static final String COLUMNS =
      """
      ops/s, rows/s: median of all windows; least, most: the slowest and the fastest window.
      ratio: to the first variant. limit: line rate divided by the bytes of value asked for,
      which only compressed answers can exceed.
      in/value, in/cell: bytes from storage for each byte that clients got, of values or whole cells.
      out B/row: bytes to storage for each row that clients got.
      in/written, out/written: bytes from and to storage for each byte of value that clients gave.
      ops/CPU s: operations for each second of a processor, of all processes together.
      Latency is of all windows together; MB in and out cross the interface to the storage nodes.
      """;

  private final List<Results> all;

  public Report(List<Results> all) {
    this.all = List.copyOf(all);
  }

  /**
   * A report of the scenarios whose results stand in {@code dir}.
   *
   * @param scenarios names in the order of the report
   */
  public static Report of(Path dir, List<String> scenarios) throws IOException {
    List<Results> all = new ArrayList<>();
    for (String scenario : scenarios) {
      Path file = dir.resolve(scenario + ".json");
      Results results = Files.exists(file) ? Results.read(file) : null;
      // One that another version wrote may have none.
      if (results != null && results.scenario() != null) {
        all.add(results);
      }
    }
    return new Report(all);
  }

  /** The tables that people read on a terminal. */
  public String text() {
    StringBuilder text = new StringBuilder();
    for (Results results : all) {
      text.append(results.scenario()).append(": ").append(results.description()).append('\n');
      results
          .conditions()
          .forEach((name, value) -> text.append(name).append(": ").append(value).append('\n'));
      text.append(Table.forTerminal(results.rows()).text());
      if (!results.costs().isEmpty()) {
        text.append('\n').append(COSTS).append('\n').append(Table.all(results.costs()).text());
      }
      results.notes().forEach(note -> text.append("Note: ").append(note).append('\n'));
      text.append('\n');
    }
    return text.append(COLUMNS).toString();
  }

  /** Writes a page that needs nothing else. */
  public void writeHtml(Path file, String title) throws IOException {
    Files.createDirectories(file.getParent());
    Files.writeString(file, new Page(title, all, COLUMNS).html());
  }
}
