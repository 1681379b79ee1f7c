package io.ishbase.archetypes.graph;

/**
 * An edge by what makes it one: its ends, its label and a number that tells parallel edges apart.
 * Both ends may be the same vertex, and neither needs to have been added as a vertex.
 *
 * @param from where it comes from
 * @param label what it says
 * @param to where it leads
 * @param number 0 unless there are several edges with these ends and this label
 */
public record Edge(String from, String label, String to, long number) {
  /**
   * An edge.
   *
   * @throws IllegalArgumentException if an id or the label is empty, too long, or no text
   */
  public Edge {
    Limits.id(from);
    Limits.label(label);
    Limits.id(to);
  }

  /** The only edge with these ends and this label. */
  public static Edge of(String from, String label, String to) {
    return new Edge(from, label, to, 0);
  }

  /** The other end than {@code vertex}; {@code vertex} itself if the edge is a loop. */
  public String other(String vertex) {
    return from.equals(vertex) ? to : from;
  }
}
