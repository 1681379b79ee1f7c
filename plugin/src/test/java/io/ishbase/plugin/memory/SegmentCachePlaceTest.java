package io.ishbase.plugin.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.core.cache.RowView;
import io.ishbase.core.cache.SegmentCache;
import io.ishbase.core.cache.StoreCache;
import io.ishbase.core.cache.memory.Pin;
import io.ishbase.core.memory.ReuseCurve;
import io.ishbase.core.memory.Utility;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class SegmentCachePlaceTest {
  private static final long BYTES = 16 << 20;
  private static final int ROWS = 1000;
  private static final int ROW_BYTES = 500;

  private static byte[] row(int number) {
    return ByteBuffer.allocate(4).putInt(number).array();
  }

  @Test
  void rowsOfACacheThatIsNearlyEmptyDoNotLookLarge() {
    ReuseCurve curve = new ReuseCurve();
    SegmentCache cache = new SegmentCache(BYTES, BYTES, () -> 0);
    SegmentCachePlace place = new SegmentCachePlace(cache, curve);
    cache.watch(curve);
    StoreCache store = cache.open("t");
    store.put(store.ticket(), row(0), null, new byte[ROW_BYTES], 0, ROW_BYTES, true);
    RowView view = new RowView();
    for (int i = 0; i < 3 * ROWS; i++) {
      try (Pin pin = store.pin()) {
        store.find(pin, row(i % ROWS), null, view);
      }
    }
    Utility utility = place.utility(1, BYTES);
    // All of them fit into half of the memory.
    assertThat(utility.nanosPerSecond(BYTES / 2))
        .isPositive()
        .isGreaterThan(0.95 * utility.nanosPerSecond(100 * BYTES));
  }
}
