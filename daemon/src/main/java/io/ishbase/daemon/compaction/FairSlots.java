package io.ishbase.daemon.compaction;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The slots of a worker, and who has them. As long as nobody is refused, whoever asks gets one.
 * Where somebody was, the next that becomes free is kept for those who have less than their share:
 * no region server, nor anybody who says that it is one, can take all slots again and again.
 *
 * <p>All state is guarded by this.
 */
final class FairSlots {
  /** Whoever was refused and has not asked again for so long does not want one any more. */
  private static final long WANTS_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final int slots;
  private final Map<String, Integer> held = new HashMap<>();
  private final Map<String, Long> refusedNanos = new HashMap<>();
  private int running;

  FairSlots(int slots) {
    this.slots = slots;
  }

  /** Whether {@code caller} has one slot more now. */
  synchronized boolean take(String caller, long nowNanos) {
    refusedNanos.values().removeIf(at -> nowNanos - at > WANTS_NANOS);
    if (slots - running > (isBelowShare(caller) ? 0 : othersWithLess(caller))) {
      refusedNanos.remove(caller);
      held.merge(caller, 1, Integer::sum);
      running++;
      return true;
    }
    refusedNanos.put(caller, nowNanos);
    return false;
  }

  synchronized void release(String caller) {
    held.computeIfPresent(caller, (name, count) -> count == 1 ? null : count - 1);
    running--;
  }

  synchronized int running() {
    return running;
  }

  /** Those that were refused and have less than their share. */
  private int othersWithLess(String caller) {
    return (int)
        refusedNanos.keySet().stream()
            .filter(other -> !other.equals(caller) && isBelowShare(other))
            .count();
  }

  private boolean isBelowShare(String caller) {
    long callers =
        held.size()
            + refusedNanos.keySet().stream().filter(name -> !held.containsKey(name)).count();
    boolean isKnown = held.containsKey(caller) || refusedNanos.containsKey(caller);
    return held.getOrDefault(caller, 0) < Math.max(1, slots / (isKnown ? callers : callers + 1));
  }
}
