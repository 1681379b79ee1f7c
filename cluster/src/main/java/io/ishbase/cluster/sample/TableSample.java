package io.ishbase.cluster.sample;

import java.util.List;
import java.util.Optional;

/**
 * A table and its load between two moments.
 *
 * @param bytes of its HFiles and memstores, once
 * @param unpacked bytes of its blocks once opened for each byte in its HFiles
 * @param files HFiles of a store, of each region
 * @param rows bytes of a row as a client gets it, of each region that was looked into; none if rows
 *     may not be read or there are none
 * @param schema if its definition is shown
 * @param reads rows that were read, by Gets or Scans, meanwhile
 * @param writes rows that were written meanwhile
 * @param kinds if its servers' pages are shown
 */
public record TableSample(
    String name,
    int regions,
    double bytes,
    double unpacked,
    Optional<Spread> files,
    Optional<Spread> rows,
    Optional<Schema> schema,
    long reads,
    long writes,
    Optional<Kinds> kinds) {

  /**
   * How it is kept.
   *
   * @param families each in words
   * @param blockBytes of a block before compression, the mean of its families
   * @param isEncoded whether a family's keys are encoded
   * @param replicas of its files; 0: as HDFS has them
   */
  public record Schema(List<String> families, double blockBytes, boolean isEncoded, int replicas) {}

  /**
   * What its reads are.
   *
   * @param gets for each row that is read
   * @param scans calls of Scans for each row that is read
   * @param isMeanwhile whether counted between the moments; else since its regions were opened
   */
  public record Kinds(double gets, double scans, boolean isMeanwhile) {}

  /** Gets meanwhile; all reads if nothing is known of their kinds. */
  public double gets() {
    return kinds.map(kind -> reads * kind.gets()).orElse((double) reads);
  }

  /** Calls of Scans meanwhile. */
  public double scans() {
    return kinds.map(kind -> reads * kind.scans()).orElse(0.0);
  }

  /** Rows of a call of a Scan; 0 if there is none. */
  public double scanRows() {
    return scans() == 0 ? 0 : Math.max(1, (reads - gets()) / scans());
  }
}
