package io.ishbase.dist.example;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

/** How deep a queue was over time, in text. Not safe for threads. */
final class DepthPicture {
  private static final int COLUMNS = 64;
  private static final int ROWS = 8;

  private record Sample(long millis, long depth) {}

  private final List<Sample> samples = new ArrayList<>();

  void add(long millis, long depth) {
    samples.add(new Sample(millis, depth));
  }

  /** The greatest depth of each column's time; nothing without two moments. */
  void print(PrintStream out, String title) {
    if (samples.size() < 2) {
      return;
    }
    long span = Math.max(1, samples.get(samples.size() - 1).millis);
    long most = samples.stream().mapToLong(Sample::depth).max().orElse(0);
    long[] columns = new long[COLUMNS];
    int next = 0;
    long depth = 0;
    for (int column = 0; column < COLUMNS; column++) {
      long until = span * (column + 1) / COLUMNS;
      long highest = depth;
      boolean any = false;
      while (next < samples.size() && samples.get(next).millis <= until) {
        depth = samples.get(next++).depth;
        highest = any ? Math.max(highest, depth) : depth;
        any = true;
      }
      columns[column] = highest;
    }
    out.println(title);
    for (int row = ROWS; row > 0; row--) {
      StringBuilder line = new StringBuilder();
      for (long column : columns) {
        line.append(column * ROWS > (row - 1) * most ? '#' : ' ');
      }
      out.printf("%,8d |%s%n", most * row / ROWS, line.toString().stripTrailing());
    }
    out.printf("       0 +%s %.1f s%n", "-".repeat(COLUMNS), span / 1e3);
  }
}
