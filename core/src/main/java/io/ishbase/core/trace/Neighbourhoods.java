package io.ishbase.core.trace;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/**
 * Which rows of a region are recorded: a share of its neighbourhoods, each whole. A neighbourhood
 * is all rows that begin with the same bits, and a hash of these bits says whether it is recorded.
 * So what was chosen stays chosen wherever the region moves and however it is split, and rows to
 * come are chosen as those that are there.
 *
 * <p>How many bits follows from where the blocks of the region's largest file begin: so many that
 * one in {@link #BLOCKS} of them is parted from the one before it. Where that is not known yet, or
 * there are too few blocks to tell, a neighbourhood is what is alike but for the last byte.
 *
 * <p>Immutable.
 */
public final class Neighbourhoods {
  /** Blocks whose rows are about one neighbourhood. */
  public static final int BLOCKS = 4;

  /** A share of one. */
  public static final int ALL = 1000;

  /** Fewer blocks say nothing of how rows lie. */
  private static final int LEAST_KNOWN = 16;

  private static final int WITHOUT_LAST_BYTE = -1;

  private final int bits;
  private final int perMille;

  private Neighbourhoods(int bits, int perMille) {
    this.bits = bits;
    this.perMille = perMille;
  }

  /**
   * Those of a region of which nothing is known.
   *
   * @param perMille of a thousand neighbourhoods so many are recorded
   */
  public static Neighbourhoods unknown(int perMille) {
    return new Neighbourhoods(WITHOUT_LAST_BYTE, perMille);
  }

  /**
   * Those of rows that share their first bits.
   *
   * @param perMille of a thousand neighbourhoods so many are recorded
   */
  public static Neighbourhoods ofBits(int bits, int perMille) {
    return new Neighbourhoods(bits, perMille);
  }

  /**
   * Those of a region.
   *
   * @param runs the rows with which blocks of one file begin: of each run in their order, without
   *     any left out
   * @param perMille of a thousand neighbourhoods so many are recorded
   */
  public static Neighbourhoods of(List<List<byte[]>> runs, int perMille) {
    // So many bits part a block from the one before it.
    List<Integer> parting = new ArrayList<>();
    for (List<byte[]> run : runs) {
      for (int i = 1; i < run.size(); i++) {
        parting.add(commonBits(run.get(i - 1), run.get(i)) + 1);
      }
    }
    if (parting.size() < LEAST_KNOWN) {
      return unknown(perMille);
    }
    Collections.sort(parting);
    return ofBits(parting.get(parting.size() / BLOCKS), perMille);
  }

  private static int commonBits(byte[] one, byte[] other) {
    int at = Arrays.mismatch(one, other);
    if (at < 0 || at == one.length || at == other.length) {
      return Byte.SIZE * Math.min(one.length, other.length);
    }
    return Byte.SIZE * at + Integer.numberOfLeadingZeros((one[at] ^ other[at]) & 0xFF) - 24;
  }

  /** Whether nothing was known of how the rows lie. */
  public boolean isUnknown() {
    return bits == WITHOUT_LAST_BYTE;
  }

  /** Whether the neighbourhood of a row, the first {@code length} bytes, is recorded. */
  public boolean has(byte[] row, int length) {
    if (perMille == ALL) {
      return true;
    }
    int whole = wholeBytes(length);
    // FNV-1a, whose last bytes hardly reach its upper half before they are mixed.
    long hash = 0xCBF29CE484222325L;
    for (int i = 0; i < whole; i++) {
      hash = (hash ^ row[i]) * 0x100000001B3L;
    }
    hash = (hash ^ rest(row, length, whole)) * 0x100000001B3L;
    return (mixed(hash) >>> 32) * ALL >>> 32 < perMille;
  }

  /** Whether two rows, the first bytes of arrays, are of one neighbourhood. */
  public boolean areTogether(byte[] row, int length, byte[] other, int otherLength) {
    int whole = wholeBytes(length);
    return wholeBytes(otherLength) == whole
        && Arrays.mismatch(row, 0, whole, other, 0, whole) < 0
        && rest(row, length, whole) == rest(other, otherLength, whole);
  }

  private int wholeBytes(int length) {
    return isUnknown() ? Math.max(0, length - 1) : Math.min(length, bits / Byte.SIZE);
  }

  /** The bits behind the last whole byte; 0 if there are none. */
  private int rest(byte[] row, int length, int whole) {
    return isUnknown() || whole == length ? 0 : row[whole] & 0xFF00 >> bits % Byte.SIZE & 0xFF;
  }

  /** As splitmix64 ends. */
  private static long mixed(long hash) {
    long mixed = (hash ^ hash >>> 30) * 0xBF58476D1CE4E5B9L;
    mixed = (mixed ^ mixed >>> 27) * 0x94D049BB133111EBL;
    return mixed ^ mixed >>> 31;
  }

  @Override
  public String toString() {
    return perMille
        + " of 1000 neighbourhoods, each of rows alike "
        + (isUnknown() ? "but for the last byte" : "in " + bits + " bits");
  }
}
