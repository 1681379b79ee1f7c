package io.ishbase.archetypes.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.archetypes.metrics.ReadPlan.Part;
import java.io.IOException;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

class ReadPlanTest {
  private static final long DAYS = 3 * Resolution.DAY.stepMillis();

  /** A random half of all buckets is rolled up. */
  private static boolean isRolledUp(long seed, Resolution resolution, long start) {
    return new Random(seed ^ start ^ resolution.ordinal() * 0x9E3779B97F4A7C15L).nextInt() > 0;
  }

  @Property(tries = 40)
  void eachSecondIsReadOnceFromTheCoarsestThatAnswers(
      @ForAll long seed,
      @ForAll @IntRange(max = 250_000) int first,
      @ForAll @IntRange(min = 1, max = 250_000) int seconds,
      @ForAll Resolution coarsest)
      throws IOException {
    long from = first * 1_000L;
    TimeRange range = new TimeRange(from, Math.min(from + seconds * 1_000L, DAYS));
    if (range.isEmpty()) {
      return;
    }
    List<Part> parts =
        ReadPlan.of(
                range,
                coarsest,
                (resolution, whole) -> {
                  Set<Long> starts = new TreeSet<>();
                  for (long at = whole.fromMillis();
                      at < whole.toMillis();
                      at += resolution.stepMillis()) {
                    if (isRolledUp(seed, resolution, at)) {
                      starts.add(at);
                    }
                  }
                  return starts;
                })
            .stream()
            .sorted(Comparator.comparingLong(part -> part.range().fromMillis()))
            .toList();
    long at = range.fromMillis();
    for (Part part : parts) {
      assertThat(part.range().fromMillis()).isEqualTo(at);
      for (long start = at;
          start < part.range().toMillis();
          start += part.resolution().stepMillis()) {
        assertThat(best(seed, range, coarsest, start)).isEqualTo(part.resolution());
      }
      at = part.range().toMillis();
    }
    assertThat(at).isEqualTo(range.toMillis());
  }

  private static Resolution best(long seed, TimeRange range, Resolution coarsest, long millis) {
    for (int i = coarsest.ordinal(); i > 0; i--) {
      Resolution one = Resolution.values()[i];
      long start = one.floor(millis);
      if (start >= range.fromMillis()
          && start + one.stepMillis() <= range.toMillis()
          && isRolledUp(seed, one, start)) {
        return one;
      }
    }
    return Resolution.SECOND;
  }
}
