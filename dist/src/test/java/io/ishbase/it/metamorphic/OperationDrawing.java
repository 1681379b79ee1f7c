package io.ishbase.it.metamorphic;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.hadoop.hbase.io.encoding.DataBlockEncoding;
import org.apache.hadoop.hbase.regionserver.BloomType;

/** Draws operations, the same from the same seed. */
final class OperationDrawing {
  /** Everything once more, out of the memstores, and out of as few files as can be. */
  private static final List<String> LAST =
      List.of(
          "heal",
          "scan versions=9",
          "flush",
          "scan versions=9",
          "major-compact",
          "scan versions=9",
          "scan versions=9 reversed");

  private static final int TRIES = 30;

  /** Of the thousand numbers of kinds: bulk loads, which bring a file each, and changes follow. */
  private static final int FIRST_LOAD = 375;

  /** What a fault lasts, on average. */
  private static final int FAULT_OPERATIONS = 12;

  /** A file of more operations has no more changes of files and regions than one of so many. */
  private static final double CHANGING_OPERATIONS = 1_000;

  /**
   * In a file of more operations than {@link #CHANGING_OPERATIONS} all rows are deleted after so
   * many: else each scan would read all that was ever put.
   */
  private static final int FILLING_OPERATIONS = 500;

  /** And after so many purges a table begins anew: below their markers nothing is put. */
  private static final int PURGES = 4;

  private final Random random;
  private final Names names;
  private final Hidden hidden;
  private final FilterText filters;
  private final Set<String> families;
  private boolean isHurt;
  private double shareOfChanges = 1;

  OperationDrawing(Random random, Map<String, Map<String, String>> families) {
    this.random = random;
    this.names = new Names(random);
    this.hidden = new Hidden(families);
    this.filters = new FilterText(random, names);
    this.families = families.keySet();
  }

  /** The share of changes in a file of so many operations, against one of few. */
  static double shareOfChanges(int operations) {
    return Math.min(1, CHANGING_OPERATIONS / operations);
  }

  List<Line> draw(int count) {
    shareOfChanges = shareOfChanges(count);
    List<Line> lines = new ArrayList<>();
    int purges = 0;
    while (lines.size() < count - LAST.size()) {
      names.step();
      lines.add(Line.of(next()));
      if (shareOfChanges < 1 && lines.size() / FILLING_OPERATIONS > purges) {
        purges++;
        emptied(purges % PURGES == 0).forEach(line -> lines.add(Line.of(line)));
      }
    }
    LAST.forEach(line -> lines.add(Line.of(line)));
    return lines;
  }

  private List<String> emptied(boolean anew) {
    if (anew) {
      hidden.clear();
      return List.of("truncate");
    }
    int time = names.latest();
    List<String> deletes = new ArrayList<>();
    for (String row : names.rows()) {
      StringBuilder delete = new StringBuilder("delete-family ").append(row);
      for (String family : families) {
        CellText marker = new CellText(family, null, time, null);
        hidden.purge(row, marker);
        delete.append(' ').append(marker);
      }
      deletes.add(delete.toString());
    }
    return List.of(Line.joined("batch", deletes).toString(), "flush", "major-compact");
  }

  private String next() {
    if (isHurt && random.nextInt(FAULT_OPERATIONS) == 0) {
      isHurt = false;
      return "heal";
    }
    int kind = random.nextInt(1000);
    if (kind >= FIRST_LOAD && kind < 480 && isLeftOut()) {
      return random.nextInt(3) == 0 ? put(names.row()) : read();
    }
    if (kind < 400) {
      return write(kind);
    }
    if (kind < 470) {
      return change(kind - 400);
    }
    if (kind < 480 && !isHurt) {
      isHurt = true;
      return fault();
    }
    return read();
  }

  private String write(int kind) {
    if (kind < 190) {
      return put(names.row());
    }
    if (kind < 240) {
      return batch();
    }
    if (kind < 300) {
      return delete(names.row());
    }
    if (kind < 325) {
      return "increment " + names.row() + " f:c" + random.nextInt(2) + "=" + random.nextInt(9);
    }
    if (kind < 350) {
      return "append " + names.row() + " " + names.family() + ":a=" + random.nextInt(100);
    }
    if (kind < FIRST_LOAD) {
      return check();
    }
    return load();
  }

  private boolean isLeftOut() {
    return shareOfChanges < 1 && random.nextDouble() >= shareOfChanges;
  }

  /** A cell that may be put; null: none was found. */
  private CellText cell(String row) {
    for (int i = 0; i < TRIES; i++) {
      CellText cell = new CellText(names.family(), names.qualifier(), names.time(), names.value());
      if (hidden.mayPut(row, cell)) {
        hidden.put(row, cell);
        return cell;
      }
    }
    return null;
  }

  private String put(String row) {
    TreeSet<String> cells = new TreeSet<>();
    Set<String> columns = new TreeSet<>();
    int count = 1 + random.nextInt(3);
    for (int i = 0; i < count; i++) {
      CellText cell = cell(row);
      // Of two cells with one key in one call either may be the later.
      if (cell != null && columns.add(cell.family() + cell.qualifier() + cell.time())) {
        cells.add(cell.toString());
      }
    }
    if (cells.isEmpty()) {
      return "get " + row;
    }
    String ttl = random.nextInt(8) == 0 ? " ttl=" + FileTime.TTL_SECONDS : "";
    return "put " + row + " " + String.join(" ", cells) + ttl;
  }

  private String delete(String row) {
    CellText column = new CellText(names.family(), names.qualifier(), names.time(), null);
    CellText family = new CellText(column.family(), null, column.time(), null);
    int kind = random.nextInt(4);
    if (kind == 0 && hidden.mayDeleteVersion(row, column)) {
      hidden.deleteVersion(row, column);
      return "delete-version " + row + " " + column;
    }
    if (kind == 1 && hidden.mayDeleteVersion(row, family)) {
      hidden.deleteVersion(row, family);
      return "delete-family-version " + row + " " + family;
    }
    if (kind == 2) {
      hidden.deleteUpTo(row, family);
      return "delete-family " + row + " " + family;
    }
    hidden.deleteUpTo(row, column);
    return "delete-column " + row + " " + column;
  }

  private String check() {
    String row = names.row();
    return "check "
        + names.family()
        + ":"
        + names.qualifier()
        + " "
        + one("EQUAL", "NOT_EQUAL", "GREATER", "LESS_OR_EQUAL")
        + " "
        + names.value()
        + " ; "
        + (random.nextInt(4) == 0 ? delete(row) : putOnly(row));
  }

  private String putOnly(String row) {
    String put = put(row);
    return put.startsWith("put") ? put : delete(row);
  }

  private Set<String> rows(int count) {
    Set<String> rows = new TreeSet<>();
    while (rows.size() < count) {
      rows.add(names.row());
    }
    return rows;
  }

  private String batch() {
    return Line.joined(
            "batch",
            rows(2 + random.nextInt(12)).stream()
                .map(
                    row ->
                        switch (random.nextInt(10)) {
                          case 0 -> delete(row);
                          case 1 -> "get " + row + " versions=2";
                          case 2 -> "increment " + row + " f:c0=1";
                          default -> put(row);
                        })
                .toList())
        .toString();
  }

  private String load() {
    List<String> parts = new ArrayList<>();
    for (String row : rows(1 + random.nextInt(8))) {
      CellText cell = cell(row);
      if (cell != null) {
        parts.add(row + " " + cell);
      }
      if (random.nextInt(6) == 0) {
        CellText marker = new CellText(names.family(), names.qualifier(), names.time(), null);
        hidden.deleteUpTo(row, marker);
        parts.add(row + " " + marker);
      }
    }
    return parts.isEmpty() ? "flush" : Line.joined("load", parts).toString();
  }

  private String change(int kind) {
    if (kind < 36) {
      return "flush";
    }
    if (kind < 48) {
      return "compact";
    }
    if (kind < 55) {
      return "major-compact";
    }
    if (kind < 59) {
      return "split " + names.row();
    }
    if (kind < 61) {
      return "merge";
    }
    if (kind < 66) {
      return "move";
    }
    return kind < 67 ? "clone" : alter();
  }

  private String alter() {
    String family = names.family();
    int kept = hidden.maxVersions(family);
    if (kept > 1 && random.nextInt(3) == 0) {
      String fewer = Integer.toString(1 + random.nextInt(Math.min(kept - 1, 3)));
      hidden.lower(family, fewer);
      return "alter " + family + " versions=" + fewer;
    }
    return "alter "
        + family
        + switch (random.nextInt(3)) {
          case 0 -> " block=" + one("128", "512", "4096");
          case 1 -> " encoding=" + one(names(DataBlockEncoding.values()));
          default -> " bloom=" + one(names(BloomType.values()));
        };
  }

  private static String[] names(Enum<?>[] values) {
    return IntStream.range(0, values.length).mapToObj(i -> values[i].name()).toArray(String[]::new);
  }

  private String fault() {
    return "fault "
        + random.nextInt(3)
        + " "
        + one("STOP", "CUT", "DROP", "GARBLE", "TRUNCATE", "INFLATE", "STALL", "SLOW");
  }

  private String read() {
    return switch (random.nextInt(6)) {
      case 0 -> "gets " + String.join(" ", rows(2 + random.nextInt(8))) + get();
      case 1, 2 -> "get " + names.row() + get();
      default -> scan();
    };
  }

  private String get() {
    StringBuilder get = new StringBuilder();
    options(get);
    if (random.nextInt(3) == 0) {
      get.append(" filter=\"").append(filters.next()).append('"');
    }
    if (random.nextInt(12) == 0) {
      get.append(" exists=true");
    }
    return get.toString();
  }

  /** What Gets and Scans share. */
  private void options(StringBuilder read) {
    if (random.nextInt(3) == 0) {
      read.append(" columns=")
          .append(
              IntStream.rangeClosed(0, random.nextInt(3))
                  .mapToObj(i -> names.family() + (random.nextInt(4) == 0 ? "" : ":" + column()))
                  .distinct()
                  .collect(Collectors.joining(",")));
    }
    if (random.nextBoolean()) {
      read.append(" versions=").append(1 + random.nextInt(4));
    }
    if (random.nextInt(8) == 0) {
      read.append(" time=").append(range());
    }
    if (random.nextInt(5) == 0) {
      read.append(" per-family=").append(1 + random.nextInt(4));
      if (random.nextBoolean()) {
        read.append(" offset=").append(random.nextInt(3));
      }
    }
    if (random.nextInt(4) == 0) {
      read.append(" cache=false");
    }
    if (random.nextInt(10) == 0) {
      read.append(" uncommitted");
    }
  }

  private String column() {
    return random.nextInt(6) == 0 ? one("c0", "a") : names.qualifier();
  }

  private String range() {
    TreeSet<Integer> ends =
        new TreeSet<>((one, other) -> FileTime.order(one) - FileTime.order(other));
    while (ends.size() < 2) {
      ends.add(names.time());
    }
    return ends.first() + ".." + (random.nextInt(4) == 0 ? "" : ends.last());
  }

  private String scan() {
    StringBuilder scan = new StringBuilder("scan");
    boolean reversed = random.nextInt(8) == 0;
    if (random.nextInt(3) > 0) {
      TreeSet<String> ends = new TreeSet<>(rows(2));
      String first = reversed ? ends.last() : ends.first();
      String last = reversed ? ends.first() : ends.last();
      scan.append(random.nextInt(4) == 0 ? " behind=" : " from=").append(first);
      if (random.nextInt(4) > 0) {
        scan.append(random.nextInt(3) == 0 ? " through=" : " to=").append(last);
      }
    }
    options(scan);
    if (random.nextInt(10) == 0) {
      scan.append(" family-time=").append(one(families.toArray(String[]::new))).append(':');
      scan.append(range());
    }
    boolean raw = random.nextInt(16) == 0 && scan.indexOf("columns") < 0;
    if (raw) {
      scan.append(" raw");
    }
    if (reversed) {
      scan.append(" reversed");
    }
    // A seek hint makes HBase's reverse scans loop for ever.
    boolean filtered = !reversed && random.nextBoolean();
    if (filtered) {
      scan.append(" filter=\"").append(filters.ofScan()).append('"');
    }
    boolean cells = !filtered && random.nextInt(4) == 0;
    if (cells) {
      scan.append(random.nextBoolean() ? " partial" : " batch=" + (1 + random.nextInt(5)));
    } else if (random.nextInt(4) == 0) {
      // With the former a limit would count parts of rows, which are of any size.
      scan.append(" limit=").append(1 + random.nextInt(10));
    }
    if (random.nextInt(3) == 0) {
      scan.append(" caching=").append(1 + random.nextInt(20));
    }
    if (random.nextInt(4) == 0) {
      scan.append(" bytes=").append(100 + random.nextInt(2000));
    }
    if (random.nextInt(3) == 0) {
      scan.append(" type=").append(one("PREAD", "STREAM"));
    }
    return scan.toString();
  }

  private String one(String... values) {
    return values[random.nextInt(values.length)];
  }
}
