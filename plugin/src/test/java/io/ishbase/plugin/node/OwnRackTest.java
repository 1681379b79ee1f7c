package io.ishbase.plugin.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.core.Distance;
import io.ishbase.core.Topology;
import io.ishbase.testing.Await;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class OwnRackTest {
  /** The site's script works a while after the machine has begun. */
  @Test
  void itIsLookedForUntilItIsKnown() {
    Topology topology = new Topology(Set.of("10.0.0.9"), () -> {});
    topology.learn("10.0.0.1:9866", "/r1/10.0.0.1:9866");
    AtomicInteger asked = new AtomicInteger();
    OwnRack rack = new OwnRack(() -> asked.incrementAndGet() < 3 ? null : "/r1", topology);
    Await.until(
        "the rack",
        () -> {
          rack.look();
          return topology.distance("10.0.0.1:9866") == Distance.SAME_RACK;
        });
    assertThat(asked).hasValue(3);
  }
}
