package io.ishbase.archetypes.graph;

/**
 * What {@link Graph#mend} did.
 *
 * @param entries of edges that it looked at, two for each edge
 * @param removed what was left of edges that are none, and edges whose properties are lost
 * @param rewritten edges that were written anew because something of them was missing or in doubt
 */
public record Mended(long entries, long removed, long rewritten) {}
