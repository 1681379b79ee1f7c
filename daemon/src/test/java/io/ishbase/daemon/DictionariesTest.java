package io.ishbase.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.protocol.Dictionary;
import io.ishbase.protocol.Packing;
import io.ishbase.testing.Seed;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class DictionariesTest {
  private static final String STORE = "/hbase/data/default/table/r1/f";
  private static final String OTHER_REGION = "/hbase/data/default/table/r2/f";
  private static final int SIZE = 500;

  private final Random random = new Random(Seed.get());
  private long now = TimeUnit.DAYS.toNanos(-1);
  private final Dictionaries dictionaries = new Dictionaries(Runnable::run, () -> now);

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

  private void send(String store, int answers, String kind) {
    for (int i = 0; i < answers; i++) {
      dictionaries.sent(store, kind.isEmpty() ? noise() : record(kind));
    }
  }

  @Test
  void oneIsMadeOfAnswersAndServesAllRegionsOfTheFamily() {
    send(STORE, 1000, "order");
    assertThat(dictionaries.of(STORE, SIZE)).as("too few").isNull();
    send(OTHER_REGION, 2000, "order");
    Dictionary made = dictionaries.of(OTHER_REGION, SIZE);
    assertThat(made).isNotNull().isSameAs(dictionaries.of(STORE, SIZE));
    assertThat(dictionaries.withId(made.id())).isSameAs(made);
    byte[] record = record("order");
    assertThat(Packing.compress(record, made).length)
        .isLessThan(Packing.compress(record, null).length);
    assertThat(dictionaries.of(STORE, 1 << 20)).as("for large answers").isNull();
    assertThat(dictionaries.of("/hbase/data/default/table/r1/g", SIZE)).isNull();
    assertThat(dictionaries.withId(1)).isNull();
  }

  @Test
  void noneIsUsedThatSavesNothing() {
    send(STORE, 5000, "");
    assertThat(dictionaries.of(STORE, SIZE)).isNull();
  }

  @Test
  void anotherIsMadeWhenTheDataIsAnother() {
    send(STORE, 3000, "order");
    Dictionary first = dictionaries.of(STORE, SIZE);
    send(STORE, 5000, "a wholly different record of something else");
    assertThat(dictionaries.of(STORE, SIZE)).as("not so soon").isSameAs(first);
    now += TimeUnit.HOURS.toNanos(2);
    send(STORE, 3000, "a wholly different record of something else");
    assertThat(dictionaries.of(STORE, SIZE)).isNotSameAs(first);
    assertThat(dictionaries.withId(first.id())).isNull();
  }

  @Test
  void oneThatIsStillGoodStays() {
    send(STORE, 3000, "order");
    Dictionary first = dictionaries.of(STORE, SIZE);
    now += TimeUnit.HOURS.toNanos(2);
    send(STORE, 3000, "order");
    assertThat(dictionaries.of(STORE, SIZE)).isSameAs(first);
  }

  @Test
  void familiesAreForgottenInTheOrderOfTheirUse() {
    send(STORE, 3000, "order");
    for (int i = 0; i < 1000; i++) {
      dictionaries.of("/hbase/data/default/t" + i + "/r/f", SIZE);
      if (i < 500) {
        assertThat(dictionaries.of(STORE, SIZE)).isNotNull();
      }
    }
    assertThat(dictionaries.of(STORE, SIZE)).isNull();
  }
}
