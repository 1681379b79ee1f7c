package io.ishbase.plugin.memory;

import io.ishbase.core.memory.MemoryBudget;
import io.ishbase.core.memory.MemoryBudget.Plan;
import io.ishbase.core.memory.Utility;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Moves memory between its places as {@link MemoryBudget} says. Who shrinks gives first, and who
 * grows gets what was really given: at no time may more be taken than the sum, and nothing of it is
 * lost where a place gives late.
 *
 * <p>Thread safe.
 */
final class MemoryMover {
  private static final double SECOND = 1e9;
  private static final double MILLI = 1e6;
  private static final double MEGABYTE = 1 << 20;
  private static final long GIGABYTE = 1 << 30;

  private final List<? extends Place> places;
  private final MemoryBudget budget;
  private final LongSupplier nanoClock;
  private final long sum;

  /** What was seen last; null: nothing yet. Not guarded: who asks does not wait for a move. */
  private volatile @Nullable Seen seen;

  // Guarded by this.
  /** What each place may take, in the end the sum; not less than the place says of itself. */
  private final List<Long> sizes = new ArrayList<>();

  private long lastNanos;

  /** What memory is worth to each place, what that comes from, and what follows. */
  private record Seen(List<Utility> utilities, List<String> reasons, Plan plan) {}

  /**
   * @param budget of these places, in their order
   */
  MemoryMover(List<? extends Place> places, MemoryBudget budget, LongSupplier nanoClock) {
    this.places = List.copyOf(places);
    this.budget = budget;
    this.nanoClock = nanoClock;
    places.forEach(place -> sizes.add(place.bytes()));
    this.sum = sizes.stream().mapToLong(Long::longValue).sum();
    this.lastNanos = nanoClock.getAsLong();
  }

  /** Looks what memory is worth to whom, and moves some. */
  synchronized void move() {
    long now = nanoClock.getAsLong();
    double seconds = (now - lastNanos) / SECOND;
    lastNanos = now;
    List<Utility> utilities = places.stream().map(place -> place.utility(seconds, sum)).toList();
    Plan plan = budget.next(sizes, utilities);
    seen = new Seen(utilities, places.stream().map(Place::reason).toList(), plan);
    apply(plan.sizes());
  }

  private void apply(List<Long> wanted) {
    long left = sum;
    long growth = 0;
    for (int i = 0; i < places.size(); i++) {
      long more = wanted.get(i) - sizes.get(i);
      // One that gave late, and has to give no more, may take what it still has.
      if (more < 0 || more == 0 && places.get(i).bytes() != wanted.get(i)) {
        sizes.set(i, Math.min(sizes.get(i), places.get(i).resize(wanted.get(i))));
      }
      left -= sizes.get(i);
      growth += Math.max(0, more);
    }
    for (int i = 0; i < places.size(); i++) {
      long more = wanted.get(i) - sizes.get(i);
      if (more > 0 && left > 0) {
        // The last of those who grow gets what rounding left.
        long part = more == growth ? left : (long) ((double) more / growth * left);
        sizes.set(i, sizes.get(i) + Math.min(part, more));
        places.get(i).resize(sizes.get(i));
        left -= part;
        growth -= more;
      }
    }
  }

  /** Who has what, why, and what a gigabyte more would bring: lines for operators. */
  List<String> describe() {
    List<String> lines = new ArrayList<>();
    lines.add(
        String.format(
            Locale.ROOT,
            "%.1f MB in all, moved while running, of them %.1f MB on the heap at most",
            sum / MEGABYTE,
            Math.min(sum, budget.heapLimitBytes()) / MEGABYTE));
    Seen last = seen;
    for (int i = 0; i < places.size(); i++) {
      Place place = places.get(i);
      long bytes = place.bytes();
      lines.add(
          String.format(
              Locale.ROOT,
              "%s: %.1f MB (%.0f %%), %.1f MB of them in use, from %.1f to %.1f MB",
              place.kind().label,
              bytes / MEGABYTE,
              100.0 * bytes / sum,
              place.usedBytes() / MEGABYTE,
              budget.consumers().get(i).minBytes() / MEGABYTE,
              budget.consumers().get(i).maxBytes() / MEGABYTE));
      if (last != null) {
        double now = last.utilities.get(i).nanosPerSecond(bytes);
        double then = last.utilities.get(i).nanosPerSecond(bytes + GIGABYTE);
        lines.add("  why: " + last.reasons.get(i));
        lines.add(
            String.format(
                Locale.ROOT,
                "  saves %.3f ms of work a second; 1 GB more would save %.3f ms more",
                now / MILLI,
                (then - now) / MILLI));
      }
    }
    lines.add(last == null ? "nothing is measured yet" : nextStep(last.plan));
    return lines;
  }

  private String nextStep(Plan last) {
    if (last.stays()) {
      return "stays: no other division would save enough more";
    }
    StringBuilder text = new StringBuilder("goes to ");
    for (int i = 0; i < places.size(); i++) {
      text.append(i == 0 ? "" : ", ")
          .append(places.get(i).kind().label)
          .append(String.format(Locale.ROOT, " %.1f MB", last.best().get(i) / MEGABYTE));
    }
    double gain = last.gainNanosPerSecond();
    return text.append(
            gain > 0
                ? String.format(Locale.ROOT, ": saves %.3f ms a second more", gain / MILLI)
                : ": that is within the bounds")
        .toString();
  }
}
