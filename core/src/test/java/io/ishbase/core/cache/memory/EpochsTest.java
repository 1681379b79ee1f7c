package io.ishbase.core.cache.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class EpochsTest {
  private final Epochs epochs = new Epochs(bytes -> {});

  @Test
  void theOldestPinIsFoundHoweverManyThereAre() {
    Random random = new Random(1);
    List<Pin> pins = new ArrayList<>();
    List<Long> epochsOfPins = new ArrayList<>();
    for (int i = 0; i < 50_000; i++) {
      if (pins.isEmpty() || random.nextInt(5) > 0) {
        epochsOfPins.add(epochs.now());
        pins.add(epochs.pin());
      } else {
        int last = pins.size() - 1;
        int any = random.nextInt(pins.size());
        pins.get(any).close();
        pins.set(any, pins.get(last));
        epochsOfPins.set(any, epochsOfPins.get(last));
        pins.remove(last);
        epochsOfPins.remove(last);
      }
      epochs.retire();
      if (i % 100 == 0) {
        long oldest = epochsOfPins.stream().mapToLong(Long::longValue).min().orElse(Long.MAX_VALUE);
        assertThat(epochs.oldestPinned()).isEqualTo(oldest);
      }
    }
    // A slot is a long; some are free.
    assertThat(epochs.heapBytes()).isLessThan(8L * 4 * pins.size());
    pins.forEach(Pin::close);
    assertThat(epochs.oldestPinned()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void aPinThatIsRenewedIsOfTheNewEpoch() {
    Pin pin = epochs.pin();
    epochs.retire();
    assertThat(epochs.oldestPinned()).isEqualTo(1);
    pin.renew();
    assertThat(epochs.oldestPinned()).isEqualTo(2);
    pin.close();
    assertThat(epochs.oldestPinned()).isEqualTo(Long.MAX_VALUE);
  }
}
