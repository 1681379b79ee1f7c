package io.ishbase.core.cache;

import io.ishbase.core.cache.memory.Columns;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of a cached row when cells come to it: those that a flush wrote, or those that a
 * read fetched of other columns. Called under the cache's lock: must not call the cache.
 */
@FunctionalInterface
public interface Merge {
  /**
   * The new payload of a covered row.
   *
   * @param columns the columns that are cached of this row; null if it is the whole row
   * @param present buffer with the present payload; only absolute reads are allowed, and only
   *     during the call
   * @param offset where the payload begins
   * @param length its length in bytes; 0 if there is nothing
   * @return the new one; null to drop the row from the cache
   */
  @Nullable Merged merge(@Nullable Columns columns, ByteBuffer present, int offset, int length);

  /**
   * A new payload.
   *
   * @param payload empty if there is nothing
   * @param clean whether no compaction could drop a part of it
   * @param trimmed whether it lacks what the files still hold and most readers do not see. Once
   *     trimmed, a row stays so until it leaves
   */
  record Merged(byte[] payload, boolean clean, boolean trimmed) {
    /** All that the files hold. */
    public Merged(byte[] payload, boolean clean) {
      this(payload, clean, false);
    }
  }
}
