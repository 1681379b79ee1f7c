package io.ishbase.plugin.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.core.memory.MemoryBudget;
import io.ishbase.core.memory.MemoryBudget.Consumer;
import io.ishbase.core.memory.Utility;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class MemoryMoverTest {
  private static final long MB = 1 << 20;
  private static final long SUM = 300 * MB;

  private final AtomicLong nanos = new AtomicLong();
  private final FakePlace memstores = new FakePlace("memstores", true);
  private final FakePlace blocks = new FakePlace("block cache", true);
  private final FakePlace segments = new FakePlace("segment cache", false);
  private final List<FakePlace> places = List.of(memstores, blocks, segments);
  private final MemoryMover mover = mover();

  /** Gives back no more than it does not use. */
  private static final class FakePlace implements Place {
    private final String name;
    private final boolean onHeap;
    private long bytes = 100 * MB;
    private long used;
    private Utility utility = Utility.NONE;

    FakePlace(String name, boolean onHeap) {
      this.name = name;
      this.onHeap = onHeap;
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public boolean isOnHeap() {
      return onHeap;
    }

    @Override
    public long bytes() {
      return bytes;
    }

    @Override
    public long usedBytes() {
      return used;
    }

    @Override
    public long resize(long wanted) {
      bytes = Math.max(wanted, Math.min(bytes, used));
      return bytes;
    }

    @Override
    public Utility utility(double seconds, long sumBytes) {
      assertThat(seconds).isEqualTo(5);
      assertThat(sumBytes).isEqualTo(SUM);
      return utility;
    }

    @Override
    public String reason() {
      return "it says so";
    }
  }

  private MemoryMover mover() {
    List<Consumer> consumers =
        places.stream()
            .map(place -> new Consumer(place.name(), 10 * MB, SUM, place.isOnHeap()))
            .toList();
    return new MemoryMover(places, new MemoryBudget(consumers, 240 * MB, SUM), nanos::get);
  }

  private long sum() {
    return memstores.bytes + blocks.bytes + segments.bytes;
  }

  private void move(int times) {
    for (int i = 0; i < times; i++) {
      nanos.addAndGet(5_000_000_000L);
      mover.move();
      assertThat(sum()).isBetween(SUM - times, SUM);
      assertThat(memstores.bytes + blocks.bytes).isLessThanOrEqualTo(240 * MB);
    }
  }

  private static Utility worth(double nanosOfMegabyte) {
    return bytes -> nanosOfMegabyte * bytes / MB;
  }

  @Test
  void memoryGoesToWhomItIsWorthMost() {
    segments.utility = worth(1e6);
    move(30);
    assertThat(segments.bytes).isEqualTo(280 * MB);
    blocks.utility = worth(1e7);
    move(30);
    assertThat(blocks.bytes).isGreaterThan(200 * MB);
  }

  @Test
  void nobodyGetsWhatWasNotGiven() {
    segments.utility = worth(1e6);
    memstores.used = 90 * MB;
    blocks.used = 95 * MB;
    move(30);
    assertThat(memstores.bytes).isEqualTo(90 * MB);
    assertThat(segments.bytes).isBetween(115 * MB - 30, 115 * MB);
    memstores.used = 0;
    move(30);
    // What is left, a hundredth of what is saved, is not worth a move.
    assertThat(memstores.bytes).isBetween(10 * MB, 13 * MB);
  }

  @Test
  void saysWhoHasWhatAndWhy() {
    assertThat(mover.describe()).contains("nothing is measured yet");
    segments.utility = worth(1e6);
    move(1);
    assertThat(mover.describe())
        .contains(
            "300.0 MB in all, moved while running",
            "memstores: 90.6 MB (30 %), 0.0 MB of them in use, from 10.0 to 300.0 MB",
            "  why: it says so",
            "segment cache: 118.8 MB (40 %), 0.0 MB of them in use, from 10.0 to 300.0 MB",
            "  saves 118.750 ms of work a second; 1 GB more would save 1024.000 ms more",
            "goes to memstores 10.0 MB, block cache 10.0 MB, segment cache 280.0 MB:"
                + " saves 180.000 ms a second more");
    move(30);
    assertThat(mover.describe()).contains("stays: no other division would save enough more");
  }
}
