package io.ishbase.core.cache;

/**
 * Counters of a cache or of one store of it. Those in the first group only grow.
 *
 * @param hits lookups of rows that were covered
 * @param absences those of them that found that there is nothing
 * @param misses lookups of rows that were not covered
 * @param columnMisses those of them of which other columns were cached
 * @param returns rows that were filled a short while after they had left for lack of room
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
 * @param rowBytes those of them of whole rows that are there
 * @param columnBytes those of rows of which only some columns are cached
 * @param absenceBytes those of rows that are not there
 * @param edgeBytes those of entries that only end a run
 * @param runEntries entries of which it is known that nothing lies between them and the one before
 * @param heapBytes estimate of the Java heap in use for the index now
 * @param usedBytes all memory in use now, book-keeping and slack included (0 for a store)
 * @param budgetBytes bound of {@code usedBytes} (0 for a store)
 */
public record CacheStats(
    long hits,
    long absences,
    long misses,
    long columnMisses,
    long returns,
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
    long rowBytes,
    long columnBytes,
    long absenceBytes,
    long edgeBytes,
    long runEntries,
    long heapBytes,
    long usedBytes,
    long budgetBytes) {
  static final CacheStats NONE = ofMemory(0, 0);

  /** Of a cache without stores. */
  static CacheStats ofMemory(long usedBytes, long budgetBytes) {
    return new CacheStats(
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, usedBytes, budgetBytes);
  }

  /** The sums. */
  CacheStats plus(CacheStats other) {
    return new CacheStats(
        hits + other.hits,
        absences + other.absences,
        misses + other.misses,
        columnMisses + other.columnMisses,
        returns + other.returns,
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
        rowBytes + other.rowBytes,
        columnBytes + other.columnBytes,
        absenceBytes + other.absenceBytes,
        edgeBytes + other.edgeBytes,
        runEntries + other.runEntries,
        heapBytes + other.heapBytes,
        usedBytes + other.usedBytes,
        budgetBytes + other.budgetBytes);
  }
}
