package io.ishbase.plugin.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.core.memory.MemoryBudget.Consumer;
import io.ishbase.core.memory.Utility;
import io.ishbase.plugin.memory.Place.Kind;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BoundsTest {
  private static final long MB = 1 << 20;

  /** Of 100 MB, as the others; the segment cache can have 20 to 150. */
  private record Fixed(Kind kind) implements Place {
    @Override
    public long bytes() {
      return 100 * MB;
    }

    @Override
    public long usedBytes() {
      return 0;
    }

    @Override
    public long leastBytes() {
      return kind == Kind.SEGMENT_CACHE ? 20 * MB : 0;
    }

    @Override
    public long mostBytes() {
      return kind == Kind.SEGMENT_CACHE ? 150 * MB : Long.MAX_VALUE;
    }

    @Override
    public long resize(long bytes) {
      return bytes;
    }

    @Override
    public Utility utility(double seconds, long sumBytes) {
      return Utility.NONE;
    }

    @Override
    public String reason() {
      return "";
    }
  }

  private static final List<Fixed> PLACES = Stream.of(Kind.values()).map(Fixed::new).toList();

  @Test
  void arePartsOfTheSumAndWhatAPlaceCanHave() {
    assertThat(Bounds.fault(PLACES, key -> null)).isNull();
    assertThat(Bounds.consumers(PLACES, key -> null))
        .containsExactly(
            new Consumer("memstores", 30 * MB, 240 * MB, true),
            new Consumer("block cache", 15 * MB, 270 * MB, true),
            new Consumer("segment cache", 20 * MB, 150 * MB, false));
  }

  @ParameterizedTest
  @CsvSource({
    "memstores.min, 90, ishbase.memory.memstores.min = 90 is more than"
        + " ishbase.memory.memstores.max = 80",
    "block-cache.max, 101, ishbase.memory.block-cache.max = '101': must be",
    "segment-cache.min, a third, ishbase.memory.segment-cache.min = 'a third': must be",
    "segment-cache.min, 50%, ishbase.memory.segment-cache.min = '50%': must be",
    "segment-cache.min, 86, what all are to have at least (ishbase.memory.*.min) is 101 %",
  })
  void oneLineSaysWhatIsWrong(String key, String value, String line) {
    assertThat(Bounds.fault(PLACES, Map.of("ishbase.memory." + key, value)::get))
        .startsWith(line)
        .doesNotContain("\n");
  }

  /** The log says of each wrong bound that memory stays. */
  @Test
  void aWrongBoundOfAPlaceThatIsNotThereIsAFaultToo() {
    List<Fixed> onHeap = PLACES.subList(0, 2);
    assertThat(Bounds.fault(onHeap, Map.of("ishbase.memory.segment-cache.min", "a third")::get))
        .startsWith("ishbase.memory.segment-cache.min = 'a third': must be");
    assertThat(Bounds.fault(onHeap, Map.of("ishbase.memory.segment-cache.min", "99")::get))
        .isNull();
  }

  @Test
  void somebodyMustBeAllowedToHaveTheMemory() {
    Map<String, String> little =
        Map.of("ishbase.memory.memstores.max", "20", "ishbase.memory.block-cache.max", "20");
    assertThat(Bounds.fault(PLACES, little::get)).isNull();
    assertThat(Bounds.fault(PLACES.subList(0, 2), little::get))
        .isEqualTo("what all may have at most (ishbase.memory.*.max) is 40 % of the memory");
  }
}
