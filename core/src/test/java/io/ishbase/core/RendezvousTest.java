package io.ishbase.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;
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
    assertThat(Rendezvous.first(key, nodes)).isEqualTo(Rendezvous.order(key, nodes).get(0));
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

  @Property
  void equalWeightsChangeNothing(
      @ForAll String key,
      @ForAll @Size(min = 1, max = 8) @UniqueElements List<@NotEmpty String> nodes,
      @ForAll @DoubleRange(min = 0.1, max = 10) double weight) {
    Map<String, Double> weights = new HashMap<>();
    nodes.forEach(node -> weights.put(node, weight));
    assertThat(Rendezvous.order(key, weights)).isEqualTo(Rendezvous.order(key, nodes));
  }

  @Property
  void preparedNodesGiveTheSameOrder(
      @ForAll String key,
      @ForAll @Size(max = 8)
          Map<@NotEmpty String, @DoubleRange(min = 0.25, max = 1) Double> weights,
      @ForAll @IntRange(max = 10) int count) {
    List<String> order = Rendezvous.order(key, weights);
    assertThat(new Rendezvous.Nodes(weights).first(key, count))
        .isEqualTo(order.subList(0, Math.min(count, order.size())));
    Map<String, Double> alike = new HashMap<>();
    weights.keySet().forEach(name -> alike.put(name, 0.5));
    assertThat(new Rendezvous.Nodes(alike).first(key, count))
        .isEqualTo(Rendezvous.order(key, alike).subList(0, Math.min(count, order.size())));
  }

  @Test
  void spreadsKeysByWeight() {
    Map<String, Double> weights = Map.of("a:9866", 1.0, "b:9866", 0.5, "c:9866", 0.5);
    Map<String, Integer> firsts = new HashMap<>();
    for (int key = 0; key < 10_000; key++) {
      firsts.merge(Rendezvous.order("region" + key, weights).get(0), 1, Integer::sum);
    }
    assertThat(firsts.get("a:9866")).isBetween(4_800, 5_200);
    assertThat(firsts.get("b:9866")).isBetween(2_300, 2_700);
  }
}
