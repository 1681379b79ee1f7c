package io.ishbase.sim.figure;

import io.ishbase.sim.design.Designs;
import io.ishbase.sim.figure.Figure.Shape;
import io.ishbase.sim.model.Outcome;
import io.ishbase.sim.workload.Parameters;
import java.util.List;
import java.util.function.BiFunction;
import java.util.stream.Stream;

/** All figures and studies, in the order in which they are shown. */
public final class Catalogue {
  private static final List<Designs> B_SA_AND_OURS =
      List.of(Designs.B, Designs.SA, Designs.IN_STORAGE, Designs.AUTO);
  private static final List<Designs> EVERY = List.of(Designs.values());
  private static final List<Designs> SEEDS_AND_IN_STORAGE =
      Stream.concat(Designs.OF_SEED.stream(), Stream.of(Designs.IN_STORAGE)).toList();
  private static final List<String> PERCENTS =
      List.of("10", "20", "30", "40", "50", "60", "70", "80", "90");
  private static final List<String> FOUR_LINES = List.of("64", "128", "256", "512");
  private static final List<String> THREE_SHARES = List.of("50", "80", "95");

  /** A sixteenth of the data, of the requests and of a flush. */
  private static final int QUICK = 16;

  private Catalogue() {}

  /** All recipes. */
  public static List<Recipe> all() {
    return Stream.concat(reads().stream(), Compactions.all().stream()).toList();
  }

  private static List<Recipe> reads() {
    return List.of(
        new DesignBars("fig20"),
        new Sweep(
            "fig21",
            "QPS over the speed of the storage node's processors",
            "barely affects the QPS; 5.64 % of the time is processors' (SA)",
            "% of the region server's",
            Shape.LINES,
            List.of("25", "50", "75", "100"),
            B_SA_AND_OURS,
            percent("storage.speed")),
        new Sweep(
            "fig22",
            "QPS over the bandwidth",
            "B about linear; SA above B below about 256 Mbps",
            "Mbps",
            Shape.LOG_LINES,
            List.of("1", "2", "4", "8", "16", "32", "64", "128", "256", "512"),
            EVERY,
            Catalogue::constantLine),
        new Changes(
            "fig23",
            "upgrades of SA over the bandwidth",
            "more with more bandwidth",
            "Mbps",
            FOUR_LINES,
            Catalogue::constantLine,
            Outcome.Window::upgrades),
        new Changes(
            "fig24",
            "downgrades of SA over the bandwidth",
            "more with more bandwidth",
            "Mbps",
            FOUR_LINES,
            Catalogue::constantLine,
            Outcome.Window::downgrades),
        new Sweep(
            "fig25",
            "QPS over the share of Gets",
            "both higher with more Scans; SA much above B; B not stable",
            "% Gets",
            Shape.LINES,
            List.of("0", "20", "40", "60", "80", "92", "95"),
            B_SA_AND_OURS,
            percent("get.share")),
        new Changes(
            "fig26",
            "upgrades of SA over the share of Gets",
            "more with more Scans; hardly any at 95 % Gets",
            "% Gets",
            THREE_SHARES,
            percent("get.share"),
            Outcome.Window::upgrades),
        new Changes(
            "fig27",
            "downgrades of SA over the share of Gets",
            "more with more Scans; hardly any at 95 % Gets",
            "% Gets",
            THREE_SHARES,
            percent("get.share"),
            Outcome.Window::downgrades),
        new Sweep(
            "fig28",
            "QPS over the distribution of keys",
            "both higher with Zipf",
            "keys",
            Shape.BARS,
            List.of("uniform", "zipf", "zipf 0.99 scattered"),
            B_SA_AND_OURS,
            Catalogue::keys),
        new Sweep(
            "fig29",
            "QPS over the filter ratio of Scans",
            "B constant; SA slightly down, much above B",
            "% filtered out",
            Shape.LINES,
            List.of("0", "10", "20", "30", "40", "50", "60", "70", "80", "90"),
            B_SA_AND_OURS,
            percent("filter.share")),
        new Sweep(
            "fig30",
            "QPS over the share of reads, the rest Puts",
            "SA above B everywhere; with more reads SA rises and B falls",
            "% reads",
            Shape.LINES,
            PERCENTS,
            B_SA_AND_OURS,
            percent("read.share")),
        new Sweep(
            "kv-size",
            "QPS over the size of a KV-pair (a factor of 7.2.3 without a figure)",
            "",
            "bytes",
            Shape.BARS,
            List.of("64", "1024"),
            EVERY,
            (parameters, bytes) -> parameters.with("cell.bytes", bytes)),
        new Sweep(
            "chosen",
            "how far figure 20 moves with each chosen value",
            "the first row is the preset",
            "changed",
            Shape.BARS,
            List.of(
                "nothing",
                "cache=0.005",
                "cache=0.02",
                "cache=0.05",
                "cache=0.2",
                "zipf.exponent=0.8",
                "zipf.exponent=0.99",
                "zipf.place=scattered",
                "round.trip.ms=2",
                "round.trip.ms=5",
                "line.least.mbps=1",
                "line.least.mbps=10",
                "line=sine",
                "scan.rpc.cells=1",
                "scan.rpc.cells=59",
                "theta.mbps=64",
                "theta.mbps=256",
                "alpha=0.1",
                "alpha=0.9",
                "block.regions=4",
                "period.requests=10000",
                "period.requests=1000",
                "upgrade.misses=2",
                "upgrade.misses=16",
                "scan.misses=rpc",
                "hot.share=0.7",
                "scan.limit=unknown"),
            SEEDS_AND_IN_STORAGE,
            Catalogue::changed));
  }

  /** The parameters of a sixteenth of the size: what is quick. */
  public static Parameters quick(Parameters parameters) {
    Parameters quick = parameters;
    for (String name : List.of("blocks", "requests", "flush.bytes")) {
      quick = quick.with(name, Math.floor(parameters.number(name) / QUICK));
    }
    return quick;
  }

  private static BiFunction<Parameters, String, Parameters> percent(String name) {
    return (parameters, percent) -> parameters.with(name, Double.parseDouble(percent) / 100);
  }

  private static Parameters constantLine(Parameters parameters, String mbps) {
    return parameters.with("line", "constant").with("line.mbps", mbps);
  }

  private static Parameters keys(Parameters parameters, String distribution) {
    return switch (distribution) {
      case "uniform" -> parameters.with("keys", "uniform");
      case "zipf" -> parameters.with("keys", "zipf");
      default -> parameters.with("zipf.place", "scattered").with("zipf.exponent", 0.99);
    };
  }

  private static Parameters changed(Parameters parameters, String change) {
    String[] parts = change.split("=", 2);
    return parts.length == 1 ? parameters : parameters.with(parts[0], parts[1]);
  }
}
