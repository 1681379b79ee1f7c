package io.ishbase.sim.miniature;

/**
 * What reads of a table fetch from storage through a cache of some size.
 *
 * @param share the cache's size as a part of the table's bytes
 * @param ofGet fetches of a Get that it waits for, of a row or a block
 * @param ofScan fetches of a Scan
 * @param scanBytes bytes of rows or blocks that a Scan fetches
 * @param unasked fetches behind a read's back, of stretches that the cache wants, for each read
 * @param unaskedBytes bytes of these
 */
public record Fetches(
    double share,
    double ofGet,
    double ofScan,
    double scanBytes,
    double unasked,
    double unaskedBytes) {
  /** What lies between this and another, {@code part} of the way. */
  Fetches towards(Fetches other, double part) {
    return new Fetches(
        share + part * (other.share - share),
        ofGet + part * (other.ofGet - ofGet),
        ofScan + part * (other.ofScan - ofScan),
        scanBytes + part * (other.scanBytes - scanBytes),
        unasked + part * (other.unasked - unasked),
        unaskedBytes + part * (other.unaskedBytes - unaskedBytes));
  }
}
