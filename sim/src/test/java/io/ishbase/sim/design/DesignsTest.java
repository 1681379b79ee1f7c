package io.ishbase.sim.design;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.ishbase.core.cache.CacheStats;
import io.ishbase.sim.workload.Parameters;
import io.ishbase.sim.workload.RequestStream.Kind;
import io.ishbase.sim.workload.Requests;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Designs without time: every fetch comes at once. */
class DesignsTest {
  private static final class Here implements RegionServer {
    private long requests;

    @Override
    public long nanos() {
      return requests * 100_000;
    }

    @Override
    public double mbps() {
      return 100 + requests % 300;
    }

    @Override
    public long requests() {
      return requests;
    }

    @Override
    public void inBackground(int cells, long bytes, Runnable arrived) {
      arrived.run();
    }
  }

  private final Parameters parameters =
      Parameters.seed().with("blocks", 256).with("cache", 0.02).with("upgrade.misses", 2);
  private final Here server = new Here();
  private final Data data = new Data(parameters);

  /** Fetches and bytes of so many requests. */
  private long[] run(Design design, int count) {
    double share = parameters.number("get.share");
    Requests requests = new Requests(parameters, 1, request -> share);
    Read read = new Read();
    long[] sums = new long[4];
    for (int i = 0; i < count; i++) {
      requests.next();
      server.requests++;
      read.begin(requests.kind() == Kind.GET, requests.key(), requests.rows());
      long before = sums[0];
      while (design.goesOn(read)) {
        sums[0]++;
        sums[1] += read.bytes();
      }
      assertThat(read.isDone()).isTrue();
      if (requests.kind() == Kind.GET) {
        sums[2]++;
        sums[3] += sums[0] == before ? 1 : 0;
      }
    }
    return sums;
  }

  @Test
  void anLruIsALinkedHashMap() {
    SplittableRandom random = new SplittableRandom(3);
    Lru lru = new Lru(100);
    Map<Integer, Boolean> model =
        new LinkedHashMap<>(16, 0.75f, true) {
          @Override
          protected boolean removeEldestEntry(Map.Entry<Integer, Boolean> eldest) {
            return size() > 100;
          }
        };
    for (int i = 0; i < 100_000; i++) {
      int number = random.nextInt(300) * 4096;
      switch (random.nextInt(5)) {
        case 0 -> {
          lru.remove(number);
          model.remove(number);
        }
        case 1, 2 -> {
          lru.add(number);
          model.put(number, true);
        }
        default -> assertThat(lru.touch(number)).isEqualTo(model.get(number) != null);
      }
      assertThat(lru.size()).isEqualTo(model.size());
    }
  }

  /** A cell comes once for each miss, and a block for each block. */
  @Test
  void whatIsFetchedIsCountedByHand() {
    Design k = Designs.K.make(parameters, data, server);
    Read read = new Read();
    read.begin(true, 5, 1);
    assertThat(k.goesOn(read)).isTrue();
    assertThat(read.bytes()).isEqualTo(64);
    assertThat(k.goesOn(read)).isFalse();
    read.begin(true, 5, 1);
    assertThat(k.goesOn(read)).as("cached").isFalse();
    read.begin(false, 5, 25);
    int fetches = 0;
    long bytes = 0;
    while (k.goesOn(read)) {
      fetches++;
      bytes += read.bytes();
    }
    assertThat(fetches).isEqualTo(3);
    assertThat(bytes).isEqualTo(25 * 64);

    Design b = Designs.B.make(parameters, data, server);
    read.begin(false, 1020, 10);
    fetches = 0;
    while (b.goesOn(read)) {
      assertThat(read.bytes()).isEqualTo(65536);
      fetches++;
    }
    assertThat(fetches).as("over the end of a block").isEqualTo(2);
  }

  @Test
  void theSelfAdaptiveCacheKeepsToItsMemory() {
    double bytes = 0.02 * data.bytes();
    IsHBaseSa sa = new IsHBaseSa(parameters, data, server, bytes);
    run(sa, 200_000);
    assertThat(sa.usedBytes(bytes)).isBetween(0.9 * bytes, bytes);
    assertThat(sa.usedBytes(bytes)).isCloseTo(sa.countedBytes(), within(0.01));
    assertThat(sa.upgrades()).isPositive();
    assertThat(sa.downgrades()).isPositive();
  }

  /** The simulator's count of hits is that of the cache that ships. */
  @Test
  void theShippedCacheCountsTheSame() {
    try (InStorage ours = new InStorage(parameters, data, server, 0.02 * data.bytes())) {
      long[] sums = run(ours, 100_000);
      CacheStats stats = ours.cache().stats();
      assertThat(stats.hits()).isEqualTo(sums[3]);
      assertThat(stats.hits() + stats.misses()).isEqualTo(sums[2]);
      assertThat(stats.usedBytes()).isLessThanOrEqualTo(stats.budgetBytes());
    }
  }

  /** The parameter says what an entry of the shipped cache takes besides its cell. */
  @Test
  void bookkeepingIsChargedAsTheShippedCacheTakes() {
    Parameters gets = parameters.with("get.share", 1);
    try (InStorage ours = new InStorage(gets, data, server, 0.02 * data.bytes())) {
      Read read = new Read();
      SplittableRandom random = new SplittableRandom(1);
      for (int i = 0; i < 200_000; i++) {
        server.requests++;
        read.begin(true, random.nextInt(data.keys()), 1);
        while (ours.goesOn(read)) {}
      }
      CacheStats stats = ours.cache().stats();
      double besides = (stats.usedBytes() - stats.cachedBytes()) / (double) stats.entries();
      assertThat(parameters.number("charged.cell.bytes")).isCloseTo(besides, withinPercentage(15));
    }
  }

  /** After a flush no design answers with what it had before. */
  @Test
  void flushedRowsAreFetchedAnew() {
    for (Designs which : new Designs[] {Designs.B, Designs.K, Designs.KB, Designs.SA}) {
      Data own = new Data(parameters);
      Design design = which.make(parameters, own, server);
      Read read = new Read();
      read.begin(true, 7, 1);
      assertThat(design.goesOn(read)).isTrue();
      assertThat(design.goesOn(read)).isFalse();
      own.put(7);
      assertThat(own.isInMemstore(7)).isTrue();
      own.flush(design);
      assertThat(own.isInMemstore(7)).isFalse();
      read.begin(true, 7, 1);
      assertThat(design.goesOn(read)).as(which.label()).isTrue();
    }
  }
}
