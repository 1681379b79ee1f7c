package io.ishbase.core.cache;

import org.jspecify.annotations.Nullable;

/**
 * A change of a store's files: from its beginning until it is closed no fill lands. One that does
 * more than {@link #merge} what a flush wrote is a <em>rewrite</em>: the files may then lack what
 * they had, and a reader of the old ones cannot go on with rows of the new ones ({@link
 * StoreCache#isRewrittenSince}). Used by one thread at a time.
 */
public final class Change implements AutoCloseable {
  private final StoreCache store;
  private boolean isRewrite;
  private boolean closed;

  Change(StoreCache store) {
    this.store = store;
  }

  /**
   * Applies the new cells of a row to what is cached of it. A row of which it was known that there
   * is nothing gets an entry. If the result cannot be kept, the row is dropped.
   *
   * @return whether the row is covered afterwards; if it was not, {@code merge} was not called
   */
  public boolean merge(byte[] row, Merge merge) {
    check();
    return store.merge(row, merge);
  }

  /**
   * Drops an interval of rows.
   *
   * @param from inclusive; empty: the beginning of the store
   * @param to exclusive; null: the end of the store
   */
  public void dropRange(byte[] from, byte @Nullable [] to) {
    check();
    isRewrite = true;
    store.dropRange(from, to);
  }

  /** Drops all rows. */
  public void dropAll() {
    dropRange(new byte[0], null);
  }

  /** Drops all rows that are not clean: a compaction may have dropped a part of them. */
  public void compacted() {
    check();
    isRewrite = true;
    store.dropUnclean();
  }

  private void check() {
    if (closed) {
      throw new IllegalStateException("The change is closed");
    }
  }

  /** Ends the change: fills with tickets from now on land. Closing it again does nothing. */
  @Override
  public void close() {
    if (!closed) {
      closed = true;
      store.endChange(isRewrite);
    }
  }
}
