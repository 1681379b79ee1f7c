package io.ishbase.core.cache;

import io.ishbase.core.cache.memory.Pin;
import java.nio.ByteBuffer;
import org.jetbrains.kotlinx.lincheck.LinChecker;
import org.jetbrains.kotlinx.lincheck.annotations.Operation;
import org.jetbrains.kotlinx.lincheck.annotations.Param;
import org.jetbrains.kotlinx.lincheck.paramgen.IntGen;
import org.jetbrains.kotlinx.lincheck.strategy.stress.StressOptions;
import org.junit.jupiter.api.Test;

/**
 * Lookups without a lock against changes, at a place where the first entry that is added splits the
 * segment and the next that leaves may join it again.
 *
 * <p>By stress only: lincheck's model checker (2.39) asks Unsafe for offsets of fields of whatever
 * it meets, which Java refuses for records; segments' states are records.
 */
@Param(name = "row", gen = IntGen.class, conf = "30:35")
public class LinearizabilityTest {
  private static final int ROWS = 64;

  private final StoreCache store =
      new SegmentCache(SegmentCache.MIN_BUDGET_BYTES, () -> 0).open("t");

  public LinearizabilityTest() {
    for (int i = 0; i < ROWS; i++) {
      put(i < 32 ? i : i + 10, i);
    }
  }

  private static byte[] bytes(int number) {
    return ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
  }

  @Operation
  public boolean put(@Param(name = "row") int row, int value) {
    return store.put(store.ticket(), bytes(row), null, bytes(value), 0, Integer.BYTES, true);
  }

  /** The value; -1 if there is nothing; -2 if it is not known. */
  @Operation
  public int find(@Param(name = "row") int row) {
    RowView view = new RowView();
    try (Pin pin = store.pin()) {
      if (!store.find(pin, bytes(row), null, view)) {
        return -2;
      }
      return view.length() == 0 ? -1 : ByteBuffer.wrap(view.copyPayload()).getInt();
    }
  }

  @Operation
  public boolean knowToBeEmpty(@Param(name = "row") int from, @Param(name = "row") int to) {
    return from < to && store.fill(store.ticket(), bytes(from), false).reachedBefore(bytes(to));
  }

  @Operation
  public boolean merge(@Param(name = "row") int row, int value) {
    return store.merge(
        bytes(row), (columns, present, offset, length) -> new Merge.Merged(bytes(value), true));
  }

  @Operation
  public void drop(@Param(name = "row") int from, @Param(name = "row") int to) {
    store.dropRange(bytes(from), bytes(to));
  }

  @Test
  void changesAndLookupsAreLinearizable() {
    LinChecker.check(
        LinearizabilityTest.class,
        new StressOptions()
            .iterations(30)
            .invocationsPerIteration(500)
            .threads(2)
            .actorsPerThread(3)
            .actorsBefore(1)
            .actorsAfter(1));
  }
}
