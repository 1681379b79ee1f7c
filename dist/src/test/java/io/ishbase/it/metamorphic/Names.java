package io.ishbase.it.metamorphic;

import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * Rows, columns, values and times, drawn from so few that they collide. Times go on as operations
 * do, lest delete markers leave none to be put at; one in five is old.
 */
final class Names {
  private static final int ROWS = 40;
  private static final int QUALIFIERS = 6;
  private static final int TIMES = 12;
  private static final int OPERATIONS_A_MILLI = 8;

  private final Random random;
  private int operations;

  Names(Random random) {
    this.random = random;
  }

  /** Another operation is drawn. */
  void step() {
    operations++;
  }

  String row() {
    return row(random.nextInt(ROWS));
  }

  static String row(int number) {
    return String.format("row%03d", number);
  }

  String family() {
    return random.nextInt(3) == 0 ? "g" : "f";
  }

  // Never empty: how HBase steps over several versions of a cell without qualifier depends on where
  // its blocks end (docs/decisions.md, 10).
  String qualifier() {
    return "q" + random.nextInt(QUALIFIERS);
  }

  String value() {
    return "v" + random.nextInt(100) + "x".repeat(random.nextInt(60));
  }

  /** A time that is after all that were drawn. */
  int latest() {
    return operations / OPERATIONS_A_MILLI + TIMES;
  }

  /** All of them. */
  List<String> rows() {
    return IntStream.range(0, ROWS).mapToObj(Names::row).toList();
  }

  int time() {
    int time = operations / OPERATIONS_A_MILLI + random.nextInt(TIMES);
    return random.nextInt(5) == 0 ? -1 - time : time;
  }
}
