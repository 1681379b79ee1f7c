package io.ishbase.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.testing.Seed;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class DictionaryTrainerTest {
  private static final String FAMILY = "table/f";
  private static final int SIZE = 500;

  private final Random random = new Random(Seed.get());
  private long now = TimeUnit.DAYS.toNanos(-1);
  private final DictionaryTrainer dictionaries =
      new DictionaryTrainer(DictionaryTrainer.SMALL_DICTIONARY_BYTES, Runnable::run, () -> now);

  private byte[] record(String kind) {
    StringBuilder text = new StringBuilder();
    while (text.length() < SIZE) {
      text.append("{\"kind\":\"").append(kind).append("\",\"number\":").append(random.nextInt());
    }
    return text.substring(0, SIZE).getBytes(StandardCharsets.UTF_8);
  }

  private byte[] noise() {
    byte[] bytes = new byte[SIZE];
    random.nextBytes(bytes);
    return bytes;
  }

  private void send(String family, int batches, String kind) {
    for (int i = 0; i < batches; i++) {
      dictionaries.saw(family, kind.isEmpty() ? noise() : record(kind));
    }
  }

  @Test
  void oneIsMadeOfBatches() {
    send(FAMILY, 1000, "order");
    assertThat(dictionaries.of(FAMILY, SIZE)).as("too few").isNull();
    send(FAMILY, 2000, "order");
    Dictionary made = dictionaries.of(FAMILY, SIZE);
    assertThat(made).isNotNull();
    assertThat(dictionaries.withId(made.id())).isSameAs(made);
    byte[] record = record("order");
    assertThat(Packing.compress(record, made).length)
        .isLessThan(Packing.compress(record, null).length);
    assertThat(dictionaries.of(FAMILY, 1 << 20)).as("for large batches").isNull();
    assertThat(dictionaries.of("table/g", SIZE)).isNull();
    assertThat(dictionaries.withId(1)).isNull();
  }

  @Test
  void noneIsUsedThatSavesNothing() {
    send(FAMILY, 5000, "");
    assertThat(dictionaries.of(FAMILY, SIZE)).isNull();
  }

  @Test
  void anotherIsMadeWhenTheDataIsAnother() {
    send(FAMILY, 3000, "order");
    Dictionary first = dictionaries.of(FAMILY, SIZE);
    send(FAMILY, 5000, "a wholly different record of something else");
    assertThat(dictionaries.of(FAMILY, SIZE)).as("not so soon").isSameAs(first);
    now += TimeUnit.HOURS.toNanos(2);
    send(FAMILY, 3000, "a wholly different record of something else");
    assertThat(dictionaries.of(FAMILY, SIZE)).isNotSameAs(first);
    assertThat(dictionaries.withId(first.id())).isNull();
  }

  @Test
  void anExecutorThatRefusesIsAskedAgain() {
    AtomicInteger refusals = new AtomicInteger();
    DictionaryTrainer trainer =
        new DictionaryTrainer(
            DictionaryTrainer.SMALL_DICTIONARY_BYTES,
            task -> {
              if (refusals.getAndIncrement() == 0) {
                throw new RejectedExecutionException();
              }
              task.run();
            },
            () -> now);
    for (int i = 0; i < 6000; i++) {
      if (i == 3000) {
        assertThat(trainer.of(FAMILY, SIZE)).isNull();
        now += TimeUnit.HOURS.toNanos(2);
      }
      trainer.saw(FAMILY, record("order"));
    }
    assertThat(trainer.of(FAMILY, SIZE)).isNotNull();
  }

  @Test
  void oneThatIsStillGoodStays() {
    send(FAMILY, 3000, "order");
    Dictionary first = dictionaries.of(FAMILY, SIZE);
    now += TimeUnit.HOURS.toNanos(2);
    send(FAMILY, 3000, "order");
    assertThat(dictionaries.of(FAMILY, SIZE)).isSameAs(first);
  }

  @Test
  void familiesAreForgottenWhenTheyNoLongerComeAndOthersDo() {
    send(FAMILY, 3000, "order");
    Dictionary made = dictionaries.of(FAMILY, SIZE);
    for (int i = 0; i < 1000; i++) {
      dictionaries.of("t" + i + "/f", SIZE);
    }
    assertThat(dictionaries.of(FAMILY, SIZE)).isSameAs(made);
    now += TimeUnit.MINUTES.toNanos(20);
    for (int i = 0; i < 1000; i++) {
      dictionaries.of("t" + i + "/f", SIZE);
    }
    assertThat(dictionaries.of(FAMILY, SIZE)).isNull();
    assertThat(dictionaries.withId(made.id())).isNull();
  }
}
