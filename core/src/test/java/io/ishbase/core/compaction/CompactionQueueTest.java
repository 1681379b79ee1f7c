package io.ishbase.core.compaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.core.compaction.CompactionQueue.Request;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

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
    return new Request(ticket, "store of " + ticket, GB, Map.of(), pressure, deletes);
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
    assertThat(queue.waiting())
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
    worker("a", 1, 0);
    assertThat(ask("other", 0, 0)).isEqualTo("a");
    assertThat(queue.waiting()).isEmpty();
  }

  @Test
  void whoCannotUseASlotDoesNotHinderOthers() {
    workers.add(new Worker("a", 4, 0, 0, 2 * GB, 0, 0, 0, false, 0));
    Request large = new Request("large", "s", 4 * GB, Map.of(), 2, 0);
    assertThat(queue.ask(large, workers, now++)).isEmpty();
    assertThat(ask("small", 0, 0)).isEqualTo("a");
  }
}
