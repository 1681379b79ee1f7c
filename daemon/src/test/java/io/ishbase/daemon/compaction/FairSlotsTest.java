package io.ishbase.daemon.compaction;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class FairSlotsTest {
  private final FairSlots slots = new FairSlots(4);
  private long now;

  private boolean take(String caller) {
    return slots.take(caller, now++);
  }

  @Test
  void whoIsAloneGetsAll() {
    for (int i = 0; i < 4; i++) {
      assertThat(take("a")).isTrue();
    }
    assertThat(take("a")).isFalse();
    slots.release("a");
    assertThat(take("a")).isTrue();
    assertThat(slots.running()).isEqualTo(4);
  }

  @Test
  void whatIsFreeGoesToWhoWasRefusedAndHasLess() {
    for (int i = 0; i < 4; i++) {
      take("a");
    }
    assertThat(take("b")).isFalse();
    slots.release("a");
    assertThat(take("a")).isFalse();
    assertThat(take("b")).isTrue();
  }

  @Test
  void nothingIsKeptForWhoDoesNotAskAnyMore() {
    for (int i = 0; i < 4; i++) {
      take("a");
    }
    take("b");
    now += TimeUnit.SECONDS.toNanos(11);
    slots.release("a");
    assertThat(take("a")).isTrue();
  }

  @Test
  void whoHasItsShareDoesNotHinderOthers() {
    take("a");
    take("a");
    take("b");
    take("b");
    assertThat(take("b")).isFalse();
    slots.release("a");
    assertThat(take("a")).isTrue();
    slots.release("b");
    assertThat(take("a")).isFalse();
    assertThat(take("b")).isTrue();
  }

  @Test
  void withoutSlotsNobodyGetsOne() {
    assertThat(new FairSlots(0).take("a", 0)).isFalse();
  }
}
