package io.ishbase.core.cache;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.IntSupplier;

/** A cache of blocks of rows that drops the least recently used. */
final class Lru extends LinkedHashMap<Integer, Boolean> {
  private final int capacity;
  private final int rowsOfBlock;

  Lru(long budgetBytes, int rowBytes, int rowsOfBlock) {
    super(16, 0.75f, true);
    capacity = (int) (budgetBytes / rowBytes / rowsOfBlock);
    this.rowsOfBlock = rowsOfBlock;
  }

  /** Misses of so many Gets. */
  int misses(IntSupplier rows, int gets) {
    int misses = 0;
    for (int i = 0; i < gets; i++) {
      misses += put(rows.getAsInt() / rowsOfBlock, true) == null ? 1 : 0;
    }
    return misses;
  }

  @Override
  protected boolean removeEldestEntry(Map.Entry<Integer, Boolean> eldest) {
    return size() > capacity;
  }
}
