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
 * grows gets what was really given: at no time is more taken than the sum.
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

  // Guarded by this.
  private long lastNanos;
  private List<Utility> utilities = List.of();
  private @Nullable Plan plan;

  /**
   * @param budget of these places, in their order
   */
  MemoryMover(List<? extends Place> places, MemoryBudget budget, LongSupplier nanoClock) {
    this.places = List.copyOf(places);
    this.budget = budget;
    this.nanoClock = nanoClock;
    this.sum = places.stream().mapToLong(Place::bytes).sum();
    this.lastNanos = nanoClock.getAsLong();
  }

  /** Looks what memory is worth to whom, and moves some. */
  synchronized void move() {
    long now = nanoClock.getAsLong();
    double seconds = (now - lastNanos) / SECOND;
    lastNanos = now;
    List<Utility> measured = new ArrayList<>();
    List<Long> sizes = new ArrayList<>();
    for (Place place : places) {
      measured.add(place.utility(seconds, sum));
      sizes.add(place.bytes());
    }
    Plan next = budget.next(sizes, measured);
    utilities = measured;
    plan = next;
    apply(sizes, next.sizes());
  }

  private void apply(List<Long> present, List<Long> wanted) {
    long left = sum;
    long growth = 0;
    for (int i = 0; i < places.size(); i++) {
      if (wanted.get(i) < present.get(i)) {
        left -= places.get(i).resize(wanted.get(i));
      } else {
        left -= present.get(i);
        growth += wanted.get(i) - present.get(i);
      }
    }
    for (int i = 0; i < places.size() && left > 0; i++) {
      long more = wanted.get(i) - present.get(i);
      if (more > 0) {
        double share = Math.min(1, (double) left / growth);
        places.get(i).resize(present.get(i) + (long) (share * more));
      }
    }
  }

  /** Who has what, why, and what a gigabyte more would bring: lines for operators. */
  synchronized List<String> describe() {
    List<String> lines = new ArrayList<>();
    lines.add(String.format(Locale.ROOT, "%.1f MB in all, moved while running", sum / MEGABYTE));
    for (int i = 0; i < places.size(); i++) {
      Place place = places.get(i);
      long bytes = place.bytes();
      Utility utility = i < utilities.size() ? utilities.get(i) : Utility.NONE;
      double now = utility.nanosPerSecond(bytes);
      lines.add(
          String.format(
              Locale.ROOT,
              "%s: %.1f MB (%.0f %%), %.1f MB of them in use, from %.1f to %.1f MB",
              place.name(),
              bytes / MEGABYTE,
              100.0 * bytes / sum,
              place.usedBytes() / MEGABYTE,
              budget.consumers().get(i).minBytes() / MEGABYTE,
              budget.consumers().get(i).maxBytes() / MEGABYTE));
      lines.add("  why: " + place.reason());
      lines.add(
          String.format(
              Locale.ROOT,
              "  saves %.3f ms of work a second; 1 GB more would save %.3f ms more",
              now / MILLI,
              (utility.nanosPerSecond(bytes + GIGABYTE) - now) / MILLI));
    }
    lines.add(nextStep());
    return lines;
  }

  private String nextStep() {
    Plan last = plan;
    if (last == null) {
      return "nothing is measured yet";
    }
    if (last.stays()) {
      return "stays: no other division would save enough more";
    }
    StringBuilder text = new StringBuilder("goes to ");
    for (int i = 0; i < places.size(); i++) {
      text.append(i == 0 ? "" : ", ")
          .append(places.get(i).name())
          .append(String.format(Locale.ROOT, " %.1f MB", last.best().get(i) / MEGABYTE));
    }
    return text.append(
            String.format(
                Locale.ROOT, ": saves %.3f ms a second more", last.gainNanosPerSecond() / MILLI))
        .toString();
  }
}
