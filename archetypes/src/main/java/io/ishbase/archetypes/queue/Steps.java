package io.ishbase.archetypes.queue;

import java.io.IOException;

/**
 * Is told of each step of a client: a seam at which a test ends the client, as a crash would. All
 * that a crash can tear apart lies between two steps.
 */
public interface Steps {
  /** Does nothing. */
  Steps NONE = (step, done) -> {};

  /**
   * @param done whether {@code step} was done, rather than is about to be
   * @throws IOException to end the client there
   */
  void at(Step step, boolean done) throws IOException;
}
