package io.ishbase.sim.design;

import org.jspecify.annotations.Nullable;

/** A Get or Scan, how far it is, and what it fetches from storage next. Used again and again. */
public final class Read {
  private boolean isGet;
  private int key;
  private int rows;

  /** Rows that are answered. */
  int done;

  /** What the design keeps with the read while it fetches. */
  @Nullable Object note;

  /** What a gate keeps with it. */
  @Nullable Object gated;

  // The fetch.
  private boolean hasFetched;
  private boolean isBlock;
  private int block;
  private int from;
  private int count;
  private int cells;
  private long bytes;

  /** Becomes another read. */
  public void begin(boolean get, int firstKey, int rowCount) {
    isGet = get;
    key = firstKey;
    rows = rowCount;
    done = 0;
    note = null;
    gated = null;
    hasFetched = false;
  }

  boolean isGet() {
    return isGet;
  }

  int key() {
    return key;
  }

  int rows() {
    return rows;
  }

  /** The first row that is not answered. */
  int next() {
    return key + done;
  }

  boolean isDone() {
    return done == rows;
  }

  /** Asks for a block. */
  boolean fetchBlock(int number, long size) {
    hasFetched = true;
    isBlock = true;
    block = number;
    cells = 0;
    bytes = size;
    return true;
  }

  /** Asks for the cells of some rows, of which so many pass the filter and travel. */
  boolean fetchCells(int fromKey, int rowCount, int passing, long size) {
    hasFetched = true;
    isBlock = false;
    from = fromKey;
    count = rowCount;
    cells = passing;
    bytes = size;
    return true;
  }

  /** Whether something has come since this was asked last. */
  boolean hasArrived() {
    boolean arrived = hasFetched;
    hasFetched = false;
    return arrived;
  }

  /** Whether what is fetched is a block; else cells. */
  public boolean isBlock() {
    return isBlock;
  }

  int block() {
    return block;
  }

  /** The first of the rows fetched. */
  int from() {
    return from;
  }

  /** The rows fetched, those that the filter kept away included. */
  int count() {
    return count;
  }

  /** Cells that storage picks for the fetch; 0 of a block. */
  public int cells() {
    return cells;
  }

  /** Bytes of the cells or the block. */
  public long bytes() {
    return bytes;
  }
}
