package io.ishbase.core.compaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.core.compaction.CompactionQueue.Request;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CompactionQueueTest {
  private static final long GB = 1 << 30;

  private final CompactionQueue queue = new CompactionQueue(new Placement(100 << 20));
  private final List<Worker> workers = new ArrayList<>();
  private long now = 1_000_000;

  private void worker(String name, int slots, int running) {
    worker(name, slots, running, running);
  }

  private void worker(String name, int slots, int running, int begun) {
    workers.removeIf(worker -> worker.name().equals(name));
    workers.add(new Worker(name, slots, running, 0, 0, 0, 0, 0, false, begun));
  }

  private static Request request(String ticket, double pressure, double deletes) {
    return new Request(ticket, "store of " + ticket, GB, Map.of(), pressure, deletes, Set.of());
  }

  private String ask(String ticket, double pressure, double deletes) {
    return queue.ask(request(ticket, pressure, deletes), workers, now++).stream()
        .map(Worker::name)
        .findFirst()
        .orElse("wait");
  }

  @Test
  void aFreeSlotIsPromisedOnce() {
    worker("a", 1, 0);
    worker("b", 1, 0);
    assertThat(ask("1", 0, 0)).isEqualTo("a");
    assertThat(ask("2", 0, 0)).isEqualTo("b");
    assertThat(ask("3", 0, 0)).isEqualTo("wait");
    // The workers show them now; nothing is counted twice.
    worker("a", 1, 1);
    worker("b", 2, 1);
    assertThat(ask("3", 0, 0)).isEqualTo("b");
  }

  /** Else those that have gone home would keep slots from all that still wait. */
  @Test
  void whoDoesNotAskAgainKeepsNothing() {
    worker("a", 1, 1);
    for (int i = 0; i < 10; i++) {
      assertThat(queue.ask(request("gone" + i, 3, 0.5), true, workers, now++)).isEmpty();
    }
    assertThat(ask("waits and goes", 3, 0.5)).isEqualTo("wait");
    assertThat(queue.ask(request("waits and goes", 3, 0.5), true, workers, now++)).isEmpty();
    assertThat(queue.waitingCount()).isZero();
    worker("a", 1, 0);
    assertThat(ask("live", 0, 0)).isEqualTo("a");
    assertThat(queue.ask(request("last", 0, 0), true, List.of(workers.get(0)), now++)).isEmpty();
  }

  @Test
  void aPromiseCountsBesideWhatIsAtWork() {
    worker("a", 2, 1, 7);
    assertThat(ask("1", 0, 0)).isEqualTo("a");
    assertThat(ask("2", 0, 0)).isEqualTo("wait");
  }

  @Test
  void aCompactionThatIsOverSoonFreesItsSlotSoon() {
    worker("a", 1, 0, 7);
    assertThat(ask("1", 0, 0)).isEqualTo("a");
    assertThat(ask("2", 0, 0)).isEqualTo("wait");
    worker("a", 1, 0, 8);
    assertThat(ask("2", 0, 0)).isEqualTo("a");
  }

  /** Nobody who has gone may hold a place until the clock is where it was. */
  @Test
  void aClockThatIsSetBackForgetsWhatItKnew() {
    worker("a", 1, 0);
    assertThat(ask("promised", 0, 0)).isEqualTo("a");
    assertThat(ask("urgent, and gone", 3, 0)).isEqualTo("wait");
    now -= 3_600_000 - 1;
    assertThat(ask("alone", 0, 0)).isEqualTo("a");
    assertThat(queue.waitingCount()).isZero();
  }

  @Test
  void aPromiseThatIsNotKeptLapses() {
    worker("a", 1, 0);
    assertThat(ask("1", 0, 0)).isEqualTo("a");
    now += CompactionQueue.PROMISED_MILLIS + 1;
    assertThat(ask("2", 0, 0)).isEqualTo("a");
  }

  @Test
  void whoIsRefusedByAWorkerAsksAnew() {
    worker("a", 1, 0);
    assertThat(ask("1", 0, 0)).isEqualTo("a");
    assertThat(ask("1", 0, 0)).isEqualTo("a");
  }

  @Test
  void blockingStoresFirstThenDeletesThenAge() {
    worker("a", 1, 1);
    assertThat(ask("old", 0.2, 0)).isEqualTo("wait");
    assertThat(ask("deletes", 0.2, 0.5)).isEqualTo("wait");
    assertThat(ask("blocks", 1.5, 0)).isEqualTo("wait");
    assertThat(ask("young", 0.2, 0)).isEqualTo("wait");
    assertThat(queue.waiting(now))
        .extracting(Request::ticket)
        .containsExactly("blocks", "deletes", "old", "young");
    worker("a", 2, 1);
    assertThat(ask("old", 0.2, 0)).isEqualTo("wait");
    assertThat(ask("deletes", 0.2, 0.5)).isEqualTo("wait");
    assertThat(ask("blocks", 1.5, 0)).isEqualTo("a");
  }

  @Test
  void whoIsSilentDoesNotHinderOthers() {
    worker("a", 1, 1);
    assertThat(ask("blocks", 1.5, 0)).isEqualTo("wait");
    now += CompactionQueue.SILENT_MILLIS + 1;
    assertThat(queue.waiting(now)).isEmpty();
    worker("a", 1, 0);
    assertThat(ask("other", 0, 0)).isEqualTo("a");
    assertThat(queue.waiting(now)).isEmpty();
  }

  /** Whoever invents tickets fills no memory, and those who wait keep their turn. */
  @Test
  void noMoreWaitThanAnyClusterHas() {
    worker("a", 1, 1);
    assertThat(ask("urgent", 1, 0)).isEqualTo("wait");
    for (int i = 0; i < CompactionQueue.MOST_WAITING + 100; i++) {
      assertThat(queue.ask(request("invented" + i, 0, 0), workers, now)).isEmpty();
    }
    assertThat(queue.waitingCount()).isEqualTo(CompactionQueue.MOST_WAITING);
    worker("a", 1, 0);
    assertThat(ask("urgent", 1, 0)).isEqualTo("a");
    now += CompactionQueue.SILENT_MILLIS + 1;
    worker("a", 1, 0, 1);
    assertThat(ask("another", 0, 0)).isEqualTo("a");
  }

  @Test
  void whoCannotUseASlotDoesNotHinderOthers() {
    workers.add(new Worker("a", 4, 0, 0, 2 * GB, 0, 0, 0, false, 0));
    Request large = new Request("large", "s", 4 * GB, Map.of(), 2, 0, Set.of());
    assertThat(queue.ask(large, workers, now++)).isEmpty();
    assertThat(ask("small", 0, 0)).isEqualTo("a");
  }

  @Test
  void moreUrgentStoresKeepTheSlotsThatTheyWant() {
    worker("a", 1, 1);
    worker("b", 1, 1);
    queue.ask(new Request("blocks", "s", GB, Map.of("b", GB), 1.5, 0, Set.of()), workers, now++);
    worker("a", 1, 0);
    worker("b", 1, 0);
    // It lies at b as well, but b is wanted by a store that blocks writes.
    assertThat(
            queue.ask(
                new Request("calm", "s", GB, Map.of("b", GB), 0.1, 0, Set.of()), workers, now++))
        .extracting(Worker::name)
        .containsExactly("a");
    assertThat(ask("third", 0, 0)).isEqualTo("wait");
    assertThat(ask("blocks", 1.5, 0)).isEqualTo("b");
  }

  @Test
  void whomItAvoidsItDoesNotGet() {
    worker("a", 1, 0);
    worker("b", 1, 0);
    Request request = new Request("1", "s", GB, Map.of("a", GB), 0, 0, Set.of("a"));
    assertThat(queue.ask(request, workers, now++)).extracting(Worker::name).containsExactly("b");
  }

  @Test
  void whoWaitsForAnotherWorkerDoesNotHinderOthers() {
    worker("a", 1, 1);
    worker("b", 1, 0);
    Request request = new Request("1", "s", GB, Map.of("b", GB), 2, 0, Set.of("b"));
    assertThat(queue.ask(request, workers, now++)).isEmpty();
    assertThat(ask("2", 0, 0)).isEqualTo("b");
  }

  @Test
  void anAnswerNamesAFewOnly() {
    for (int i = 0; i < 100; i++) {
      worker("w" + i, 1, 0);
    }
    assertThat(queue.ask(request("1", 0, 0), workers, now++)).hasSize(CompactionQueue.BEST);
  }

  @Test
  void asManyGetOneAsThereAreSlotsTheMostUrgentOnes() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int i = 0; i < 20; i++) {
      worker("w" + i, 2, 2);
    }
    Map<String, Double> pressures = new HashMap<>();
    for (int i = 0; i < 100; i++) {
      pressures.put("t" + i, 1 + random.nextDouble());
    }
    pressures.forEach((ticket, pressure) -> assertThat(ask(ticket, pressure, 0)).isEqualTo("wait"));
    for (int i = 0; i < 20; i++) {
      worker("w" + i, 2, 1, 2);
    }
    List<String> served = new ArrayList<>();
    List<String> tickets = new ArrayList<>(pressures.keySet());
    Collections.shuffle(tickets, random);
    tickets.stream()
        .filter(ticket -> !ask(ticket, pressures.get(ticket), 0).equals("wait"))
        .forEach(served::add);
    assertThat(served)
        .as("seed %d", seed)
        .containsExactlyInAnyOrderElementsOf(
            pressures.keySet().stream()
                .sorted(Comparator.comparing(pressures::get).reversed())
                .limit(20)
                .toList());
  }

  /** Counts how often somebody looks what of the files lies beside a worker. */
  private static final class CountedHeld extends HashMap<String, Long> {
    private static final long serialVersionUID = 1;
    private int lookUps;

    @Override
    public Long getOrDefault(Object worker, Long none) {
      lookUps++;
      return super.getOrDefault(worker, none);
    }
  }

  /** It weighs each worker once for its own wish and once for its answer, however many wait. */
  @ParameterizedTest
  @ValueSource(ints = {10, 1_000})
  void aQuestionWeighsNoWorkerForOthers(int stores) {
    int all = 1_000;
    for (int i = 0; i < all; i++) {
      worker("w" + i, 2, i % 10 == 0 ? 1 : 2);
    }
    List<CountedHeld> held = new ArrayList<>();
    List<Request> requests = new ArrayList<>();
    for (int i = 0; i < stores; i++) {
      CountedHeld ofStore = new CountedHeld();
      ofStore.put("w" + i, GB);
      held.add(ofStore);
      requests.add(new Request("t" + i, "s", GB, ofStore, 1 + i / 1e4, 0, Set.of()));
      queue.ask(requests.get(i), workers, now);
    }
    held.forEach(ofStore -> ofStore.lookUps = 0);
    // The least urgent and the most urgent.
    queue.ask(requests.get(0), workers, now);
    queue.ask(requests.get(stores - 1), workers, now);
    assertThat(held.get(0).lookUps).isBetween(all, 2 * all);
    assertThat(held.get(stores - 1).lookUps).isBetween(all, 2 * all);
    assertThat(held.subList(1, stores - 1)).allMatch(ofStore -> ofStore.lookUps == 0);
  }
}
