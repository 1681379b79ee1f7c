package io.ishbase.archetypes.graph;

import java.io.IOException;

/** A traversal met more vertices than it was allowed to. */
public final class VisitLimitException extends IOException {
  private static final long serialVersionUID = 1;

  VisitLimitException(int limit) {
    super("More than " + limit + " vertices were met; allow more, or select fewer edges");
  }
}
