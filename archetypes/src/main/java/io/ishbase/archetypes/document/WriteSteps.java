package io.ishbase.archetypes.document;

import java.io.IOException;

/**
 * Told of the steps of each write, on the thread that writes; what it throws ends the write there,
 * as the death of the client would.
 */
public interface WriteSteps {
  /** Nobody is told. */
  WriteSteps NONE = (step, id) -> {};

  /** A step of a write. */
  enum Step {
    /** The index has the new entries; the document is as before. */
    ENTRIES_WRITTEN,
    /** The document is written; the index has the old entries, too. */
    ROW_WRITTEN
  }

  /** The write of document {@code id} has come so far. */
  void reached(Step step, String id) throws IOException;

  /** Milliseconds since 1970, below which no version is that a write begins with. */
  default long clockMillis() {
    return System.currentTimeMillis();
  }
}
