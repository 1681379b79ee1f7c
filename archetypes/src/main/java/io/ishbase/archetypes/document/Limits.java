package io.ishbase.archetypes.document;

/** What is too much. Beyond it a write fails before anything is sent. */
public final class Limits {
  /** Objects and arrays in each other, and steps of a path. */
  public static final int DEPTH = 100;

  /** Bytes of an id in UTF-8. */
  public static final int ID_BYTES = 4096;

  /** Bytes of a path as a column's name. */
  public static final int PATH_BYTES = 8192;

  /** Characters of a number, and the largest power of ten in one, up or down. */
  public static final int NUMBER_DIGITS = 1000;

  /** Bytes of all cells that one write sends, without HBase's own. */
  public static final int WRITE_BYTES = 64 << 20;

  private Limits() {}
}
