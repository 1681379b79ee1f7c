package io.ishbase.sim.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.ishbase.sim.miniature.Fetches;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PlanTest {
  private static final Path GOLDEN = Path.of("src", "test", "resources", "golden");

  /** Of tables with the same load and skew. */
  private static final Map<List<Object>, TableCurves> CURVES = new HashMap<>();

  @Test
  void aPage() throws IOException {
    Inputs inputs = PlanFile.read("f", PlanFileTest.SMALL);
    AtomicInteger steps = new AtomicInteger();
    Plan plan = new Plan(inputs, 1, steps::incrementAndGet);
    assertThat(steps.get()).isEqualTo(Plan.steps(inputs));
    String page = PlanPage.of(plan);
    isGolden("plan.txt", page);
    assertThat(page.lines().count()).as("one page").isLessThan(60);

    assertThat(plan.answer(Answer.LINE_IN_WITH).value())
        .isLessThan(plan.answer(Answer.LINE_IN_TODAY).value() / 10);
    for (Answer answer : Answer.values()) {
      Range range = plan.answer(answer);
      assertThat(range.least()).isLessThanOrEqualTo(range.value());
      assertThat(range.most()).isGreaterThanOrEqualTo(range.value());
    }
  }

  @Test
  void bytesHaveADistanceAndAPrice() {
    List<String> lines =
        new ArrayList<>(
            List.of("near.part = 0.25", "price.far.gb = 0.02", "price.near.gb = 0.001"));
    lines.addAll(PlanFileTest.SMALL);
    Plan plan = plan(PlanFile.read("f", lines));
    for (Side side : Side.values()) {
      Load load = plan.load(side);
      assertThat(load.replicaBytes()).isPositive();
      // Two further replicas, one of them in another rack.
      assertThat(load.farBytes())
          .isCloseTo(0.75 * load.lineBytes() + load.replicaBytes() / 2, withinPercentage(1e-6));
      assertThat(load.nearBytes())
          .isCloseTo(0.25 * load.lineBytes() + load.replicaBytes() / 2, withinPercentage(1e-6));
    }
    double month = 30 * 86_400.0 / (1L << 30);
    Load today = plan.load(Side.TODAY);
    double cost = month * (0.001 * today.nearBytes() + 0.02 * today.farBytes());
    assertThat(PlanPage.of(plan)).containsPattern("at the prices given +" + Numbers.plain(cost));
  }

  /** So seldom that virtual time would have ended before the reads that are waited for. */
  @Test
  void aLoadOfNextToNothingHasAPage() {
    List<String> lines = new ArrayList<>(PlanFileTest.SMALL);
    lines.removeIf(line -> line.startsWith("gets = ") || line.startsWith("puts = "));
    lines.add("gets = 1e-9");
    Plan plan = new Plan(PlanFile.read("f", lines), 1, () -> {});
    assertThat(PlanPage.of(plan)).doesNotContain("NaN");
  }

  static void isGolden(String name, String page) throws IOException {
    Path golden = GOLDEN.resolve(name);
    if ("write".equals(System.getProperty("ishbase.golden"))) {
      Files.writeString(golden, page);
    }
    assertThat(page).isEqualTo(Files.readString(golden));
  }

  private static Values with(String... lines) {
    return PlanFile.read("f", Stream.concat(Stream.of(lines), PlanFileTest.SMALL.stream()).toList())
        .middle();
  }

  /** 125 MB/s of each of three region servers and four storage nodes; 150 MB/s of a compaction. */
  @Test
  void replicasTakeTheLinesThatOffloadingFrees() {
    double link = 125e6;
    double speed = 150 << 20;
    assertThat(CappedCompactions.of(with(), 1))
        .isEqualTo(new CappedCompactions(1, link, speed, 3 * link, 2 * 4 * speed));
    assertThat(CappedCompactions.of(with(), 2))
        .isEqualTo(new CappedCompactions(2, link, link, 4 * link / 2, 4 * link));
    assertThat(CappedCompactions.of(with(), 3))
        .isEqualTo(new CappedCompactions(3, link, link, 4 * link / 3, 4 * link / 2));
    // More replicas than nodes there cannot be.
    assertThat(CappedCompactions.of(with().with("storage.nodes", 1), 3))
        .isEqualTo(new CappedCompactions(3, link, speed, link, 2 * speed));
    // Less between all of them than the NICs have.
    assertThat(CappedCompactions.of(with("core.mbps = 800"), 3).aloneToday()).isEqualTo(100e6);
  }

  /** The same rows in a quarter of the bytes: caches and clients see no difference, lines do. */
  @Test
  void cachesHoldRowsOpened() {
    List<String> lines = new ArrayList<>(PlanFileTest.SMALL);
    lines.add("skew = 0.9");
    Inputs open = PlanFile.read("f", lines);
    lines.set(9, "bytes = 50 GB");
    lines.set(10, "row.bytes = 250");
    lines.addAll(List.of("unpacked = 4", "block.bytes = 16 KB"));
    Inputs packed = PlanFile.read("f", lines);
    List<TableCurves> ofOpen = curves(open);
    List<TableCurves> ofPacked = curves(packed);
    Machines machines = new Machines(3, 4, 1);
    for (Side side : Side.values()) {
      Load wide = Load.of(side, open, open.middle(), ofOpen, machines);
      Load narrow = Load.of(side, packed, packed.middle(), ofPacked, machines);
      ReadCosts wideGet = wide.reads().get(0);
      ReadCosts narrowGet = narrow.reads().get(0);
      assertThat(narrowGet.fetches()).isCloseTo(wideGet.fetches(), within(1e-9));
      assertThat(narrowGet.answerBytes()).isEqualTo(wideGet.answerBytes());
      assertThat(narrowGet.inBytes()).isLessThan(wideGet.inBytes());
    }
  }

  /** It takes seconds to make a table's. */
  private static List<TableCurves> curves(Inputs inputs) {
    return inputs.tables().stream()
        .map(
            table ->
                CURVES.computeIfAbsent(
                    List.of(
                        TableCurves.load(inputs.middle(), table),
                        inputs.range(Inputs.name(table.name(), "skew"))),
                    key -> new TableCurves(inputs, table, 1, () -> {})))
        .toList();
  }

  private static Plan plan(Inputs inputs) {
    return new Plan(inputs, curves(inputs), 1, () -> {});
  }

  /** Twice the storage nodes have half of the daemons' work each. */
  @Test
  void machinesMayBeUncertain() {
    List<String> lines = new ArrayList<>(PlanFileTest.SMALL);
    lines.set(4, "storage.nodes = 4 (2 to 8)");
    lines.add("skew = 0.9");
    Inputs inputs = PlanFile.read("f", lines);
    Estimates estimates = new Estimates(inputs, curves(inputs), 1);
    Values middle = inputs.middle();
    double few = of(estimates, middle.with("storage.nodes", 2), Answer.DAEMON_CORES);
    double many = of(estimates, middle.with("storage.nodes", 8), Answer.DAEMON_CORES);
    assertThat(few).isCloseTo(4 * many, withinPercentage(1e-6));
  }

  private static double of(Estimates estimates, Values values, Answer answer) {
    return estimates.of(values, false).getOrDefault(answer, Double.NaN);
  }

  /** A store that gets a file each second has no time for a queue. */
  @Test
  void serversAreEnoughIfNoWriteIsBlocked() {
    Values values = with();
    Compactions calm = new Compactions(List.of(new Compactions.Kind(1, 1)), 1, 10);
    Compactions hasty = new Compactions(List.of(new Compactions.Kind(1, 1)), 1, 0.5);
    CompactionWait.Outcome outcome = new CompactionWait.Outcome(9, 0.001);
    assertThat(outcome.isEnough(values, calm)).isTrue();
    assertThat(outcome.isEnough(values, hasty)).isFalse();
    assertThat(new CompactionWait.Outcome(9, 0.02).isEnough(values, calm)).isFalse();
  }

  /** Where all is cached and nothing is short, the page says so. */
  @Test
  void saysWhereItDoesNotPay() {
    Plan plan =
        plan(
            PlanFile.read(
                "f",
                PlanFileTest.SMALL.stream()
                    .map(line -> line.startsWith("block.cache") ? "block.cache = 128 GB" : line)
                    .map(line -> line.replace("mbps = 1000", "mbps = 100000"))
                    .map(line -> line.startsWith("puts") ? "puts = 0" : line)
                    .toList()));
    assertThat(PlanPage.of(plan)).contains("It does not pay");
  }

  /** Compactions alone are more than these machines can: no factor says anything then. */
  @Test
  void saysWhereTheyCarryNothingToday() {
    List<String> lines = new ArrayList<>(List.of("major.days = 0.01"));
    lines.addAll(PlanFileTest.SMALL);
    Plan plan = plan(PlanFile.read("f", lines));
    assertThat(plan.answer(Answer.CARRIED_TODAY).value()).isZero();
    assertThat(PlanPage.of(plan)).contains("Nothing to compare with").doesNotContain("It pays");
  }

  /** Twice the reads on twice the machines: each machine does the same. */
  @Test
  void isAsLargeAsItsMachines() {
    Inputs one = PlanFile.read("f", PlanFileTest.SMALL);
    List<TableCurves> curves = curves(one);
    Values values = one.middle();
    Values twice =
        values
            .with("t: gets", 2 * values.of("t: gets"))
            .with("t: puts", 2 * values.of("t: puts"))
            .with("t: bytes", 2 * values.of("t: bytes"))
            .with("t: regions", 2 * values.of("t: regions"));
    for (Side side : Side.values()) {
      Load small = Load.of(side, one, values, curves, new Machines(3, 4, 1));
      Load large = Load.of(side, one, twice, curves, new Machines(6, 8, 1));
      assertThat(large.lineBytes()).isCloseTo(2 * small.lineBytes(), withinPercentage(1e-6));
      for (int i = 0; i < small.resources().size(); i++) {
        assertThat(large.resources().get(i).part())
            .isCloseTo(small.resources().get(i).part(), within(1e-9));
      }
    }
  }

  /** The formula's own example: a server that is full to 99 % is not enough with luck's bursts. */
  @Test
  void theFormulaFillsAServerThatQueuesWould() {
    double bytes = 4.0 * (1 << 30);
    Compactions compactions =
        new Compactions(List.of(new Compactions.Kind(bytes, 10 / 3600.0)), bytes * 10 / 3600, 1e6);
    Values values =
        PlanFile.read("f", PlanFileTest.SMALL)
            .middle()
            .with("compaction.mb.s", 4096 / 716.8)
            .with("worker.slots", 1);
    CompactionWait.Outcome two = CompactionWait.of(values, compactions, 2, 1);
    assertThat(two.homePart()).isGreaterThan(0.1);
    assertThat(CompactionWait.serversNeeded(values, compactions, 1)).isGreaterThan(3);
  }

  /** However absurd the load: a page, and soon. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "puts = 1e18",
        "puts = 1e12",
        "major.days = 0.01",
        "major.days = 1e18",
        "flush.bytes = 1 MB",
        "compaction.files = 2",
        "compaction.mb.s = 1e-9",
        "compaction.mb.s = 1e18",
        "patience.s = 0"
      })
  void anyLoadHasAnEnd(String line) {
    boolean isOfTable = line.startsWith("puts");
    List<String> lines = new ArrayList<>(PlanFileTest.SMALL);
    lines.removeIf(each -> each.startsWith("puts") && isOfTable);
    lines.add(isOfTable ? lines.size() : 0, line);
    Inputs inputs = PlanFile.read("f", lines);
    assertTimeoutPreemptively(
        Duration.ofMinutes(10),
        () -> {
          CompactionServers servers = CompactionServers.of(inputs, inputs.middle(), 1);
          assertThat(servers.atDaemons().homePart()).isBetween(0.0, 1.0);
          CompactionServers.needed(inputs, inputs.middle(), 1);
        });
  }

  /** Where nobody writes, no store gets files, be it allowed next to none. */
  @Test
  void oneServerIsEnoughWhereNobodyWrites() {
    Inputs inputs = inputs("blocking.files = 3", "puts = 0");
    assertThat(CompactionServers.needed(inputs, inputs.middle(), 1)).isEqualTo(1);
  }

  /** Three times what the worker gets done: two of three find none, those that wait counted too. */
  @Test
  void compactionsThatWaitLongestCount() {
    Values values = with("patience.s = 3600", "compaction.mb.s = 1", "worker.slots = 1");
    double bytes = 1 << 20;
    Compactions compactions =
        new Compactions(List.of(new Compactions.Kind(bytes, 3)), 3 * bytes, 1e6);
    CompactionWait.Outcome outcome = CompactionWait.of(values, compactions, 1, 1);
    assertThat(outcome.p99Seconds()).isGreaterThan(2_000);
    assertThat(outcome.homePart()).isCloseTo(2.0 / 3, within(0.05));
  }

  /** A block takes as much of the block cache whatever rows it has. */
  @Test
  void tablesShareTheBlockCacheByBlocks() {
    List<String> lines = new ArrayList<>(PlanFileTest.SMALL.subList(0, 7));
    for (int row : new int[] {200, 5000}) {
      lines.addAll(List.of("[table t" + row + "]", "regions = 10", "bytes = 50 GB", "gets = 1000"));
      lines.addAll(List.of("row.bytes = " + row, "skew = 0", "place = together"));
    }
    Inputs inputs = PlanFile.read("f", lines);
    List<TableCurves> curves = curves(inputs);
    double[] shares =
        CacheShares.of(Side.TODAY, inputs.middle(), inputs.tables(), curves, 20.0 * (1 << 30));
    assertThat(shares[0]).isCloseTo(shares[1], within(0.11));
  }

  /** Of three regions that all ask, one of ten nodes has a third, however many others are idle. */
  @Test
  void aHotTableOfFewRegionsIsNotSpread() {
    List<String> lines = new ArrayList<>(PlanFileTest.SMALL.subList(0, 7));
    lines.set(4, "storage.nodes = 10");
    lines.addAll(List.of("[table cold]", "regions = 30000", "bytes = 50 TB", "row.bytes = 1000"));
    lines.addAll(
        List.of("[table hot]", "regions = 3", "bytes = 5 GB", "row.bytes = 1000", "gets = 1000"));
    Inputs inputs = PlanFile.read("f", lines);
    assertThat(Spread.of(inputs, inputs.middle(), 10)).isGreaterThan(3);
  }

  /** Half of the reads are Scans: each read gives rise to as many fetches behind its back. */
  @Test
  void fetchesBehindAReadCountForEachRead() {
    Inputs inputs = inputs("scans = 2000", "puts = 500");
    Inputs.Table table = inputs.tables().get(0);
    Fetches fetches = new Fetches(0.1, 0.5, 1, 5000, 0.25, 20_000);
    ReadCosts get = ReadCosts.ofGet(Side.WITH, inputs.middle(), table, fetches);
    ReadCosts scan = ReadCosts.ofScan(Side.WITH, inputs.middle(), table, fetches);
    assertThat(scan.unaskedInBytes()).isPositive().isEqualTo(get.unaskedInBytes());
    assertThat(scan.unaskedStorageSeconds()).isEqualTo(get.unaskedStorageSeconds());
  }

  /** Compactions that come with time are there whether anybody asks or not. */
  @Test
  void majorCompactionsDoNotGrowWithTheLoad() {
    Inputs inputs = inputs("gets = 20", "puts = 0");
    List<TableCurves> curves = curves(inputs);
    Values few = inputs.middle();
    Values many = few.with("t: gets", 2_000);
    Machines machines = new Machines(3, 4, 1);
    double carried = Load.of(Side.TODAY, inputs, few, curves, machines).carried();
    assertThat(carried)
        .isCloseTo(
            Load.of(Side.TODAY, inputs, many, curves, machines).carried(), withinPercentage(1e-6));
    Estimates estimates = new Estimates(inputs, curves, 1);
    assertThat(of(estimates, few, Answer.TWICE_BUSY_TODAY))
        .isCloseTo(
            of(estimates, few.with("t: gets", 40), Answer.BUSY_TODAY), withinPercentage(1e-6));
  }

  /** The only one less is none. */
  @Test
  void noneIsLeftOfOneMachine() {
    List<String> lines = new ArrayList<>(PlanFileTest.SMALL);
    lines.set(0, "region.servers = 1");
    lines.set(4, "storage.nodes = 1");
    lines.add("skew = 0.9");
    Inputs inputs = PlanFile.read("f", lines);
    Estimates estimates = new Estimates(inputs, curves(inputs), 1);
    for (Answer answer : List.of(Answer.NODE_LESS_BUSY_WITH, Answer.SERVER_LESS_BUSY_TODAY)) {
      assertThat(of(estimates, inputs.middle(), answer)).isInfinite();
    }
  }

  /** Answers to clients leave by the NIC by which requests leave. */
  @Test
  void requestsWaitBehindAnswersToClients() {
    Inputs inputs = inputs("gets = 330000", "row.bytes = 1000", "puts = 0");
    Values values = inputs.middle().with("region.server.cores", 1000).with("storage.cores", 1000);
    Fetches one = new Fetches(0.1, 0.2, 0, 0, 0, 0);
    ReadCosts get = ReadCosts.ofGet(Side.WITH, values, inputs.tables().get(0), one);
    double quiet = OpenLoop.p99(load(values, get, 0), 1, 1);
    double full = OpenLoop.p99(load(values, get, 352e6), 1, 1);
    assertThat(full).isGreaterThan(1.05 * quiet);
  }

  /** Of three region servers with 125 MB/s each. */
  private static Load load(Values values, ReadCosts get, double clientOutBytes) {
    Machines machines = new Machines(3, 4, 1);
    double fetches = get.aSecond() * get.fetches();
    double in = fetches * get.inBytes();
    double out = fetches * get.outBytes();
    return new Load(
        values, machines, null, List.of(get), 0, in, out, 0, clientOutBytes, 0, 1, 1, 1, 0);
  }

  private static Inputs inputs(String... ofTable) {
    List<String> lines = new ArrayList<>(PlanFileTest.SMALL);
    for (String line : ofTable) {
      String name = line.substring(0, line.indexOf(' ') + 1);
      lines.removeIf(other -> other.startsWith(name));
      lines.add(name.startsWith("blocking") ? 0 : lines.size(), line);
    }
    lines.add("skew = 0.9");
    return PlanFile.read("f", lines);
  }
}
