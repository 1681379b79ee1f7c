package io.ishbase.core;

import io.ishbase.core.Gate.Route;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The gates of one column family of a table, shared by its regions: one for each kind of read, for
 * what pays for one need not for another. Thread safe.
 */
public final class Gates {
  private static final int[] ROW_LIMITS = {16, 256, Integer.MAX_VALUE};
  private static final String[] SIZES = {"unlimited scan", "short scan", "scan", "long scan"};

  /** Get, multi-get, then scans by size and direction. */
  private static final int SHAPES = 2 + SIZES.length * 2;

  /**
   * Reads that share a gate.
   *
   * @param shape which of {@link #SHAPES}
   * @param ofColumns whether the read names columns of the family
   */
  public record Kind(int shape, boolean ofColumns, boolean filtered) {
    /** Gets; {@code isMulti}: each is one of several in a call. */
    public static Kind ofGet(boolean isMulti, boolean ofColumns, boolean filtered) {
      return new Kind(isMulti ? 1 : 0, ofColumns, filtered);
    }

    /** Scans; {@code rowLimit}: rows that the client takes at a time, 0 if that is unknown. */
    public static Kind ofScan(int rowLimit, boolean reversed, boolean ofColumns, boolean filtered) {
      int size = 0;
      if (rowLimit > 0) {
        size = 1;
        while (rowLimit > ROW_LIMITS[size - 1]) {
          size++;
        }
      }
      return new Kind(2 + 2 * size + (reversed ? 1 : 0), ofColumns, filtered);
    }

    private static Kind at(int index) {
      return new Kind(index / 4, (index & 2) != 0, (index & 1) != 0);
    }

    private int index() {
      return 4 * shape + (ofColumns ? 2 : 0) + (filtered ? 1 : 0);
    }

    @Override
    public String toString() {
      String name =
          shape == 0
              ? "get"
              : shape == 1
                  ? "multi-get"
                  : (shape % 2 == 1 ? "reversed " : "") + SIZES[(shape - 2) / 2];
      return name + (ofColumns ? " of columns" : "") + (filtered ? ", filtered" : "");
    }
  }

  /**
   * The first in-storage reads of a process, of each shape. They wait for code that is being
   * compiled and connections that open, some of them a hundred times as long as those to come: no
   * gate judges by them. Thread safe.
   */
  public static final class WarmUp {
    private final AtomicInteger[] left = new AtomicInteger[SHAPES];

    /** Of so many reads of each shape. */
    public WarmUp(int reads) {
      for (int shape = 0; shape < SHAPES; shape++) {
        left[shape] = new AtomicInteger(reads);
      }
    }
  }

  private final Gate[] gates = new Gate[SHAPES * 4];

  /** Of a process that needs no warming up. */
  public Gates() {
    for (int i = 0; i < gates.length; i++) {
      gates[i] = new Gate();
    }
  }

  /** Gates of a process that share {@code warmUp} with all others of it. */
  public Gates(WarmUp warmUp) {
    for (int i = 0; i < gates.length; i++) {
      gates[i] = new Gate(warmUp.left[Kind.at(i).shape]);
    }
  }

  /** The gate of such reads. */
  public Gate of(Kind kind) {
    return gates[kind.index()];
  }

  /** Says that reads over the network may have become dearer or cheaper by much. */
  public void lineChanged() {
    for (Gate gate : gates) {
      gate.lineChanged();
    }
  }

  /** What the gates know that have been used, a line each. */
  public List<String> describe() {
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < gates.length; i++) {
      Gate gate = gates[i];
      double block = gate.meanNanos(Route.BLOCK);
      double inStorage = gate.meanNanos(Route.IN_STORAGE);
      if (block > 0 || inStorage > 0) {
        lines.add(
            String.format(
                Locale.ROOT,
                "%s: %s; %.3f ms over blocks, %.3f ms in-storage",
                Kind.at(i),
                gate.route() == Route.BLOCK ? "blocks" : "in-storage",
                block / 1e6,
                inStorage / 1e6));
      }
    }
    return lines;
  }
}
