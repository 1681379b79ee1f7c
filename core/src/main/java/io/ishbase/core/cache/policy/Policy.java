package io.ishbase.core.cache.policy;

/**
 * What {@link Hand} goes by. {@code PolicyTest} shows what other values would do.
 *
 * @param smallShare the part of all chunks that rows get which have not proved themselves
 * @param alpha weight of the hits since the hand came by last, in the heat
 * @param droppedShare the part of main chunks that is to go when the hand comes by, on average
 * @param droppedInChange the same, of each of them, while what is asked for changes
 */
public record Policy(double smallShare, double alpha, double droppedShare, double droppedInChange) {
  public static final Policy DEFAULT = new Policy(0.03, 0.06, 0.25, 0.7);
}
