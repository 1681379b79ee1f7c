package io.ishbase.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ReplicasTest {
  private final Map<String, Integer> loads = Map.of("a", 50, "b", 10, "c", 10);
  private final Set<String> closed = new HashSet<>();

  private String choose(Set<String> preferred) {
    return Replicas.choose(List.of("a", "b", "c"), preferred, closed::contains, loads::get);
  }

  @Test
  void theLeastLoadedIsAskedTheFirstOfSeveral() {
    assertThat(choose(Set.of())).isEqualTo("b");
  }

  @Test
  void whoIsAskedAnywayIsAskedForThisToo() {
    assertThat(choose(Set.of("a"))).isEqualTo("a");
    closed.add("a");
    assertThat(choose(Set.of("a"))).isEqualTo("a");
  }

  @Test
  void whoFailedLatelyIsAskedOnlyIfAllDid() {
    closed.add("b");
    assertThat(choose(Set.of())).isEqualTo("c");
    closed.add("c");
    assertThat(choose(Set.of())).isEqualTo("a");
    closed.add("a");
    assertThat(choose(Set.of())).isEqualTo("b");
  }

  @Test
  void nobodyHoldsIt() {
    assertThat(Replicas.<String>choose(List.of(), Set.of(), closed::contains, loads::get)).isNull();
  }
}
