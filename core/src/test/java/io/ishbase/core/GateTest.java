package io.ishbase.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.core.Gate.Route;
import io.ishbase.testing.Seed;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.function.IntToDoubleFunction;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The gate in virtual time, on routes whose cost follows from a bandwidth. */
class GateTest {
  private static final double FAST_MBPS = 8000;

  private final Gate gate = new Gate();
  private Random random;
  private double mbps = FAST_MBPS;

  // A read over blocks: a little work, many bytes. Over the daemons: more work, few bytes.
  private double blockMicros = 100;
  private double blockBytes = 64_000;
  private double inStorageMicros = 250;
  private double inStorageBytes = 1_200;
  private double missRate = 1;

  @BeforeEach
  void seed() {
    random = new Random(Seed.get());
  }

  private double micros(Route route) {
    return route == Route.BLOCK
        ? blockMicros + (random.nextDouble() < missRate ? blockBytes * 8 / mbps : 0)
        : inStorageMicros + inStorageBytes * 8 / mbps;
  }

  private double meanMicros(Route route) {
    return route == Route.BLOCK
        ? blockMicros + missRate * blockBytes * 8 / mbps
        : inStorageMicros + inStorageBytes * 8 / mbps;
  }

  private Route better() {
    return meanMicros(Route.BLOCK) < meanMicros(Route.IN_STORAGE) ? Route.BLOCK : Route.IN_STORAGE;
  }

  /** A read with up to ten per cent of noise; returns how long it took, in microseconds. */
  private double read() {
    Gate.Choice choice = gate.choose();
    double micros = micros(choice.route()) * (0.9 + 0.2 * random.nextDouble());
    gate.observe(choice, micros * 1000);
    return micros;
  }

  private void read(int times) {
    for (int i = 0; i < times; i++) {
      read();
    }
  }

  /** How many times as long reads took as over the better route. */
  private double regret(int reads) {
    double spent = 0;
    double best = 0;
    for (int i = 0; i < reads; i++) {
      spent += read();
      best += meanMicros(better());
    }
    return spent / best;
  }

  @Test
  void findsTheBetterRouteInItsFirstReads() {
    mbps = 32;
    read(20);
    assertThat(gate.route()).isEqualTo(Route.IN_STORAGE);
    Gate fresh = new Gate();
    mbps = FAST_MBPS;
    for (int i = 0; i < 20; i++) {
      Gate.Choice choice = fresh.choose();
      fresh.observe(choice, micros(choice.route()));
    }
    assertThat(fresh.route()).isEqualTo(Route.BLOCK);
  }

  @Test
  void followsABandwidthThatDropsByTenWithinTwentyReads() {
    read(2000);
    assertThat(gate.route()).isEqualTo(Route.BLOCK);
    mbps /= 10;
    read(20);
    assertThat(gate.route()).isEqualTo(better()).isEqualTo(Route.IN_STORAGE);
  }

  @Test
  void followsABandwidthThatGrowsByTenWithinTwentyReads() {
    inStorageMicros = 350;
    inStorageBytes = 20_000;
    mbps = 200;
    read(2000);
    assertThat(gate.route()).isEqualTo(Route.IN_STORAGE);
    mbps *= 10;
    read(20);
    assertThat(gate.route()).isEqualTo(better()).isEqualTo(Route.BLOCK);
  }

  @Test
  void staysWithTheBetterRouteThroughChangesOfBandwidth() {
    double[] steps = {8, 80, 8, 80, 800, 80, 800, 8000, 800, 8000, 800, 80, 8};
    for (double step : steps) {
      mbps = step;
      assertThat(regret(20_000)).as(step + " Mbps").isLessThan(1.05);
    }
  }

  @Test
  void losesLessThanThreePerCentWhenNothingChanges() {
    for (double unchanged : new double[] {1, 8, 32, 128, 512, 1500, 8000}) {
      mbps = unchanged;
      read(5000);
      assertThat(regret(50_000)).as(unchanged + " Mbps").isLessThan(1.03);
    }
  }

  @Test
  void losesLittleWhereABlockCacheMakesTimesDiffer() {
    mbps = 400;
    for (double rate : new double[] {0.02, 0.1, 0.3, 0.5, 0.9}) {
      missRate = rate;
      read(5000);
      assertThat(regret(50_000)).as("misses " + rate).isLessThan(1.1);
    }
  }

  @Test
  void missesThatAreSeldomButDearCount() {
    blockMicros = 1;
    mbps = 64;
    for (double rate : new double[] {0.01, 0.03, 0.06}) {
      missRate = rate;
      for (double others : new double[] {0.5, 2}) {
        inStorageMicros = others * meanMicros(Route.BLOCK);
        inStorageBytes = 0;
        read(20_000);
        assertThat(regret(100_000)).as("misses %s, times %s", rate, others).isLessThan(1.25);
      }
    }
  }

  @Test
  void aReadThatEndedOtherwiseIsForgotten() {
    read(20);
    for (int i = 0; i < 1000; i++) {
      gate.forget(gate.choose());
    }
    mbps = 8;
    read(200);
    assertThat(gate.route()).isEqualTo(Route.IN_STORAGE);
    mbps = FAST_MBPS;
    read(5000);
    assertThat(gate.route()).isEqualTo(Route.BLOCK);
  }

  @Test
  void readsThatNeverEndDoNotHoldItUpForLong() {
    for (int i = 0; i < 1000; i++) {
      gate.choose();
    }
    read(20_000);
    assertThat(gate.route()).isEqualTo(better()).isEqualTo(Route.BLOCK);
  }

  @Test
  void aPauseOfAMinuteIsNotPaidForALongTime() {
    read(2000);
    Gate.Choice choice = gate.choose();
    gate.observe(choice, 60e9);
    read(500);
    mbps /= 10;
    read(50);
    assertThat(gate.route()).isEqualTo(better()).isEqualTo(Route.IN_STORAGE);
  }

  @Test
  void aRouteWhoseFirstReadsHungIsTriedAgain() {
    while (gate.route() == Route.IN_STORAGE) {
      Gate.Choice choice = gate.choose();
      gate.observe(choice, choice.route() == Route.IN_STORAGE ? 60e9 : 1e6);
    }
    observe(100, i -> 1e5, 1e6);
    assertThat(gate.route()).isEqualTo(Route.IN_STORAGE);
  }

  @Test
  void aRouteThatWasLeftIsJudgedByItsTrials() {
    // Some reads take long, so that many are remembered.
    observe(5000, i -> i % 20 == 0 ? 2e5 : 4e3, 1e5);
    assertThat(gate.route()).isEqualTo(Route.IN_STORAGE);
    observe(5000, i -> i % 20 == 0 ? 2e5 : 4e3, 8e3);
    assertThat(gate.route()).isEqualTo(Route.BLOCK);
    // Not less than half of what it took: that would be a change of the world.
    observe(1000, i -> 8e3, 1.2e4);
    assertThat(gate.route()).isEqualTo(Route.IN_STORAGE);
  }

  /** Reads of so many nanoseconds over each route. */
  private void observe(int reads, IntToDoubleFunction inStorage, double block) {
    for (int i = 0; i < reads; i++) {
      Gate.Choice choice = gate.choose();
      gate.observe(choice, choice.route() == Route.IN_STORAGE ? inStorage.applyAsDouble(i) : block);
    }
  }

  @Test
  void readsThatSeemToTakeNoTimeDoNotHoldIt() {
    for (int i = 0; i < 20_000; i++) {
      Gate.Choice choice = gate.choose();
      boolean isSlow = i > 50 && i % 2 == 0;
      gate.observe(choice, choice.route() == Route.BLOCK ? 1e5 : isSlow ? 1e6 : 0);
    }
    assertThat(gate.route()).isEqualTo(Route.BLOCK);
  }

  /** Eight readers share the line: what one asks for waits behind what the others did. */
  private void readTogether(int reads) {
    record Reading(double end, double start, Gate.Choice choice) {}
    PriorityQueue<Reading> underWay = new PriorityQueue<>(Comparator.comparingDouble(Reading::end));
    double now = 0;
    double lineFree = 0;
    for (int done = 0; done < reads; ) {
      if (underWay.size() < 8) {
        Gate.Choice choice = gate.choose();
        boolean block = choice.route() == Route.BLOCK;
        boolean moves = !block || random.nextDouble() < missRate;
        double micros = block ? blockMicros : inStorageMicros;
        double bytes = block ? blockBytes : inStorageBytes;
        lineFree = Math.max(now, lineFree) + (moves ? bytes * 8 / mbps : 0);
        underWay.add(new Reading((moves ? lineFree : now) + micros, now, choice));
      } else {
        Reading read = underWay.poll();
        now = read.end;
        gate.observe(read.choice, (read.end - read.start) * 1000);
        done++;
      }
    }
    for (Reading read : underWay) {
      gate.observe(read.choice, (read.end - read.start) * 1000);
    }
  }

  @Test
  void isNotMisledByBlocksThatDelayItsProbes() {
    missRate = 0.93;
    for (double cap : new double[] {8, 128, 10 * FAST_MBPS, 512, 8}) {
      mbps = cap;
      // That blocks have become better only a probe can tell, and those before were dear.
      readTogether(cap > FAST_MBPS ? 3_000_000 : 400);
      assertThat(gate.route()).as(cap + " Mbps").isEqualTo(better());
    }
  }

  @Test
  void whatWasUnderWayWhenARouteWasLeftIsNoTrialsPrice() {
    Deque<Gate.Choice> underWay = new ArrayDeque<>();
    for (int i = 0; i < 8; i++) {
      underWay.add(gate.choose());
    }
    for (int i = 0; i < 3000; i++) {
      Gate.Choice choice = underWay.remove();
      boolean isShort = i >= 2000;
      double nanos;
      if (choice.route() == Route.BLOCK) {
        nanos = isShort ? 54e3 : 4.5e3;
      } else {
        // The first ones wait behind what was read ahead of blocks, for nobody.
        nanos = !isShort ? 6e3 : i < 2060 ? 250e3 : 28e3;
      }
      gate.observe(choice, nanos * (0.6 + 0.8 * random.nextDouble()));
      underWay.add(gate.choose());
      if (i == 2000) {
        assertThat(gate.route()).isEqualTo(Route.BLOCK);
      }
    }
    assertThat(gate.route()).isEqualTo(Route.IN_STORAGE);
  }
}
