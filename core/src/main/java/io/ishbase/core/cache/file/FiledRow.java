package io.ishbase.core.cache.file;

import java.util.List;

/**
 * A row as it left the cache's memory, and what flushes have added since.
 *
 * @param payloads the newest first; the last one has all cells that the row had when it left
 * @param clean whether no compaction could drop any of it
 * @param trimmed whether the store's files may hold more of it, which most readers do not see
 * @param place where it was found: {@link FiledRows#isAt}
 */
public record FiledRow(List<byte[]> payloads, boolean clean, boolean trimmed, long place) {}
