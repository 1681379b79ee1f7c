package io.ishbase.archetypes.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.LongStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** A window beside a map of messages that does the same in the plainest way. */
class WindowTest {
  private static final int OPERATIONS = 200;

  /** Of a message that was claimed; forgotten once it is done. */
  private static final class Claimed {
    private boolean done;
    private int attempts;
    private long token;
    private long deadline;

    private boolean isDue(long now) {
      return !done && deadline <= now;
    }
  }

  @Property(tries = 300)
  void isThatOfAMap(@ForAll long seed) throws IOException {
    Random random = new Random(seed);
    TreeMap<Long, Claimed> map = new TreeMap<>();
    Window window = Window.at(random.nextInt(5));
    long floor = window.head();
    long now = 1000;
    for (int i = 0; i < OPERATIONS; i++) {
      now += random.nextInt(5);
      switch (random.nextInt(5)) {
        case 0, 1 -> window = claim(random, map, window, now, i);
        case 2 -> {
          List<Long> some = held(random, map, window, now);
          some.forEach(sequence -> map.get(sequence).done = true);
          window = window.done(some);
        }
        case 3 -> {
          List<Long> some = held(random, map, window, now);
          some.forEach(sequence -> map.get(sequence).deadline = 0);
          window = window.free(some);
        }
        default -> {
          if (random.nextInt(10) == 0) {
            floor = window.head() + random.nextInt(10);
            map.headMap(floor).values().forEach(one -> one.done = true);
            window = window.from(floor);
          }
        }
      }
      check(map, window, Math.max(floor, 0), now);
      assertThat(Window.decode(window.encode()).encode()).isEqualTo(window.encode());
      assertThat(Window.decode(window.encode())).hasToString(window.toString());
    }
  }

  private static Window claim(
      Random random, TreeMap<Long, Claimed> map, Window window, long now, int token) {
    List<Long> due = window.due(now, random.nextInt(4));
    int fresh = random.nextInt(4);
    long deadline = now + 1 + random.nextInt(20);
    long end = window.end();
    for (long sequence = end; sequence < end + fresh; sequence++) {
      map.put(sequence, new Claimed());
    }
    List<Long> all = new ArrayList<>(due);
    for (long sequence = end; sequence < end + fresh; sequence++) {
      all.add(sequence);
    }
    for (long sequence : all) {
      Claimed claimed = map.get(sequence);
      assertThat(claimed.done).isFalse();
      claimed.attempts++;
      claimed.token = token;
      claimed.deadline = deadline;
    }
    return window.claim(due, fresh, token, deadline);
  }

  private static List<Long> held(
      Random random, TreeMap<Long, Claimed> map, Window window, long now) {
    return map.entrySet().stream()
        .filter(one -> window.holds(one.getKey(), one.getValue().token, now))
        .map(one -> one.getKey())
        .filter(sequence -> random.nextBoolean())
        .toList();
  }

  private static void check(TreeMap<Long, Claimed> map, Window window, long floor, long now) {
    long head = window.end();
    for (var one : map.entrySet()) {
      long sequence = one.getKey();
      Claimed claimed = one.getValue();
      assertThat(window.isDone(sequence)).isEqualTo(claimed.done);
      assertThat(window.holds(sequence, claimed.token, now))
          .isEqualTo(!claimed.done && claimed.deadline > now);
      if (!claimed.done) {
        head = Math.min(head, sequence);
        assertThat(window.attempts(sequence)).isEqualTo(claimed.attempts);
      }
    }
    assertThat(window.head()).isEqualTo(head).isGreaterThanOrEqualTo(floor);
    assertThat(window.due(now, Integer.MAX_VALUE))
        .isEqualTo(
            map.entrySet().stream()
                .filter(one -> one.getValue().isDue(now))
                .map(one -> one.getKey())
                .toList());
  }

  /** What is written for each claim and acknowledgement does not grow with what went through. */
  @Test
  void isAsLongAsItHasRuns() throws IOException {
    Window window = Window.at(0);
    for (int i = 0; i < 1000; i++) {
      window = window.claim(List.of(), 1000, i, 1000);
      window = window.done(window.due(1000, 1000));
    }
    assertThat(window.head()).isEqualTo(1_000_000);
    assertThat(window.encode()).hasSize(8);
    assertThat(window.claim(List.of(), 1000, 7, 1000).encode()).hasSize(8 + 25);
  }

  /** One that is stuck holds up others at last, not before. */
  @Test
  void hasRoomForSoMany() {
    Window window = Window.at(5).claim(List.of(), 1, 1, 1000);
    while (window.room() > 10) {
      long end = window.end();
      window = window.claim(List.of(), Math.min(window.room() - 10, 5_000), 2, 1000);
      window = window.done(LongStream.range(end, window.end()).boxed().toList());
    }
    assertThat(window.end()).isEqualTo(5 + Window.MAX_SPAN - 10);
    assertThat(window.room()).isEqualTo(10);
  }

  /** Neither claims nor the worst order of acknowledgements make it longer. */
  @Test
  void hasSoManyRunsAtMost() throws IOException {
    Window window = Window.at(5);
    while (window.room() > 0) {
      long end = window.end();
      window = window.claim(List.of(), window.room(), end, 1000);
      List<Long> everySecond = new ArrayList<>();
      for (long sequence = end + 1; sequence < window.end(); sequence += 2) {
        everySecond.add(sequence);
      }
      window = window.done(everySecond);
    }
    assertThat(window.encode()).hasSizeGreaterThan(8 + 25 * Window.MAX_RUNS);
    // Each is claimed anew by itself.
    for (long sequence : window.due(1000, Integer.MAX_VALUE)) {
      window = window.claim(List.of(sequence), 0, -sequence, 2000);
    }
    assertThat(window.encode()).hasSizeLessThanOrEqualTo(8 + 25 * 2 * Window.MAX_OPEN);
    // Long claims that come apart, one after the other.
    window = Window.at(5);
    for (int i = 0; i < 20; i++) {
      window = window.claim(List.of(), Math.min(window.room(), 1_000), i, 1000);
    }
    assertThat(window.room()).isZero();
    assertThat(window.end()).isEqualTo(5 + Window.MAX_OPEN);
  }
}
