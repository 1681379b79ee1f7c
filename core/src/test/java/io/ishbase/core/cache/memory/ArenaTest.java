package io.ishbase.core.cache.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** An arena in a process that has no memory for a while. */
class ArenaTest {
  private static final int CHUNK_BYTES = 4 << 10;
  private static final int ENTRY_BYTES = CHUNK_BYTES / 4;
  private static final long BUDGET_BYTES = 100L * CHUNK_BYTES;

  private static final Evictor OLDEST =
      new Evictor() {
        @Override
        public void watch(long entries) {}

        @Override
        public Chunk choose(ArrayDeque<Chunk> small, ArrayDeque<Chunk> main) {
          return small.getFirst();
        }

        @Override
        public void reclaim(Chunk chunk, Arena arena) {}
      };

  private final ReentrantLock lock = new ReentrantLock();
  private boolean hasMemory = true;
  private int made;
  private final Arena arena =
      new Arena(
          BUDGET_BYTES,
          2 * BUDGET_BYTES,
          0,
          new Epochs(bytes -> {}),
          OLDEST,
          lock,
          bytes -> {
            if (!hasMemory) {
              throw new OutOfMemoryError("Cannot reserve");
            }
            made++;
            return ByteBuffer.allocate(bytes);
          });

  @BeforeEach
  void lock() {
    lock.lock();
  }

  /** Entries as long as a quarter of a chunk. */
  private void fill(int chunks) {
    for (int i = 0; i < 4 * chunks; i++) {
      assertThat(arena.allocate(ENTRY_BYTES, 0, false)).isNotEqualTo(Arena.NONE);
    }
  }

  @Test
  void memoryThatIsThereAgainIsUsed() {
    fill(10);
    hasMemory = false;
    fill(10);
    int least = made;
    assertThat(least).isBetween(10, 15);
    hasMemory = true;
    fill(100);
    assertThat(made).as("nor is it looked for all the time").isEqualTo(least);
    fill(Arena.RECLAIMS_TO_TRY + 100);
    assertThat(made).isGreaterThan(80);
  }

  @Test
  void anArenaThatGrowsLooksForItAtOnce() {
    fill(10);
    hasMemory = false;
    fill(10);
    hasMemory = true;
    assertThat(arena.resize(BUDGET_BYTES + CHUNK_BYTES)).isTrue();
    fill(100);
    assertThat(made).isGreaterThan(80);
  }
}
