package io.ishbase.sim.design;

import io.ishbase.sim.workload.Parameters;
import io.ishbase.sim.workload.Requests;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a region, one cell each: in the blocks of one file, in the memstore, in the files of
 * flushes. No file is compacted. A read looks for a row in its newest file only, as if Bloom
 * filters never erred.
 */
public final class Data {
  private static final double BYTES_OF_RUN = 16 << 20;
  private static final double BYTES_OF_ROW = 12;
  private static final double BYTES_OF_REQUEST = 8;
  private static final double BYTES_OF_ENTRY = 48;

  private final int keys;
  private final int cellsPerBlock;
  private final int cellBytes;
  private final int blockBytes;
  private final double filterShare;
  private final int flushCells;
  private int blocks;

  /** Where a row lies, as block times cells plus place; null: nothing was ever written. */
  private int @Nullable [] places;

  private @Nullable BitSet memstore;
  private int memstoreCells;

  public Data(Parameters parameters) {
    keys = Requests.keys(parameters);
    cellBytes = parameters.whole("cell.bytes");
    blockBytes = parameters.whole("block.bytes");
    cellsPerBlock = blockBytes / cellBytes;
    blocks = parameters.whole("blocks");
    filterShare = parameters.number("filter.share");
    flushCells = Math.max(1, (int) (parameters.number("flush.bytes") / cellBytes));
  }

  /**
   * Heap that a run needs at most, in bytes: some numbers of each row, for places of those written
   * and for bounds, one of each request, and entries of a cache.
   */
  public static long bytesOfRun(Parameters parameters) {
    double rows = Requests.keys(parameters);
    return (long)
        (BYTES_OF_RUN
            + BYTES_OF_ROW * rows
            + BYTES_OF_REQUEST * parameters.number("requests")
            + BYTES_OF_ENTRY * parameters.number("cache") * rows);
  }

  /** Rows. */
  public int keys() {
    return keys;
  }

  public int cellBytes() {
    return cellBytes;
  }

  public int blockBytes() {
    return blockBytes;
  }

  int cellsPerBlock() {
    return cellsPerBlock;
  }

  /** Bytes of the first file. */
  public long bytes() {
    return (long) keys * cellBytes;
  }

  /** The block with the newest version of a row that is not in the memstore. */
  int block(int key) {
    return (places == null ? key : places[key]) / cellsPerBlock;
  }

  /** Its place in there, from 0. */
  int slot(int key) {
    return (places == null ? key : places[key]) % cellsPerBlock;
  }

  /** How many of some rows, from one on, lie side by side in its block. */
  int rowsInBlock(int key, int most) {
    int block = block(key);
    if (places == null) {
      return Math.min(most, (block + 1) * cellsPerBlock - key);
    }
    int rows = 1;
    while (rows < most && block(key + rows) == block) {
      rows++;
    }
    return rows;
  }

  /** Whether a row passes the filter of Scans. A row always does or never. */
  boolean passes(int key) {
    if (filterShare == 0) {
      return true;
    }
    long hash = (key + 1) * 0x9E3779B97F4A7C15L;
    hash = (hash ^ hash >>> 32) * 0xBF58476D1CE4E5B9L;
    return (hash >>> 11) * 0x1p-53 >= filterShare;
  }

  boolean isFiltered() {
    return filterShare > 0;
  }

  /** How many of some rows pass. */
  int passing(int key, int count) {
    if (filterShare == 0) {
      return count;
    }
    int passing = 0;
    for (int i = 0; i < count; i++) {
      passing += passes(key + i) ? 1 : 0;
    }
    return passing;
  }

  /** Whether the newest version of a row is in the memstore. */
  public boolean isInMemstore(int key) {
    return memstore != null && memstore.get(key);
  }

  /**
   * Writes a row into the memstore.
   *
   * @return whether that is to be flushed
   */
  public boolean put(int key) {
    if (memstore == null) {
      memstore = new BitSet(keys);
    }
    memstore.set(key);
    return ++memstoreCells >= flushCells;
  }

  /** Flushes the memstore into a new file, and says to the design which rows. Returns its bytes. */
  public long flush(Design design) {
    BitSet from = memstore;
    if (from == null || from.isEmpty()) {
      return 0;
    }
    if (places == null) {
      places = new int[keys];
      for (int key = 0; key < keys; key++) {
        places[key] = key;
      }
    }
    int[] flushed = from.stream().toArray();
    for (int i = 0; i < flushed.length; i++) {
      places[flushed[i]] = blocks * cellsPerBlock + i;
    }
    blocks += (flushed.length + cellsPerBlock - 1) / cellsPerBlock;
    from.clear();
    memstoreCells = 0;
    design.flushed(flushed, flushed.length);
    return (long) flushed.length * cellBytes;
  }
}
