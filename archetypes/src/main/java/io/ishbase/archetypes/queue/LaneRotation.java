package io.ishbase.archetypes.queue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * The lanes in the order in which a consumer looks into them: from the one behind that which it
 * looked into last, so that none starves, also beside one that cannot be read. Consumers begin at
 * different lanes. Not safe for threads.
 */
final class LaneRotation {
  /** For how long a new lane may be overlooked while others are not empty. */
  static final long REFRESH_MILLIS = 1_000;

  private final Store store;
  private final RegistryCell cell;
  private @Nullable Registry registry;
  private long readMillis;
  private long after;

  LaneRotation(Store store, RegistryCell cell) {
    this.store = store;
    this.cell = cell;
    after = ThreadLocalRandom.current().nextLong(1 << 20);
  }

  /** All lanes; {@code fresh} if nobody may be overlooked. */
  List<Lane> lanes(boolean fresh) throws IOException {
    long now = store.clock().millis();
    Registry known = registry;
    if (known == null || fresh || now - readMillis >= REFRESH_MILLIS || now < readMillis) {
      known = cell.read();
      registry = known;
      readMillis = now;
    }
    List<Lane> lanes = new ArrayList<>(known.lanes().values());
    if (!lanes.isEmpty()) {
      int first = known.lanes().headMap(after + 1).size() % lanes.size();
      if (after > lanes.get(lanes.size() - 1).id()) {
        first = (int) (after % lanes.size());
      }
      Collections.rotate(lanes, -first);
    }
    return lanes;
  }

  /** To be called before anything can fail in the lane. */
  void looksInto(Lane lane) {
    after = lane.id();
  }
}
