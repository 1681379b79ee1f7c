package io.ishbase.sim.miniature;

import java.util.Arrays;

/** What clients once asked of a table, its rows numbered in the order of their keys. */
public final class Reads {
  /** Rows that are taken or left together, so that neighbours stay together. */
  private static final int NEIGHBOURS = 64;

  private static final long SCATTER = 0x9E3779B97F4A7C15L;

  private final int rows;
  private final int[] keys;
  private final int[] lengths;
  private final double part;
  private final double kept;

  /**
   * @param rows numbers are below
   * @param keys the row of each Get, the first row of each Scan, in the order of time
   * @param lengths rows of each Scan; 0: a Get
   * @param part of the table's rows whose reads these are; 1: all reads
   */
  public Reads(int rows, int[] keys, int[] lengths, double part) {
    this(rows, keys, lengths, part, 1);
  }

  private Reads(int rows, int[] keys, int[] lengths, double part, double kept) {
    this.rows = rows;
    this.keys = keys;
    this.lengths = lengths;
    this.part = part;
    this.kept = kept;
  }

  /** How many rows there are. */
  public int rows() {
    return rows;
  }

  /** How many reads there are. */
  public int count() {
    return keys.length;
  }

  /** How many of them are Gets. */
  public long gets() {
    return Arrays.stream(lengths).filter(length -> length == 0).count();
  }

  /** Of which part of the table's rows. */
  public double part() {
    return part;
  }

  int key(int read) {
    return keys[read];
  }

  boolean isGet(int read) {
    return lengths[read] == 0;
  }

  /** Rows of a read, no more than there are behind its first. */
  int length(int read) {
    return Math.min(rows - keys[read], Math.max(1, lengths[read]));
  }

  /** Which part of all reads of the table these are. */
  double partOfReads() {
    return part * kept;
  }

  /** About as many rows as that, whole neighbourhoods of them by a hash, and the reads of these. */
  Reads thinned(int mostRows) {
    if (rows <= mostRows) {
      return this;
    }
    double taken = (double) mostRows / rows;
    int[] numbers = new int[rows];
    int count = 0;
    for (int row = 0; row < rows; row++) {
      long hash = (row / NEIGHBOURS + 1) * SCATTER;
      hash = (hash ^ hash >>> 29) * SCATTER;
      numbers[row] = (hash >>> 11) * 0x1p-53 < taken ? count++ : -1;
    }
    int[] some = new int[keys.length];
    int[] their = new int[keys.length];
    int reads = 0;
    for (int i = 0; i < keys.length; i++) {
      if (numbers[keys[i]] >= 0) {
        some[reads] = numbers[keys[i]];
        their[reads++] = lengths[i];
      }
    }
    return new Reads(
        count,
        Arrays.copyOf(some, reads),
        Arrays.copyOf(their, reads),
        part * count / rows,
        (double) reads / keys.length * rows / count);
  }
}
