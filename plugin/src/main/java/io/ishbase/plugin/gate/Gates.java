package io.ishbase.plugin.gate;

import io.ishbase.core.Gate;
import io.ishbase.core.Gate.Route;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.NavigableSet;
import org.apache.hadoop.hbase.client.Scan;

/**
 * The gates of one column family of a table, shared by its regions: one for each kind of read, for
 * what pays for one need not for another.
 */
public final class Gates {
  private static final int[] ROW_LIMITS = {16, 256, Integer.MAX_VALUE};
  private static final String[] SIZES = {"unlimited scan", "short scan", "scan", "long scan"};

  /** For each kind: get, multi-get, then scans by size; each with and without columns, filter. */
  private final Gate[] gates = new Gate[(2 + SIZES.length * 2) * 4];

  public Gates() {
    for (int i = 0; i < gates.length; i++) {
      gates[i] = new Gate();
    }
  }

  /**
   * The gate for such a read.
   *
   * @param columns the read's columns in the family; null: all
   * @param rowLimit rows that the client takes at most; 0: unknown
   * @param isMulti whether the Get is one of several in a call
   */
  public Gate gate(Scan scan, NavigableSet<byte[]> columns, int rowLimit, boolean isMulti) {
    int kind;
    if (scan.isGetScan()) {
      kind = isMulti ? 1 : 0;
    } else {
      int size = 0;
      if (rowLimit > 0) {
        size = 1;
        while (rowLimit > ROW_LIMITS[size - 1]) {
          size++;
        }
      }
      kind = 2 + 2 * size + (scan.isReversed() ? 1 : 0);
    }
    return gates[4 * kind + (columns != null ? 2 : 0) + (scan.hasFilter() ? 1 : 0)];
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
                name(i),
                gate.route() == Route.BLOCK ? "blocks" : "in-storage",
                block / 1e6,
                inStorage / 1e6));
      }
    }
    return lines;
  }

  private static String name(int index) {
    int kind = index / 4;
    String name =
        kind == 0
            ? "get"
            : kind == 1 ? "multi-get" : (kind % 2 == 1 ? "reversed " : "") + SIZES[(kind - 2) / 2];
    return name + ((index & 2) != 0 ? " of columns" : "") + ((index & 1) != 0 ? ", filtered" : "");
  }
}
