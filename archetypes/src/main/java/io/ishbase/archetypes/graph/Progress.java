package io.ishbase.archetypes.graph;

import java.io.IOException;

/** Is told how far a change of edges has come. What it throws ends the change there. */
public interface Progress {
  /** Does not look. */
  Progress IGNORED = step -> {};

  /** {@code step} is done for all edges that change together. */
  void done(Step step) throws IOException;
}
