package io.ishbase.core.compaction;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PlacementTest {
  private static final long MB = 1 << 20;
  private static final long GB = 1 << 30;

  private final Placement placement = new Placement(100 * MB);

  private static Worker idle(String name) {
    return new Worker(name, 2, 0, 0, 0, 0, 50 * MB, 10 * GB, false, 0);
  }

  private String chosen(List<Worker> workers, long bytes, Map<String, Long> held) {
    return placement.rank(workers, bytes, held).stream().map(Worker::name).findFirst().orElse(null);
  }

  @Test
  void filesAttract() {
    assertThat(chosen(List.of(idle("a"), idle("b")), GB, Map.of("b", GB))).isEqualTo("b");
    assertThat(chosen(List.of(idle("a"), idle("b")), GB, Map.of("a", GB / 3, "b", GB / 2)))
        .isEqualTo("b");
  }

  @Test
  void loadRepels() {
    Worker busy = new Worker("b", 2, 1, 10 * GB, 0, 90, 50 * MB, 10 * GB, false, 0);
    assertThat(chosen(List.of(idle("a"), busy), GB, Map.of("b", GB))).isEqualTo("a");
    Worker nearlyDone = new Worker("b", 2, 1, 10 * MB, 0, 0, 50 * MB, 10 * GB, false, 0);
    assertThat(chosen(List.of(idle("a"), nearlyDone), GB, Map.of("b", GB))).isEqualTo("b");
  }

  @Test
  void aFastDedicatedWorkerIsWorthTheNetwork() {
    Worker fast = new Worker("a", 8, 0, 0, 0, 0, 400 * MB, 10 * GB, false, 0);
    assertThat(chosen(List.of(fast, idle("b")), GB, Map.of("b", GB))).isEqualTo("a");
  }

  @Test
  void oneSlowCompactionDoesNotKeepAWorkerFromItsFiles() {
    Worker slowOnce = new Worker("b", 2, 0, 0, 0, 0, 5 * MB, 25 * MB, false, 0);
    assertThat(chosen(List.of(idle("a"), slowOnce), GB, Map.of("b", GB))).isEqualTo("b");
    Worker slow = new Worker("b", 2, 0, 0, 0, 0, 5 * MB, 10 * GB, false, 0);
    assertThat(chosen(List.of(idle("a"), slow), GB, Map.of("b", GB))).isEqualTo("a");
  }

  @Test
  void aWorkerThatIsNotMeasuredIsTakenForAUsualOne() {
    Worker fresh = new Worker("b", 2, 0, 0, 0, 0, 0, 0, false, 0);
    Worker faster = new Worker("c", 2, 0, 0, 0, 0, 60 * MB, 10 * GB, false, 0);
    assertThat(placement.rank(List.of(idle("a"), fresh, faster), GB, Map.of()))
        .extracting(Worker::name)
        .containsExactly("c", "b", "a");
  }

  @Test
  void busyProcessorsCountForAWorkerThatIsNotMeasured() {
    Worker loaded = new Worker("a", 2, 0, 0, 0, 95, 0, 0, false, 0);
    Worker calm = new Worker("b", 2, 0, 0, 0, 10, 0, 0, false, 0);
    assertThat(chosen(List.of(loaded, calm), GB, Map.of())).isEqualTo("b");
  }

  @Test
  void noMoreThanSlotsAndMemoryAllow() {
    Worker full = new Worker("a", 2, 2, GB, 0, 0, 0, 0, false, 0);
    assertThat(chosen(List.of(full), GB, Map.of())).isNull();
    Worker small = new Worker("a", 4, 1, GB, 6 * GB, 0, 0, 0, false, 0);
    assertThat(chosen(List.of(small), 4 * GB, Map.of())).isNull();
    assertThat(chosen(List.of(small), 2 * GB, Map.of())).isEqualTo("a");
    Worker draining = new Worker("a", 4, 0, 0, 0, 0, 0, 0, true, 0);
    assertThat(chosen(List.of(draining), GB, Map.of())).isNull();
  }

  @Test
  void equalOnesAreChosenByName() {
    assertThat(chosen(List.of(idle("b"), idle("a")), GB, Map.of())).isEqualTo("a");
  }
}
