package io.ishbase.bench.tpcc;

import java.util.List;
import java.util.SplittableRandom;

/** Random values as clauses 2.1.6 and 4.3.2 of the specification define them. Not thread-safe. */
final class TpccRandom {
  private static final List<String> SYLLABLES =
      List.of("BAR", "OUGHT", "ABLE", "PRI", "PRES", "ESE", "ANTI", "CALLY", "ATION", "EING");
  private static final String LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

  private static final int LAST_NAME_A = 255;
  private static final int CUSTOMER_A = 1023;
  private static final int ITEM_A = 8191;

  private final TpccScale scale;
  private final SplittableRandom random;

  /** The constants C of the specification, the same for all terminals of a run. */
  private final int lastNameC;

  private final int customerC;
  private final int itemC;

  /**
   * Values that depend on the arguments alone.
   *
   * @param seed of the run
   * @param stream tells apart the sequences of one run
   */
  TpccRandom(TpccScale scale, long seed, int stream) {
    this.scale = scale;
    SplittableRandom ofRun = new SplittableRandom(seed);
    lastNameC = ofRun.nextInt(LAST_NAME_A + 1);
    customerC = ofRun.nextInt(CUSTOMER_A + 1);
    itemC = ofRun.nextInt(ITEM_A + 1);
    random = new SplittableRandom(seed * 31 + stream + 1);
  }

  /** Uniform between two bounds, both included. */
  int uniform(int from, int to) {
    return random.nextInt(from, to + 1);
  }

  /** Whether an event of that probability happens. */
  boolean percent(int percent) {
    return random.nextInt(100) < percent;
  }

  /** NURand(A, from, to) with the constant {@code c}. */
  int nonUniform(int a, int c, int from, int to) {
    return ((uniform(0, a) | uniform(from, to)) + c) % (to - from + 1) + from;
  }

  /** A customer of a district. */
  int customer() {
    return nonUniform(scale.nonUniformA(CUSTOMER_A), customerC, 1, scale.customers());
  }

  int item() {
    return nonUniform(scale.nonUniformA(ITEM_A), itemC, 1, scale.items());
  }

  /** A last name that some customer of every district has. */
  String lastName() {
    return lastName(nonUniform(LAST_NAME_A, lastNameC, 0, scale.lastNames() - 1));
  }

  /** The last name for a number between 0 and 999. */
  static String lastName(int number) {
    return SYLLABLES.get(number / 100)
        + SYLLABLES.get(number / 10 % 10)
        + SYLLABLES.get(number % 10);
  }

  /** Letters. */
  String letters(int from, int to) {
    return characters(LETTERS, uniform(from, to));
  }

  /** Digits. */
  String digits(int count) {
    return characters("0123456789", count);
  }

  private String characters(String alphabet, int count) {
    StringBuilder text = new StringBuilder(count);
    for (int i = 0; i < count; i++) {
      text.append(alphabet.charAt(random.nextInt(alphabet.length())));
    }
    return text.toString();
  }

  /** I_DATA or S_DATA: 26 to 50 letters, in a tenth of all cases with {@code ORIGINAL} in them. */
  String data() {
    String data = letters(26, 50);
    if (!percent(10)) {
      return data;
    }
    int at = uniform(0, data.length() - TpccSchema.ORIGINAL.length());
    return data.substring(0, at)
        + TpccSchema.ORIGINAL
        + data.substring(at + TpccSchema.ORIGINAL.length());
  }

  /** The numbers from 1 to {@code count} in random order. */
  int[] permutation(int count) {
    int[] numbers = new int[count];
    for (int i = 0; i < count; i++) {
      int other = random.nextInt(i + 1);
      numbers[i] = numbers[other];
      numbers[other] = i + 1;
    }
    return numbers;
  }
}
