package io.ishbase.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.NotEmpty;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.constraints.UniqueElements;
import org.junit.jupiter.api.Test;

class RendezvousTest {
  @Property
  void doesNotDependOnTheOrderOfTheNodes(
      @ForAll String key,
      @ForAll @Size(min = 1, max = 8) @UniqueElements List<@NotEmpty String> nodes) {
    List<String> backwards = new ArrayList<>(nodes);
    Collections.reverse(backwards);
    assertThat(Rendezvous.order(key, nodes))
        .isEqualTo(Rendezvous.order(key, backwards))
        .containsExactlyInAnyOrderElementsOf(nodes);
  }

  @Property
  void movesOnlyTheKeysOfANodeThatGoes(
      @ForAll String key,
      @ForAll @Size(min = 2, max = 8) @UniqueElements List<@NotEmpty String> nodes) {
    List<String> before = Rendezvous.order(key, nodes);
    List<String> fewer = new ArrayList<>(nodes);
    fewer.remove(before.get(before.size() - 1));
    assertThat(Rendezvous.order(key, fewer)).isEqualTo(before.subList(0, before.size() - 1));
  }

  @Test
  void spreadsKeysEvenly() {
    List<String> nodes = List.of("a:9866", "b:9866", "c:9866", "d:9866");
    Map<String, Integer> firsts = new HashMap<>();
    for (int key = 0; key < 10_000; key++) {
      firsts.merge(Rendezvous.order("region" + key, nodes).get(0), 1, Integer::sum);
    }
    assertThat(firsts.values()).hasSize(4).allSatisfy(n -> assertThat(n).isBetween(2_300, 2_700));
  }
}
