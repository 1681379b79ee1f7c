package io.ishbase.core.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.core.cache.memory.Pin;
import org.junit.jupiter.api.Test;

class GapEndTest {
  private final SegmentCache cache = new SegmentCache(4 << 20, () -> 0);
  private final StoreCache store = cache.open("t");
  private final GapEnd gapEnd = new GapEnd();

  private static byte[] row(int number) {
    return Workload.row(number);
  }

  private void fill(int from, int to) {
    Fill fill = store.fill(store.ticket(), row(from), true);
    for (int i = from; i < to; i++) {
      fill.row(row(i), new byte[10], 0, 10, true);
    }
    fill.reachedBefore(row(to));
  }

  private void find(int from, byte[] stop) {
    try (Pin pin = store.pin()) {
      gapEnd.find(store.cursor(pin), row(from), true, stop, false);
    }
  }

  @Test
  void endsBeforeARunThatIsWorthIt() {
    fill(100, 115);
    fill(200, 216);
    find(50, null);
    assertThat(gapEnd.end()).as("over a run of 15, before one of 16").isEqualTo(row(200));
    assertThat(gapEnd.endInclusive()).isFalse();
    assertThat(gapEnd.sightEnd()).isNull();
  }

  @Test
  void shortRunsAreNotWorthAnEnd() {
    fill(100, 110);
    find(50, row(300));
    assertThat(gapEnd.end()).isNull();
  }

  @Test
  void thereIsNoneInAnEmptyCache() {
    find(50, row(300));
    assertThat(gapEnd.end()).isNull();
    assertThat(gapEnd.sightEnd()).isNull();
  }

  @Test
  void whatLiesBehindManyShortRunsIsOutOfSight() {
    for (int run = 0; run < 80; run++) {
      fill(100 * run, 100 * run + 3);
    }
    fill(9000, 9100);
    find(50, null);
    assertThat(gapEnd.end()).isNull();
    assertThat(gapEnd.sightEnd()).isNotNull();
  }
}
