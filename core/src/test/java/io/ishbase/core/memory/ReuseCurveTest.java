package io.ishbase.core.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ReuseCurveTest {
  private static final int ENTRY_BYTES = 100;
  private static final long MISS_NANOS = 1000;

  /** A cache that goes by recency. */
  private static final class Lru extends LinkedHashMap<Integer, Boolean> {
    private final int places;
    private int hits;

    Lru(int places) {
      super(16, 0.75f, true);
      this.places = places;
    }

    void access(int key) {
      if (get(key) != null) {
        hits++;
      } else {
        put(key, true);
      }
    }

    @Override
    protected boolean removeEldestEntry(Map.Entry<Integer, Boolean> eldest) {
      return size() > places;
    }
  }

  /** Ranks with the probabilities of a Zipfian distribution, by inversion of its integral. */
  private static int zipfian(Random random, int keys) {
    double u = random.nextDouble();
    return (int) Math.pow(keys, u) - 1;
  }

  @Test
  void saysHowOftenACacheOfEachSizeWouldHit() {
    Random random = new Random(1);
    ReuseCurve curve = new ReuseCurve();
    int[] sizes = {1000, 2000, 5000, 20_000, 60_000};
    Lru[] caches = new Lru[sizes.length];
    for (int i = 0; i < sizes.length; i++) {
      caches[i] = new Lru(sizes[i]);
    }
    int accesses = 400_000;
    for (int i = 0; i < accesses; i++) {
      int key = zipfian(random, 100_000);
      curve.accessed(key);
      for (Lru cache : caches) {
        cache.access(key);
      }
    }
    curve.missTook(MISS_NANOS);
    curve.elapsed(1, Double.MAX_VALUE);
    Utility utility = curve.utility(ENTRY_BYTES);
    for (int i = 0; i < sizes.length; i++) {
      double hits = utility.nanosPerSecond((long) sizes[i] * ENTRY_BYTES) / MISS_NANOS;
      System.out.println(sizes[i] + ": " + caches[i].hits + " hits, told " + hits);
    }
    for (int i = 0; i < sizes.length; i++) {
      double hits = utility.nanosPerSecond((long) sizes[i] * ENTRY_BYTES) / MISS_NANOS;
      assertThat(hits / accesses).isCloseTo((double) caches[i].hits / accesses, within(0.04));
    }
    assertThat(curve.watched()).isLessThanOrEqualTo(ReuseCurve.MAX_WATCHED);
  }

  @Test
  void aScanHitsNothingUntilAllOfItFits() {
    ReuseCurve curve = new ReuseCurve();
    int keys = 50_000;
    for (int i = 0; i < 10 * keys; i++) {
      curve.accessed(i % keys);
    }
    curve.missTook(MISS_NANOS);
    curve.elapsed(1, Double.MAX_VALUE);
    Utility utility = curve.utility(ENTRY_BYTES);
    double all = utility.nanosPerSecond(2L * keys * ENTRY_BYTES);
    assertThat(all).isCloseTo(9.0 * keys * MISS_NANOS, within(0.1 * all));
    assertThat(utility.nanosPerSecond((long) (0.85 * keys * ENTRY_BYTES))).isLessThan(0.02 * all);
    assertThat(utility.nanosPerSecond((long) (1.15 * keys * ENTRY_BYTES)))
        .isGreaterThan(0.98 * all);
  }

  @Test
  void whatIsLongAgoIsForgotten() {
    ReuseCurve curve = new ReuseCurve();
    for (int i = 0; i < 10_000; i++) {
      curve.accessed(i % 100);
    }
    curve.missTook(MISS_NANOS);
    curve.elapsed(1, 1000);
    double before = curve.utility(1).nanosPerSecond(1000);
    for (int i = 0; i < 60; i++) {
      curve.elapsed(10, 1000);
    }
    assertThat(before).isPositive();
    assertThat(curve.utility(1).nanosPerSecond(1000)).isLessThan(before / 50);
  }

  @Test
  void aCacheThatAlwaysHitsKeepsItsWorth() {
    ReuseCurve curve = new ReuseCurve();
    curve.missTook(MISS_NANOS);
    double first = 0;
    // A night, in which all that is asked for is there.
    for (int period = 0; period < 12 * 3600 / 5; period++) {
      for (int i = 0; i < 100; i++) {
        curve.accessed(i);
      }
      curve.elapsed(5, 1000);
      first = period == 100 ? curve.utility(1).nanosPerSecond(1000) : first;
    }
    assertThat(curve.utility(1).nanosPerSecond(1000)).isCloseTo(first, within(0.01 * first));
  }

  @Test
  void rowsThatWereThereBeforeAnybodyMissedThemAreWorthSomething() {
    ReuseCurve curve = new ReuseCurve();
    for (int i = 0; i < 1000; i++) {
      curve.accessed(i % 100);
    }
    curve.elapsed(1, 1000);
    assertThat(curve.utility(1).nanosPerSecond(1000)).isPositive();
  }

  @Test
  void isWorthNothingBeforeAnythingIsKnown() {
    ReuseCurve curve = new ReuseCurve();
    assertThat(curve.utility(1).nanosPerSecond(1L << 40)).isZero();
    curve.elapsed(1, 1000);
    assertThat(curve.utility(1).nanosPerSecond(1L << 40)).isZero();
    assertThat(curve.accessesPerSecond()).isZero();
  }

  @Test
  void whatDoesNotFitIntoAllMemoryIsNotWatched() {
    ReuseCurve curve = new ReuseCurve();
    for (int i = 0; i < 5000; i++) {
      curve.accessed(i);
    }
    curve.elapsed(1, 1000);
    assertThat(curve.watched()).isEqualTo(1000);
  }

  @Test
  void theSampleIsSmallerWhereFewAreAskedForVeryOften() {
    ReuseCurve curve = new ReuseCurve();
    int keys = 6000;
    for (int period = 0; period < 5; period++) {
      for (int i = 0; i < 20 * keys; i++) {
        curve.accessed(i % keys);
      }
      curve.elapsed(1, Double.MAX_VALUE);
    }
    assertThat(curve.watched())
        .isBetween(ReuseCurve.LEAST_WATCHED / 2, 2 * ReuseCurve.LEAST_WATCHED);
    curve.missTook(MISS_NANOS);
    Utility utility = curve.utility(ENTRY_BYTES);
    double all = utility.nanosPerSecond(2L * keys * ENTRY_BYTES);
    assertThat(utility.nanosPerSecond((long) (0.8 * keys * ENTRY_BYTES))).isLessThan(0.1 * all);
    assertThat(utility.nanosPerSecond((long) (1.2 * keys * ENTRY_BYTES))).isGreaterThan(0.9 * all);
  }

  @Test
  void theSampleGrowsAgainWhenFewAreLeft() {
    ReuseCurve curve = new ReuseCurve();
    for (int i = 0; i < 200_000; i++) {
      curve.accessed(i);
    }
    for (int i = 0; i < 10; i++) {
      curve.elapsed(10, 500);
    }
    for (int i = 0; i < 500; i++) {
      curve.accessed(i);
    }
    assertThat(curve.watched()).isGreaterThanOrEqualTo(500);
  }

  @Test
  void takesNoLockOnceItHasEnded() {
    ReuseCurve curve = new ReuseCurve();
    assertThat(curve.accessed(1)).isTrue();
    curve.end();
    assertThat(curve.accessed(1)).isFalse();
    assertThat(curve.watched()).isZero();
    // Time that passes does not begin it again.
    for (int i = 0; i < 100; i++) {
      curve.elapsed(5, 1000);
    }
    assertThat(curve.accessed(2)).isFalse();
  }
}
