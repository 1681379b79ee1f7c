package io.ishbase.sim.figure;

import io.ishbase.core.compaction.WarmUpMode;
import io.ishbase.sim.compaction.OneCompaction;
import io.ishbase.sim.compaction.Setup;
import io.ishbase.sim.compaction.Way;
import io.ishbase.sim.compaction.Who;
import io.ishbase.sim.figure.CompactionTimes.Curve;
import io.ishbase.sim.workload.Parameters;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/** The figures of compactions: 31 to 33 of IS-HBase, and those of Ahmad and Kemme. */
final class Compactions {
  private static final List<String> SHARES =
      List.of("100", "90", "80", "70", "60", "50", "40", "30", "20", "10");

  /** Storage nodes, and files on each, of figures 32 and 33. */
  private static final int THREE = 3;

  private static final int FOUR_HOURS = 14_400;

  private static final ReadTimes.Curve SS = major("SS", Who.HOME, WarmUpMode.NONE);
  private static final ReadTimes.Curve WTC = major("WTC", Who.HOME_WRITE_THROUGH, WarmUpMode.NONE);
  private static final ReadTimes.Curve CO = major("CO", Who.SERVERS, WarmUpMode.NONE);
  private static final ReadTimes.Curve RC = major("RC", Who.SERVERS, WarmUpMode.REMOTE);
  private static final ReadTimes.Curve PSW = major("PSW", Who.SERVERS, WarmUpMode.PRE_SWITCH);
  private static final ReadTimes.Curve IW = major("IW", Who.SERVERS, WarmUpMode.INCREMENTAL);
  private static final ReadTimes.Curve TIW = major("TIW", Who.SERVERS, WarmUpMode.THROTTLED);

  private Compactions() {}

  static List<Recipe> all() {
    return List.of(
        overNodes(),
        overLine(),
        overFabric(),
        new ReadTimes(
            "pvldb3",
            "a read while files pile up, and with a major compaction",
            "without compactions ever worse; with them a spike, most of all at a major one",
            120,
            List.of(
                alone("no compactions", Who.NOBODY, WarmUpMode.NONE, 7200, 3600),
                alone("HBase", Who.HOME, WarmUpMode.NONE, 7200, 3600)),
            UnaryOperator.identity()),
        overMajor(
            "pvldb4", "CO: the compaction is shorter and hurts less, the warm-up does not", SS, CO),
        overMajor("pvldb5", "WTC: less warm-up, more during the compaction; RC: less", SS, WTC, RC),
        overMajor("pvldb6", "PSW, IW: less; TIW: least", PSW, IW, TIW),
        new Phases(
            "pvldb7",
            "how much longer a Get takes during a major compaction and its warm-up",
            "TIW: Gets 7 % and 9 % (Scans 20 % and 4 %)",
            List.of(SS, WTC, CO, RC, PSW, IW, TIW),
            Map.of(TIW.label(), List.of(7.0, 9.0))),
        new ReadTimes(
            "pvldb9",
            "a read over four hours, by region servers and compaction servers",
            "10 RS/1 CS is overloaded, 5 RS/1 CS and 10 RS/2 CS are not",
            600,
            scales(),
            Compactions::ofFigure9),
        new ServerCounts(
            "servers",
            "compaction servers: the formula of 6.3 and what comes of so many",
            "10 regions of 4 GB with a major compaction an hour need 2",
            scales()),
        new PatienceStudy(
            "patience",
            "a read by how long a region server waits for a compaction server",
            List.of(
                scale("10 RS/1 CS", 10, 1, Who.OURS),
                scale("10 RS/2 CS", 10, 2, Who.OURS),
                scale("40 RS/1 CS", 40, 1, Who.OURS))),
        new Budget("budget", "time of a compaction at a storage node whose processors read too"));
  }

  /** The load of a region server there: two clients of 40 threads for five of them. */
  static Parameters ofFigure9(Parameters parameters) {
    return parameters.with("read.threads", 16);
  }

  private static Recipe overMajor(String name, String seed, ReadTimes.Curve... curves) {
    return new ReadTimes(
        name,
        "a read while a major compaction comes and goes, from minute 5 on",
        seed,
        60,
        List.of(curves),
        UnaryOperator.identity());
  }

  /** One region server, with a compaction server if the curve needs one. */
  private static ReadTimes.Curve alone(
      String label, Who who, WarmUpMode warmUp, int seconds, int majorAt) {
    int servers = who == Who.SERVERS || who == Who.OURS ? 1 : 0;
    return new ReadTimes.Curve(label, new Setup(1, servers, who, warmUp, seconds, majorAt));
  }

  private static ReadTimes.Curve major(String label, Who who, WarmUpMode warmUp) {
    return alone(label, who, warmUp, 1800, 300);
  }

  private static List<ReadTimes.Curve> scales() {
    return List.of(
        scale("5 RS", 5, 0, Who.HOME),
        scale("5 RS/1 CS", 5, 1, Who.SERVERS),
        scale("10 RS/1 CS", 10, 1, Who.SERVERS),
        scale("10 RS/2 CS", 10, 2, Who.SERVERS),
        scale("ours, 5 RS/1 CS", 5, 1, Who.OURS),
        scale("ours, 10 RS/1 CS", 10, 1, Who.OURS),
        scale("ours, 10 RS/2 CS", 10, 2, Who.OURS));
  }

  private static ReadTimes.Curve scale(
      String label, int regionServers, int compactionServers, Who who) {
    return new ReadTimes.Curve(
        label,
        new Setup(regionServers, compactionServers, who, WarmUpMode.THROTTLED, FOUR_HOURS, 0));
  }

  private static Recipe overNodes() {
    List<Curve> curves = new ArrayList<>();
    for (int files : new int[] {1, 2, 4}) {
      curves.add(new Curve("IS-" + files, Way.IN_STORAGE, files, files == 4));
      curves.add(new Curve("Legacy-" + files, Way.LEGACY, files, false));
    }
    curves.add(new Curve("ours-4", Way.OURS, 4, true));
    curves.add(new Curve("ours-4, home", Way.OURS_AT_HOME, 4, true));
    return new CompactionTimes(
        "fig31",
        "time of a compaction over the storage nodes, of 1, 2 and 4 files each",
        "IS-4 is 44.63 % of Legacy-4 at 4 nodes, and below Legacy-2",
        "storage nodes",
        List.of("1", "2", "3", "4"),
        curves,
        (parameters, curve, nodes) ->
            OneCompaction.nanos(parameters, curve.way(), (int) nodes, curve.files(), 1, 1),
        "Legacy-4",
        Map.of("4", 44.63));
  }

  private static Recipe overLine() {
    return new CompactionTimes(
        "fig32",
        "time of a compaction over the region server's bandwidth, of 3 x 3 files",
        "IS is 41.84 to 6.31 % of legacy, and flat",
        "% of the bandwidth",
        SHARES,
        each(),
        (parameters, curve, share) ->
            OneCompaction.nanos(parameters, curve.way(), THREE, curve.files(), share / 100, 1),
        Way.LEGACY.label(),
        Map.of("100", 41.84, "10", 6.31));
  }

  private static Recipe overFabric() {
    return new CompactionTimes(
        "fig33",
        "time of a compaction over the bandwidth among storage nodes, of 3 x 3 files",
        "legacy is flat, and better only where the bandwidth is extremely small (10 %)",
        "% of the bandwidth",
        SHARES,
        each(),
        (parameters, curve, share) ->
            OneCompaction.nanos(parameters, curve.way(), THREE, curve.files(), 1, share / 100),
        Way.LEGACY.label(),
        Map.of());
  }

  private static List<Curve> each() {
    List<Curve> curves = new ArrayList<>();
    for (Way way : Way.values()) {
      curves.add(new Curve(way.label(), way, THREE, way != Way.LEGACY));
    }
    return curves;
  }
}
