package io.ishbase.core.cache;

/**
 * Counters of a cache or of one store of it. Those in the first group only grow.
 *
 * @param hits lookups of rows that were covered
 * @param absences those of them that found that there is nothing
 * @param misses lookups of rows that were not covered
 * @param fills entries that were filled
 * @param refused fills that did not land: too late, too large, or no memory
 * @param evictions entries that left for lack of room
 * @param dropped entries that left because they were no longer known to be true
 * @param upgrades stretches that were advised in place of a row
 * @param upgradedRows rows that came that way, and have left or been hit since
 * @param upgradedRowsHit those of them that were hit
 * @param entries entries now
 * @param segments index segments now
 * @param cachedBytes row keys, columns and payloads now
 * @param heapBytes estimate of the Java heap in use for the index now
 * @param usedBytes all memory in use now, book-keeping and slack included (0 for a store)
 * @param budgetBytes bound of {@code usedBytes} (0 for a store)
 */
public record CacheStats(
    long hits,
    long absences,
    long misses,
    long fills,
    long refused,
    long evictions,
    long dropped,
    long upgrades,
    long upgradedRows,
    long upgradedRowsHit,
    long entries,
    long segments,
    long cachedBytes,
    long heapBytes,
    long usedBytes,
    long budgetBytes) {
  static final CacheStats NONE = new CacheStats(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

  /** The sums. */
  CacheStats plus(CacheStats other) {
    return new CacheStats(
        hits + other.hits,
        absences + other.absences,
        misses + other.misses,
        fills + other.fills,
        refused + other.refused,
        evictions + other.evictions,
        dropped + other.dropped,
        upgrades + other.upgrades,
        upgradedRows + other.upgradedRows,
        upgradedRowsHit + other.upgradedRowsHit,
        entries + other.entries,
        segments + other.segments,
        cachedBytes + other.cachedBytes,
        heapBytes + other.heapBytes,
        usedBytes + other.usedBytes,
        budgetBytes + other.budgetBytes);
  }
}
