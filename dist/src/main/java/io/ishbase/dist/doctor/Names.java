package io.ishbase.dist.doctor;

import java.util.List;

/** Many servers in a line. */
final class Names {
  private static final int MOST = 4;

  private Names() {}

  /** Their names; of many the first ones, and how many more there are. */
  static String of(List<String> names) {
    return names.size() <= MOST
        ? String.join(" ", names)
        : String.join(" ", names.subList(0, MOST - 1))
            + " and "
            + (names.size() - MOST + 1)
            + " more";
  }
}
