package io.ishbase.core.cache.file;

/**
 * A row as it left the cache's memory.
 *
 * @param payload all cells of the row; length 0: there are none
 * @param clean whether no compaction could drop any of it
 * @param trimmed whether the store's files may hold more of it, which most readers do not see
 * @param place where it was found: {@link FiledRows#isAt}
 */
@SuppressWarnings("ArrayRecordComponent")
public record FiledRow(byte[] payload, boolean clean, boolean trimmed, long place) {}
