package io.ishbase.archetypes.queue;

/**
 * What the registry says of a lane.
 *
 * @param id its number
 * @param openedMillis when its producer opened it
 * @param floor the lowest message that may be read: those below are trimmed
 * @param floorMillis the time of the last message below the floor
 * @param deleted messages below are deleted; not above the floor
 * @param end the number that no message ever gets, {@link #OPEN} while nobody knows
 */
record Lane(long id, long openedMillis, long floor, long floorMillis, long deleted, long end) {
  static final long OPEN = Long.MAX_VALUE;

  static Lane opened(long id, long nowMillis) {
    return new Lane(id, nowMillis, 0, 0, 0, OPEN);
  }

  boolean isOpen() {
    return end == OPEN;
  }

  Lane withFloor(long newFloor, long newFloorMillis) {
    return new Lane(id, openedMillis, newFloor, newFloorMillis, deleted, end);
  }

  Lane withDeleted(long newDeleted) {
    return new Lane(id, openedMillis, floor, floorMillis, newDeleted, end);
  }

  Lane withEnd(long newEnd) {
    return new Lane(id, openedMillis, floor, floorMillis, deleted, newEnd);
  }
}
