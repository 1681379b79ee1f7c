package io.ishbase.core.cache.file;

import io.ishbase.core.KeyHash;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link FileCache} holds of one open store. Thread safe, if all changes are made under one
 * lock, that of the memory which rows leave and come back to: {@link #find} needs none.
 */
public final class FiledRows {
  private final FileCache cache;

  /**
   * What is clean has the first of these numbers, what is not the second; none is used again. By
   * the first one rows are told from those of others.
   */
  private volatile int generation;

  private volatile int uncleanGeneration;
  private volatile boolean hasRows;

  FiledRows(FileCache cache) {
    this.cache = cache;
    generation = cache.newGeneration(this);
    uncleanGeneration = cache.newGeneration(this);
  }

  long hash(byte[] row) {
    return KeyHash.of(generation, row);
  }

  /** Whether there may be any rows. */
  public boolean hasRows() {
    return hasRows && cache.isInUse();
  }

  /** Whether a row is there, by the index alone: {@link #find} may know better. */
  public boolean mayHave(byte[] row) {
    return hasRows && cache.find(hash(row)) != 0;
  }

  /** A row; null: it is not there. Reads the disk. */
  public @Nullable FiledRow find(byte[] row) {
    return hasRows ? cache.read(this, row, hash(row)) : null;
  }

  /** The same for who only looks: it does not count as asked for. */
  public @Nullable FiledRow peek(byte[] row) {
    return hasRows ? cache.peek(this, row, hash(row)) : null;
  }

  /** Whether a row still lies where it was found, and nothing has changed of it since. */
  public boolean isAt(byte[] row, long place) {
    return cache.isAt(hash(row), place);
  }

  /**
   * Takes a row that leaves the memory.
   *
   * @param entry what lies in this buffer: the row key, and the payload
   */
  public void left(
      byte[] row, ByteBuffer entry, int payload, int length, boolean clean, boolean trimmed) {
    if (cache.write(this, row, hash(row), entry, payload, length, clean, trimmed)) {
      hasRows = true;
    }
  }

  /**
   * Takes what a flush adds to a row that lies here.
   *
   * @return whether the row can be found with it; if not, it is to be forgotten
   */
  public boolean changed(byte[] row, byte[] payload, boolean trimmed) {
    return cache.append(this, row, hash(row), payload, trimmed);
  }

  /** Forgets a row: what comes to be known of it is another. */
  public void forget(byte[] row) {
    if (hasRows) {
      cache.forget(hash(row));
    }
  }

  /** Forgets all rows of which a compaction may drop something. */
  public void forgetUnclean() {
    cache.retire(uncleanGeneration);
    uncleanGeneration = cache.newGeneration(this);
  }

  /** Forgets all rows. */
  public void forgetAll() {
    forgetUnclean();
    cache.retire(generation);
    generation = cache.newGeneration(this);
    hasRows = false;
  }

  /** The number that what is written now has. */
  int generation(boolean clean) {
    return clean ? generation : uncleanGeneration;
  }

  /** Forgets all rows, for good. */
  public void close() {
    forgetAll();
    cache.retire(generation);
    cache.retire(uncleanGeneration);
  }
}
