package io.ishbase.archetypes.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** The policy in virtual time, against rows that serve one increment at a time. */
class ShardPolicyTest {
  private static final Series SERIES = Series.of("hot");
  private static final long MILLI = 1_000_000L;
  private static final ShardPolicy.Settings SETTINGS = ShardPolicy.Settings.DEFAULT;

  /** Clients that each increment, wait for the answer, think, and go on. */
  private static final class World {
    private record Turn(long nanos, int client) {}

    private final Random random;
    private final List<ShardPolicy> policies = new ArrayList<>();
    private final PriorityQueue<Turn> turns =
        new PriorityQueue<>(Comparator.comparingLong(Turn::nanos));
    private final long[] freeAt = new long[SETTINGS.maxShards()];
    long thinkNanos;
    long workNanos;
    long travelNanos;
    long served;
    long latencies;
    private long now;

    World(long seed, int clients) {
      random = new Random(seed);
      for (int i = 0; i < clients; i++) {
        policies.add(new ShardPolicy(SETTINGS));
        turns.add(new Turn(random.nextInt(1_000_000), i));
      }
    }

    /** Lets time go by; returns the mean latency. */
    long run(long nanos) {
      served = 0;
      latencies = 0;
      long end = now + nanos;
      while (now < end) {
        Turn turn = turns.remove();
        now = turn.nanos();
        ShardPolicy policy = policies.get(turn.client());
        int shard = random.nextInt(policy.shards(SERIES));
        long begins = Math.max(now + travelNanos, freeAt[shard]);
        freeAt[shard] = begins + vary(workNanos);
        long answered = freeAt[shard] + travelNanos;
        policy.took(SERIES, answered - now, answered);
        served++;
        latencies += answered - now;
        turns.add(new Turn(answered + vary(thinkNanos), turn.client()));
      }
      return latencies / served;
    }

    private long vary(long nanos) {
      return (long) (nanos * (0.8 + 0.4 * random.nextDouble()));
    }

    double meanShards() {
      return policies.stream().mapToInt(one -> one.shards(SERIES)).average().orElseThrow();
    }
  }

  @Property(tries = 20)
  void aRowForWhichClientsQueueIsSharded(
      @ForAll long seed, @ForAll @IntRange(min = 24, max = 64) int clients) {
    World world = new World(seed, clients);
    world.workNanos = MILLI;
    world.travelNanos = MILLI / 10;
    world.thinkNanos = 10 * MILLI;
    long before = world.run(200 * MILLI);
    assertThat(before).isGreaterThan(10 * MILLI);
    world.run(60_000 * MILLI);
    assertThat(world.run(5_000 * MILLI)).isLessThan(SETTINGS.hotNanos()).isLessThan(before / 2);
    assertThat(world.meanShards()).isBetween(1.5, 32.0);
  }

  @Property(tries = 20)
  void oneThatIsSlowForAnotherReasonIsNot(@ForAll long seed) {
    World world = new World(seed, 8);
    world.workNanos = MILLI / 100;
    world.travelNanos = 15 * MILLI;
    world.thinkNanos = 10 * MILLI;
    double shards = 0;
    for (int i = 0; i < 600; i++) {
      world.run(1_000 * MILLI);
      shards += world.meanShards() / 600;
    }
    // A trial takes half a second, and the pauses between them grow to ten minutes.
    assertThat(shards).isLessThan(1.05);
  }

  @Property(tries = 10)
  void oneThatIsNoLongerHotIsPutTogetherAgain(@ForAll long seed) {
    World world = new World(seed, 48);
    world.workNanos = MILLI / 2;
    world.travelNanos = MILLI / 10;
    world.thinkNanos = 10 * MILLI;
    world.run(60_000 * MILLI);
    assertThat(world.meanShards()).isGreaterThan(1.5);
    world.thinkNanos = 2_000 * MILLI;
    world.run(3_600_000 * MILLI);
    assertThat(world.meanShards()).isLessThan(1.3);
    assertThat(world.run(60_000 * MILLI)).isLessThan(SETTINGS.hotNanos());
  }
}
