package io.ishbase.bench;

import java.io.Closeable;
import java.io.IOException;

/** Something that clients do again and again. */
@FunctionalInterface
public interface Load {
  /** One client; used by one thread. */
  @FunctionalInterface
  interface Client extends Closeable {
    /**
     * Does one operation and says in {@code tally} what it moved.
     *
     * @throws IOException if it failed or its answer is wrong; the measurement ends
     */
    void operate(Tally tally) throws IOException;

    @Override
    default void close() throws IOException {}
  }

  /**
   * Makes a client.
   *
   * @param worker its number, from 0: for seeds and for shares of the data
   */
  Client open(int worker) throws IOException;
}
