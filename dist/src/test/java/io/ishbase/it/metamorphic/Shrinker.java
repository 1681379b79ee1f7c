package io.ishbase.it.metamorphic;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;

/**
 * Makes a file that shows a difference as short as it can in its time: one configuration; ever
 * smaller parts of the operations left out, then single ones; options of the configuration; words
 * of what is left.
 */
final class Shrinker {
  /** Runs a file. */
  interface Trial {
    /**
     * @return null if there is no difference
     * @throws IllegalArgumentException if the file is none any more
     * @throws IOException if it cannot be done
     */
    Difference of(OperationFile file) throws Exception;
  }

  private final Trial trial;
  private final BooleanSupplier hasTime;
  private OperationFile least;
  private Difference difference;
  private int trials;

  /**
   * @param file that shows {@code difference}
   * @param hasTime whether another trial may begin
   */
  Shrinker(OperationFile file, Difference difference, Trial trial, BooleanSupplier hasTime) {
    this.least = file;
    this.difference = difference;
    this.trial = trial;
    this.hasTime = hasTime;
  }

  OperationFile least() {
    return least;
  }

  Difference difference() {
    return difference;
  }

  int trials() {
    return trials;
  }

  /**
   * @return whether the file shows the difference again: if not, nothing is shrunk
   */
  boolean run() throws Exception {
    if (!tries(
        least.withConfigurations(
            Map.of(
                difference.configuration(),
                least.configurations().get(difference.configuration()))))) {
      return false;
    }
    int before;
    do {
      before = size();
      operations();
      configuration();
      words();
    } while (size() < before && hasTime.getAsBoolean());
    return true;
  }

  private int size() {
    return least.toString().length();
  }

  // The last operation is the one that found the difference, and stays.
  private void operations() throws Exception {
    for (int part = Math.max(1, least.operations().size() / 2); ; part /= 2) {
      // From behind: what happened last has most to do with it.
      for (int to = least.operations().size() - 1; to > 0; to -= part) {
        List<Line> fewer = new ArrayList<>(least.operations());
        fewer.subList(Math.max(0, to - part), to).clear();
        tries(least.with(fewer));
        to = Math.min(to, least.operations().size() - 1 + part);
      }
      if (part <= 1) {
        return;
      }
    }
  }

  private void configuration() throws Exception {
    String name = difference.configuration();
    for (String option : List.copyOf(least.configurations().get(name).keySet())) {
      Map<String, String> fewer = new LinkedHashMap<>(least.configurations().get(name));
      fewer.remove(option);
      tries(least.withConfigurations(Map.of(name, fewer)));
    }
  }

  private void words() throws Exception {
    for (int i = least.operations().size() - 1; i >= 0; i--) {
      boolean shrinks = true;
      while (shrinks && i < least.operations().size()) {
        shrinks = false;
        for (Line simpler : least.operations().get(i).simpler()) {
          List<Line> lines = new ArrayList<>(least.operations());
          lines.set(i, simpler);
          if (tries(least.with(lines))) {
            shrinks = true;
            break;
          }
        }
      }
    }
  }

  /** Whether it still shows the difference, and is the least now. */
  private boolean tries(OperationFile file) throws Exception {
    if (!hasTime.getAsBoolean()) {
      return false;
    }
    trials++;
    Difference found;
    try {
      found = trial.of(file);
    } catch (IllegalArgumentException | IOException e) {
      // No file any more, or one that stock HBase cannot do.
      return false;
    }
    if (found == null || !found.isLike(difference)) {
      return false;
    }
    difference = found;
    least = file.with(file.operations().subList(0, found.line() + 1));
    return true;
  }
}
