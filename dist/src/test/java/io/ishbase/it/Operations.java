package io.ishbase.it;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;

/**
 * Random operations on a random table, as data: a seed for the table and one for each operation,
 * which draws all that it does from its own. So any of them can be left out, and the others stay
 * what they are.
 *
 * <p>What fails is shrunk in at most {@code -Dishbase.replays=N} replays, and written to a file
 * that {@code -Dishbase.operations=FILE} replays.
 */
final class Operations {
  private static final String FILE = System.getProperty("ishbase.operations");

  /** Each replay makes a table and takes seconds. */
  private static final int REPLAYS = Integer.getInteger("ishbase.replays", 20);

  private final long tableSeed;
  private final List<Long> seeds;
  private int begun;

  private Operations(long tableSeed, List<Long> seeds) {
    this.tableSeed = tableSeed;
    this.seeds = seeds;
  }

  static Operations draw(Random random, int count) {
    long tableSeed = random.nextLong();
    List<Long> seeds = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      seeds.add(random.nextLong());
    }
    return new Operations(tableSeed, seeds);
  }

  /** The operations to replay; null if none are given. */
  static Operations given() throws IOException {
    return FILE == null ? null : read(Path.of(FILE));
  }

  static Operations read(Path file) throws IOException {
    List<Long> numbers =
        Files.readAllLines(file).stream()
            .filter(line -> !line.startsWith("#"))
            .map(Long::valueOf)
            .toList();
    return new Operations(numbers.get(0), numbers.subList(1, numbers.size()));
  }

  /**
   * Writes a line for the table and one for each operation.
   *
   * @param comment for people
   */
  void write(Path file, String comment) throws IOException {
    Files.createDirectories(file.toAbsolutePath().getParent());
    Files.writeString(
        file,
        comment.lines().map(line -> "# " + line + "\n").collect(Collectors.joining())
            + tableSeed
            + "\n"
            + seeds.stream().map(seed -> seed + "\n").collect(Collectors.joining()));
  }

  int size() {
    return seeds.size();
  }

  List<Long> seeds() {
    return seeds;
  }

  /** What a table's random things are drawn from; set to the table's seed. */
  Random random() {
    return new Random(tableSeed);
  }

  /** One operation. */
  interface Operation {
    void run() throws Exception;
  }

  /** Runs one operation after the other, with {@code random} set to its seed. */
  void each(Random random, Operation operation) throws Exception {
    begun = 0;
    for (long seed : seeds) {
      begun++;
      random.setSeed(seed);
      operation.run();
    }
  }

  /** A test of operations: it fails with an {@link AssertionError}. */
  interface Trial {
    void of(Operations operations) throws Exception;
  }

  /** Tries them. If they fail, shrinks them, and says what is left and how to replay it. */
  void run(String name, Trial trial) throws Exception {
    try {
      trial.of(this);
    } catch (AssertionError failure) {
      failure.printStackTrace(System.out);
      Path file = Path.of("target", "operations", name + ".txt").toAbsolutePath();
      upTo(begun).write(file, failure.toString());
      Shrinking shrinking = new Shrinking(upTo(begun), failure, trial);
      // What hangs takes minutes, each time.
      if (!failure.toString().contains("Timeout")) {
        shrinking.run();
        shrinking.least.write(file, shrinking.failure.toString());
      }
      throw new AssertionError(
          "Of "
              + size()
              + " operations these "
              + shrinking.least.size()
              + " are left; replay them with -Dishbase.operations="
              + file
              + "\n"
              + shrinking.failure.toString(),
          shrinking.failure);
    }
  }

  private Operations upTo(int end) {
    return new Operations(tableSeed, List.copyOf(seeds.subList(0, end)));
  }

  private Operations without(int from, int to) {
    List<Long> left = new ArrayList<>(seeds.subList(0, from));
    left.addAll(seeds.subList(to, seeds.size()));
    return new Operations(tableSeed, left);
  }

  /**
   * Leaves out ever smaller parts while the rest fails. The last operation is the one that found
   * the fault, and stays.
   */
  private static final class Shrinking {
    private final Trial trial;
    private Operations least;
    private AssertionError failure;
    private int replays;

    Shrinking(Operations failing, AssertionError failure, Trial trial) {
      this.least = failing;
      this.failure = failure;
      this.trial = trial;
    }

    void run() throws Exception {
      int part = (least.size() + 1) / 2;
      while (part > 0 && replays < REPLAYS) {
        // From behind: what happened last has most to do with it.
        for (int to = least.size() - 1; to > 0 && replays < REPLAYS; to -= part) {
          int from = Math.max(0, to - part);
          tryWithout(from, to);
        }
        part /= 2;
      }
    }

    private void tryWithout(int from, int to) throws Exception {
      Operations fewer = least.without(from, to);
      replays++;
      try {
        trial.of(fewer);
      } catch (AssertionError e) {
        least = fewer.upTo(fewer.begun);
        failure = e;
      }
    }
  }
}
