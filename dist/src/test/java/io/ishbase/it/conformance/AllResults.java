package io.ishbase.it.conformance;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * What the classes of the whole suite did, each when it was run last, in a text file: for each a
 * line of what was run when, and those of {@link ClassRun#lines}; behind the line {@code stock}
 * those of stock HBase, where it was run.
 */
final class AllResults {
  private static final String CLASS = "class";
  private static final String STOCK = "stock";

  /**
   * @param date ISO 8601
   * @param build a digest of our classes then: {@link KeptRuns#ofThisBuild}
   */
  record Result(Comparison comparison, String date, String commit, String build) {
    String testClass() {
      return comparison.planned().testClass();
    }
  }

  private final Path file;
  private final String commit;
  private final String build;
  private final SortedMap<String, Result> results = new TreeMap<>();

  /**
   * @param file need not exist
   * @param commit of what is put
   * @param build of what is put
   * @throws IllegalArgumentException if a line of the file is none of these
   */
  AllResults(Path file, String commit, String build) throws IOException {
    this.file = file;
    this.commit = commit;
    this.build = build;
    if (Files.exists(file)) {
      parse(Files.readAllLines(file));
    }
  }

  private void parse(List<String> lines) {
    int end;
    for (int begin = 0; begin < lines.size(); begin = end) {
      String[] fields = lines.get(begin).split("\t", -1);
      if (fields.length != 5 || !fields[0].equals(CLASS)) {
        throw new IllegalArgumentException("What is this: " + lines.get(begin));
      }
      end = begin + 1;
      while (end < lines.size() && !lines.get(end).startsWith(CLASS + "\t")) {
        end++;
      }
      List<String> runs = lines.subList(begin + 1, end);
      int stock = runs.indexOf(STOCK);
      Comparison comparison =
          new Comparison(
              PlannedRun.of(fields[1], Pass.EVERYTHING),
              ClassRun.of(stock < 0 ? runs : runs.subList(0, stock)),
              stock < 0 ? null : ClassRun.of(runs.subList(stock + 1, runs.size())));
      results.put(fields[1], new Result(comparison, fields[2], fields[3], fields[4]));
    }
  }

  /** By the names of the classes. */
  Collection<Result> all() {
    return results.values();
  }

  /**
   * Those that this build has not run yet: first those that none has, in their order, then those
   * that were run longest ago.
   */
  List<PlannedRun> left(List<PlannedRun> planned) {
    return planned.stream()
        .filter(one -> !dated(one, Result::build).equals(build))
        .sorted(Comparator.comparing(one -> dated(one, Result::date)))
        .toList();
  }

  /** What is said of the class; empty if nothing is. */
  private String dated(PlannedRun planned, Function<Result, String> what) {
    Result result = results.get(planned.testClass());
    return result == null ? "" : what.apply(result);
  }

  /** Takes a result of today and writes the file anew. */
  synchronized void put(Comparison comparison) throws IOException {
    String today = LocalDate.now(ZoneOffset.UTC).toString();
    results.put(comparison.planned().testClass(), new Result(comparison, today, commit, build));
    List<String> lines = new ArrayList<>();
    for (Result one : results.values()) {
      lines.add(String.join("\t", CLASS, one.testClass(), one.date(), one.commit(), one.build()));
      lines.addAll(one.comparison().run().lines());
      if (one.comparison().stock() != null) {
        lines.add(STOCK);
        lines.addAll(one.comparison().stock().lines());
      }
    }
    Path next = Files.write(file.resolveSibling(file.getFileName() + ".next"), lines);
    Files.move(next, file, StandardCopyOption.REPLACE_EXISTING);
  }
}
