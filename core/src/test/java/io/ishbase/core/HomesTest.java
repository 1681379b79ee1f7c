package io.ishbase.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** In virtual time, with reports every five seconds as daemons send them. */
class HomesTest {
  private static final long REPORT_MILLIS = 5_000;
  private static final int REGIONS = 4_000;

  private final Homes homes = new Homes();
  private final Map<String, Integer> loads = new TreeMap<>();
  private long now = 1_700_000_000_000L;
  private int changes;

  private void report() {
    now += REPORT_MILLIS;
    if (homes.observe(loads, now)) {
      changes++;
    }
  }

  private void reportFor(long minutes) {
    for (long i = 0; i < TimeUnit.MINUTES.toMillis(minutes) / REPORT_MILLIS; i++) {
      report();
    }
  }

  private void loads(int a, int b, int c, int d) {
    loads.putAll(Map.of("a", a, "b", b, "c", c, "d", d));
  }

  private String home(int region) {
    return homes.choose("region" + region, 1).get(0);
  }

  private Map<Integer, String> all() {
    Map<Integer, String> all = new HashMap<>();
    for (int region = 0; region < REGIONS; region++) {
      all.put(region, home(region));
    }
    return all;
  }

  private static long count(Map<Integer, String> all, String node) {
    return all.values().stream().filter(node::equals).count();
  }

  @Test
  void thereIsNoneBeforeADaemonIs() {
    assertThat(homes.choose("region", 3)).isEmpty();
  }

  @Test
  void aRegionHasAsManyAsItAsksForAndThereAre() {
    loads(0, 0, 0, 0);
    report();
    assertThat(homes.choose("region", 3)).hasSize(3).doesNotHaveDuplicates();
    assertThat(homes.choose("region", 9)).containsExactlyInAnyOrder("a", "b", "c", "d");
  }

  /** As HDFS places replicas; the home itself is where it would be without racks. */
  @Test
  void replicasAreSpreadOverRacks() {
    Map<String, String> racks = new HashMap<>();
    Homes spread = new Homes(racks::get);
    Map<String, Integer> idle = new TreeMap<>();
    for (int node = 0; node < 200; node++) {
      idle.put("node" + node, 0);
      racks.put("node" + node, node < 195 ? "/a" : "/b");
    }
    spread.observe(idle, now);
    homes.observe(idle, now);
    Map<String, Integer> first = new HashMap<>();
    for (int region = 0; region < REGIONS; region++) {
      List<String> chosen = spread.choose("region" + region, 3);
      assertThat(chosen).hasSize(3).doesNotHaveDuplicates();
      assertThat(chosen.get(0)).isEqualTo(home(region));
      assertThat(racks.get(chosen.get(1))).isNotEqualTo(racks.get(chosen.get(0)));
      first.merge(racks.get(chosen.get(0)), 1, Integer::sum);
    }
    assertThat(first.get("/b")).isBetween(REGIONS / 80, REGIONS / 20);
    // Four in two racks: two in each. Where there is one rack it is as without.
    List<String> four = spread.choose("region", 4);
    assertThat(four.stream().filter(node -> racks.get(node).equals("/a"))).hasSize(2);
    racks.replaceAll((node, rack) -> "/a");
    assertThat(spread.choose("region", 4)).isEqualTo(homes.choose("region", 4));
    racks.clear();
    assertThat(spread.choose("region", 4)).isEqualTo(homes.choose("region", 4));
  }

  /** Of a DataNode that is full, or is taken out of service, nothing but its regions move. */
  @Test
  void oneThatHdfsGivesNoBlocksIsTheHomeOfNone() {
    loads(10, 20, 30, 40);
    reportFor(1);
    Map<Integer, String> before = all();
    assertThat(homes.observe(loads, Set.of("b"), now)).isTrue();
    assertThat(homes.observe(loads, Set.of("b"), now)).isFalse();
    Map<Integer, String> without = all();
    assertThat(without).doesNotContainValue("b");
    before.forEach(
        (region, home) -> {
          if (!home.equals("b")) {
            assertThat(without.get(region)).isEqualTo(home);
          }
        });
    assertThat(homes.choose("region", 9)).containsExactlyInAnyOrder("a", "c", "d");
    assertThat(homes.observe(loads, Set.of(), now)).isTrue();
    assertThat(all()).isEqualTo(before);
    homes.observe(loads, loads.keySet(), now);
    assertThat(all()).isEqualTo(before);
  }

  @Test
  void aRollingRestartMovesNoHome() {
    loads(10, 20, 30, 40);
    reportFor(1);
    Map<Integer, String> before = all();
    changes = 0;
    for (String node : List.of("a", "b", "c", "d")) {
      int load = loads.remove(node);
      reportFor(2);
      loads.put(node, load);
      reportFor(1);
    }
    assertThat(changes).isZero();
    assertThat(all()).isEqualTo(before);
  }

  @Test
  void aDataNodeThatIsGoneLosesItsRegionsAndNobodyElseAny() {
    loads(10, 20, 30, 40);
    report();
    Map<Integer, String> before = all();
    loads.remove("b");
    reportFor(9);
    assertThat(all()).isEqualTo(before);
    reportFor(2);
    Map<Integer, String> after = all();
    assertThat(count(after, "b")).isZero();
    before.values().removeIf("b"::equals);
    assertThat(after).containsAllEntriesOf(before);
  }

  @Test
  void loadsThatChangeMoveNothing() {
    Random random = new Random(1);
    loads(0, 0, 0, 0);
    report();
    Map<Integer, String> before = all();
    changes = 0;
    for (int i = 0; i < 5_000; i++) {
      loads(random.nextInt(101), random.nextInt(101), random.nextInt(101), 40 + random.nextInt(61));
      report();
    }
    assertThat(changes).isZero();
    assertThat(all()).isEqualTo(before);
  }

  @Test
  void aClockThatIsSetBackMovesNothingAndTimeGoesOn() {
    loads(30, 20, 20, 20);
    reportFor(90);
    loads(25, 20, 20, 20);
    report();
    Map<Integer, String> before = all();
    now -= TimeUnit.HOURS.toMillis(1);
    reportFor(120);
    assertThat(all()).isEqualTo(before);

    loads.remove("a");
    now -= TimeUnit.HOURS.toMillis(1);
    reportFor(11);
    assertThat(count(all(), "a")).as("regions of one that is gone").isZero();
  }

  @Test
  void aBusyHourOfAllMovesNothing() {
    loads(100, 95, 90, 100);
    reportFor(60);
    assertThat(changes).as("they came").isOne();
  }

  @Test
  void whatIsMuchBusierThanMostGetsFewerRegionsAndThoseBackWhenItIsCalm() {
    loads(100, 20, 20, 20);
    report();
    Map<Integer, String> before = all();
    reportFor(10);
    assertThat(all()).as("some minutes are not enough").isEqualTo(before);
    reportFor(40);
    Map<Integer, String> half = all();
    assertThat((double) count(half, "a") / REGIONS).isBetween(0.12, 0.17);
    half.forEach(
        (region, home) -> {
          if (!before.get(region).equals("a")) {
            assertThat(home).isEqualTo(before.get(region));
          }
        });
    reportFor(180);
    assertThat((double) count(all(), "a") / REGIONS).as("a quarter").isBetween(0.06, 0.09);
    loads(10, 20, 20, 20);
    reportFor(60);
    assertThat(all()).as("by steps").isEqualTo(half);
    reportFor(60);
    assertThat(all()).isEqualTo(before);
    assertThat(changes).as("they came, two steps down, two up").isEqualTo(5);
  }
}
