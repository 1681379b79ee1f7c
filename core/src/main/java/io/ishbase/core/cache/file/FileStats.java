package io.ishbase.core.cache.file;

/**
 * Counters of a cache on a disk. All but the last three only grow.
 *
 * @param hits rows that were found there
 * @param misses lookups that found nothing, without a read of the disk in nearly all cases
 * @param reads of the disk
 * @param writtenRows rows that were written there
 * @param writtenBytes bytes of the disk that were written
 * @param keptRows of those, rows that were about to be overwritten and had been asked for
 * @param lostRows rows that were not written, since the disk was behind
 * @param damaged rows of which the disk gave back something else
 * @param bytes size of the file; 0: it is in use no more
 * @param usedBytes of it, what is written
 * @param indexBytes memory of the index
 */
public record FileStats(
    long hits,
    long misses,
    long reads,
    long writtenRows,
    long writtenBytes,
    long keptRows,
    long lostRows,
    long damaged,
    long bytes,
    long usedBytes,
    long indexBytes) {
  /** Of no cache. */
  public static final FileStats NONE = new FileStats(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
}
