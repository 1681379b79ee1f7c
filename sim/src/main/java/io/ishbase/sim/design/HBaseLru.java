package io.ishbase.sim.design;

import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;

/**
 * Which blocks HBase's {@code LruBlockCache} has (2.6, no tables that are in memory). A block that
 * is asked for again becomes one of several accesses. Where blocks take more than 99 % of the
 * memory, some leave, the oldest first, until it is 95 %: of those of one access and of those of
 * several, as far as they have more than a quarter and a half.
 */
public final class HBaseLru implements Blocks {
  private static final double ACCEPTABLE = 0.99;
  private static final double LEAST = 0.95;

  /** Blocks of one priority, the oldest first, and the share of the memory that they may have. */
  private record Kind(LinkedHashSet<Integer> blocks, double share) {
    Kind(double share) {
      this(new LinkedHashSet<>(), share);
    }
  }

  private final long budget;
  private final long blockBytes;
  private final long emptyBytes;
  private final Kind once = new Kind(0.25);
  private final Kind again = new Kind(0.5);
  private final Kind inMemory = new Kind(0.25);
  private final List<Kind> kinds = List.of(once, again, inMemory);

  /**
   * An empty cache.
   *
   * @param budget bytes of memory for blocks
   * @param blockBytes that a block takes
   * @param emptyBytes that it takes without any
   */
  public HBaseLru(long budget, long blockBytes, long emptyBytes) {
    this.budget = budget;
    this.blockBytes = blockBytes;
    this.emptyBytes = emptyBytes;
  }

  /** Whether it is there; it is the newest of several accesses then. */
  @Override
  public boolean touch(int block) {
    boolean found = once.blocks.remove(block) || again.blocks.remove(block);
    if (found) {
      again.blocks.add(block);
    }
    return found;
  }

  @Override
  public void add(int block) {
    if (touch(block)) {
      return;
    }
    once.blocks.add(block);
    if (bytes() > part(ACCEPTABLE)) {
      evict(bytes() - part(LEAST));
    }
  }

  private long bytes() {
    return emptyBytes + blockBytes * (once.blocks.size() + again.blocks.size());
  }

  private long part(double share) {
    return (long) (budget * share);
  }

  private long overflow(Kind kind) {
    return blockBytes * kind.blocks.size() - part(kind.share * LEAST);
  }

  /** Those that have least too much give first, an even part of what has to go. */
  private void evict(long bytes) {
    long left = bytes;
    int remaining = kinds.size();
    for (Kind kind : kinds.stream().sorted(Comparator.comparingLong(this::overflow)).toList()) {
      if (overflow(kind) > 0) {
        left -= free(kind, Math.min(overflow(kind), left / remaining));
      }
      remaining--;
    }
  }

  /** Bytes that left: of one block at least, and no less than asked for if there were as many. */
  private long free(Kind kind, long bytes) {
    long freed = 0;
    Iterator<Integer> oldest = kind.blocks.iterator();
    do {
      oldest.next();
      oldest.remove();
      freed += blockBytes;
    } while (freed < bytes && oldest.hasNext());
    return freed;
  }
}
