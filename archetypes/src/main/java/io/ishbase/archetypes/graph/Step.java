package io.ishbase.archetypes.graph;

/** The writes that a change of edges consists of, in their order. */
public enum Step {
  /** The row of the far end knows that something is about to happen to the edge. */
  ANNOUNCED,
  /** The edge's own row has the new properties; only where edges have rows of their own. */
  RECORDED,
  /** The row of the near end has changed: from now on the change counts. */
  DECIDED,
  /** The edge's own row is rid of what it had before; only where edges have rows of their own. */
  FORGOTTEN,
  /** The row of the far end is no longer in doubt. */
  SETTLED
}
