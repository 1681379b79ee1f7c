package io.ishbase.archetypes.document;

import java.io.IOException;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/**
 * What a write is to do with a row.
 *
 * @param after the columns that are to be there of those that were read, or all
 * @param whole whether {@code after} is all that is to be there, rather than what was not read, too
 * @param live whether there is to be a document
 * @param indexed the patterns whose entries may change
 * @param atLeast the smallest version that it may get
 */
record Change(Columns after, boolean whole, boolean live, Collection<Path> indexed, long atLeast) {

  /** What to do with a row as it is now; null if nothing, because a condition does not hold. */
  interface Plan {
    Selection reads();

    @Nullable Change change(Snapshot now) throws IOException;
  }
}
