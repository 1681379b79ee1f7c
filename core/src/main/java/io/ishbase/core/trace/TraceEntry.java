package io.ishbase.core.trace;

/**
 * One operation of a trace. What is not known is {@link #UNKNOWN}.
 *
 * @param micros when it began, in microseconds since any moment that is the same for all
 * @param table any name without tabs; empty if there is only one table
 * @param row its bytes, each a char; or digits, if rows are {@link Keys#ORDINALS}
 * @param length rows: 1, or what a Scan took
 * @param cells of all these rows
 * @param bytes keys and values of these cells
 */
public record TraceEntry(
    long micros,
    Operation operation,
    String table,
    String row,
    long length,
    long cells,
    long bytes) {
  /** Instead of a number that is not known. */
  public static final long UNKNOWN = -1;

  /** The same at another time. */
  public TraceEntry at(long otherMicros) {
    return new TraceEntry(otherMicros, operation, table, row, length, cells, bytes);
  }

  /** What was done. */
  public enum Operation {
    GET,
    SCAN,
    PUT,
    DELETE
  }

  /** What the rows of a trace are. */
  public enum Keys {
    /** Row keys, in whose order rows lie. */
    ROWS,
    /** The numbers of rows in the order of their keys, from 0. */
    ORDINALS,
    /** Names without order: which rows lie together is lost. */
    HASHED
  }
}
