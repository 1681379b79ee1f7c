package io.ishbase.plugin.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ishbase.core.memory.MemoryBudget;
import io.ishbase.core.memory.MemoryBudget.Consumer;
import io.ishbase.core.memory.Utility;
import io.ishbase.plugin.memory.Place.Kind;
import io.ishbase.testing.Seed;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class MemoryMoverTest {
  private static final long MB = 1 << 20;
  private static final long SUM = 300 * MB;

  private final AtomicLong nanos = new AtomicLong();
  private final FakePlace memstores = new FakePlace(Kind.MEMSTORES);
  private final FakePlace blocks = new FakePlace(Kind.BLOCK_CACHE);
  private final FakePlace segments = new FakePlace(Kind.SEGMENT_CACHE);
  private final List<FakePlace> places = List.of(memstores, blocks, segments);
  private final MemoryMover mover = mover();

  /** Gives back no more than it does not use. */
  private static final class FakePlace implements Place {
    private final Kind kind;
    private long bytes = 100 * MB;
    private long used;
    private Utility utility = Utility.NONE;

    /** Whether it gives a moment after it was asked, as HBase's block cache does. */
    private boolean givesLate;

    private @Nullable RuntimeException failure;

    FakePlace(Kind kind) {
      this.kind = kind;
    }

    @Override
    public Kind kind() {
      return kind;
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
      if (failure != null) {
        throw failure;
      }
      if (givesLate) {
        bytes = wanted;
        long taken = Math.max(wanted, used);
        used = Math.min(used, wanted);
        return taken;
      }
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
            .map(place -> new Consumer(place.kind.label, 10 * MB, SUM, place.kind.onHeap))
            .toList();
    return new MemoryMover(places, new MemoryBudget(consumers, 240 * MB), nanos::get);
  }

  private long sum() {
    return memstores.bytes + blocks.bytes + segments.bytes;
  }

  private void move(int times) {
    for (int i = 0; i < times; i++) {
      nanos.addAndGet(5_000_000_000L);
      mover.move();
      assertThat(sum()).isLessThanOrEqualTo(SUM);
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
    assertThat(sum()).isEqualTo(SUM);
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
    assertThat(segments.bytes).isEqualTo(115 * MB);
    memstores.used = 0;
    move(30);
    // What is left, a hundredth of what is saved, is not worth a move.
    assertThat(memstores.bytes).isBetween(10 * MB, 13 * MB);
  }

  @Test
  void nothingIsLostWhereMemoryIsGivenLate() {
    blocks.givesLate = true;
    Random random = new Random(Seed.get());
    for (int i = 0; i < 100; i++) {
      blocks.used = (long) (0.97 * blocks.bytes);
      segments.utility = worth(random.nextDouble() * 1e7);
      blocks.utility = worth(random.nextDouble() * 1e7);
      memstores.utility = worth(random.nextDouble() * 1e7);
      move(1);
    }
    memstores.utility = worth(1e4);
    blocks.utility = Utility.NONE;
    segments.utility = worth(1e7);
    move(40);
    assertThat(sum()).isEqualTo(SUM);
    assertThat(segments.bytes).isGreaterThan(275 * MB);
  }

  @Test
  void neverMoreThanTheSumWhereAPlaceFails() {
    segments.utility = worth(1e6);
    segments.failure = new IllegalStateException("it is closed");
    nanos.addAndGet(5_000_000_000L);
    assertThatThrownBy(mover::move).isSameAs(segments.failure);
    assertThat(sum()).isLessThanOrEqualTo(SUM);
    segments.failure = null;
    move(30);
    assertThat(segments.bytes).isGreaterThan(250 * MB);
  }

  @Test
  void saysWhoHasWhatAndWhy() {
    assertThat(mover.describe()).contains("nothing is measured yet");
    segments.utility = worth(1e6);
    move(1);
    assertThat(mover.describe())
        .contains(
            "300.0 MB in all, moved while running, of them 240.0 MB on the heap at most",
            "memstores: 62.5 MB (21 %), 0.0 MB of them in use, from 10.0 to 300.0 MB",
            "  why: it says so",
            "segment cache: 175.0 MB (58 %), 0.0 MB of them in use, from 10.0 to 300.0 MB",
            "  saves 175.000 ms of work a second; 1 GB more would save 1024.000 ms more",
            "goes to memstores 10.0 MB, block cache 10.0 MB, segment cache 280.0 MB:"
                + " saves 180.000 ms a second more");
    move(30);
    assertThat(mover.describe()).contains("stays: no other division would save enough more");
  }
}
