package io.ishbase.archetypes.graph;

/**
 * What the row of a vertex says of one of its edges. At the near end ({@code from}) it is the edge;
 * at the far end ({@code to}) it says that the edge is there, or, while its value is {@link
 * #DOUBT}, that only the near end knows.
 *
 * <p>Its times follow from that of the incarnation, t: announced at t, settled at t + 1, in doubt
 * before its removal at t + 2. So of all writes to it, whatever their order, the last by these
 * steps is what is read.
 */
record EdgeEntry(Keys.Side side, Edge edge, Incarnation incarnation) {
  static final byte DOUBT = 0;
  static final byte SURE = 1;

  boolean isInDoubt() {
    byte[] value = incarnation.value();
    return side == Keys.Side.FAR && (value.length != 1 || value[0] != SURE);
  }

  /** Whether both speak of the same end of the same edge. */
  boolean isSameEnd(EdgeEntry other) {
    return side == other.side && edge.equals(other.edge);
  }

  static Incarnation announced(Incarnation decided) {
    return new Incarnation(decided.stamp(), decided.time(), new byte[] {DOUBT});
  }

  static Incarnation settled(Incarnation decided) {
    return new Incarnation(decided.stamp(), decided.time() + 1, new byte[] {SURE});
  }

  static Incarnation leaving(Incarnation decided) {
    return new Incarnation(decided.stamp(), decided.time() + 2, new byte[] {DOUBT});
  }
}
