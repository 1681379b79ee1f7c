package io.ishbase.sim.plan;

import io.ishbase.sim.figure.Figure;
import io.ishbase.sim.miniature.Reads;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleFunction;

/** A plan on one page of text. */
public final class PlanPage {
  private static final double HARDLY = 1.1;
  private static final int MOST_REPLICAS = 3;
  private static final double MONTH_SECONDS = 30 * 86_400.0;

  /** An axis of logarithms has no 0. */
  private static final double LEAST_PLOTTED = 0.01;

  private final Plan plan;
  private final StringBuilder page = new StringBuilder();

  private PlanPage(Plan plan) {
    this.plan = plan;
  }

  /** The page. */
  public static String of(Plan plan) {
    return new PlanPage(plan).write();
  }

  /** What sizes of the segment cache give, as a figure. */
  public static Figure curve(Plan plan) {
    List<String> sizes = new ArrayList<>();
    List<Double> hits = new ArrayList<>();
    List<Double> bytes = new ArrayList<>();
    for (Knee.Point point : plan.knee().points()) {
      if (point.cacheBytes() > 0) {
        sizes.add(Double.toString(point.cacheBytes() / (1L << 30)));
        hits.add(Math.max(LEAST_PLOTTED, 100 * point.hits()));
        bytes.add(Math.max(LEAST_PLOTTED, point.inBytes() / (1L << 20)));
      }
    }
    return new Figure(
        "plan",
        "Sizes of the segment cache",
        "",
        "GB of a region server",
        "% of Gets; MB/s",
        Figure.Shape.LOG_LINES,
        sizes,
        List.of(
            new Figure.Column("Gets that hit, %", hits, true),
            new Figure.Column("bytes for reads, MB/s", bytes, true)));
  }

  private String write() {
    line("What IS-HBase would do here. In brackets: nine of ten draws of the uncertain inputs.");
    line("");
    verdict();
    line("");
    both();
    line("");
    curve();
    line("");
    needs();
    line("");
    measureNext();
    return page.toString();
  }

  private void line(String words) {
    page.append(words.stripTrailing()).append('\n');
  }

  private Range of(Answer answer) {
    return plan.answer(answer);
  }

  private void verdict() {
    double carriedToday = of(Answer.CARRIED_TODAY).value();
    if (carriedToday <= 0) {
      line(
          "Nothing to compare with: what these machines do besides, compactions say, is more than"
              + " they can today, without one operation. Check the inputs.");
      return;
    }
    double carries = of(Answer.CARRIED_WITH).value() / carriedToday;
    Load today = plan.load(Side.TODAY);
    Load with = plan.load(Side.WITH);
    double bytes = today.lineBytes() / Math.max(1, with.lineBytes());
    String saves = Numbers.plain(carries) + " times as many operations";
    String why =
        "today the busiest are the "
            + named(today.bottleneck())
            + ", with IS-HBase the "
            + named(with.bottleneck());
    if (carries >= HARDLY) {
      line("It pays: the same machines carry " + saves + "; " + why + '.');
    } else if (today.bottleneck().part() < plan.middle().of("load.limit") / 2) {
      line("It does not pay at this load: nothing is short today. " + capital(why) + '.');
    } else {
      line("It does not pay: the same machines carry " + saves + "; " + why + '.');
    }
    if (bytes < HARDLY) {
      line("It saves hardly any bytes over the line: " + whyNoBytes(today) + '.');
    }
    Range crossing = of(Answer.CROSSING_MBPS);
    if (carries >= HARDLY && of(Answer.CARRIED_WITH).least() < of(Answer.CARRIED_TODAY).value()) {
      line("That is not certain: see what to measure below.");
    }
    if (!Double.isInfinite(crossing.value())) {
      line(
          "Blocks are better where each region server gets more than "
              + Numbers.mbps(crossing.value())
              + "; ishbase.read = auto finds out by itself.");
    }
  }

  private static String whyNoBytes(Load today) {
    double reads =
        today.reads().stream()
            .mapToDouble(read -> read.aSecond() * read.fetches() * read.inBytes())
            .sum();
    return reads < 0.2 * today.lineBytes()
        ? "most of them are the log, flushes and compactions, or the block cache has what is read"
        : "reads want nearly all that a block has";
  }

  private static String named(Load.Resource resource) {
    return resource.name() + " (" + Numbers.percent(resource.part()) + ')';
  }

  private static String capital(String words) {
    return Character.toUpperCase(words.charAt(0)) + words.substring(1);
  }

  private void both() {
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("", "today", "with IS-HBase"));
    row(rows, "line, to region servers", Answer.LINE_IN_TODAY, Numbers::bytesPerSecond);
    row(rows, "line, to storage", Answer.LINE_OUT_TODAY, Numbers::bytesPerSecond);
    row(rows, "a month, within racks", Answer.NEAR_TODAY, PlanPage::aMonth);
    row(rows, "a month, between racks", Answer.FAR_TODAY, PlanPage::aMonth);
    if (cost(1, 1) > 0) {
      rows.add(
          List.of(
              "  at the prices given",
              Numbers.plain(cost(of(Answer.NEAR_TODAY).value(), of(Answer.FAR_TODAY).value())),
              Numbers.plain(cost(of(Answer.NEAR_WITH).value(), of(Answer.FAR_WITH).value()))));
    }
    row(rows, "operations/s carried", Answer.CARRIED_TODAY, Numbers::plain);
    row(rows, "  p99 of a read then", Answer.P99_FULL_TODAY, Numbers::latency);
    row(rows, "this load: busiest", Answer.BUSY_TODAY, Numbers::percent);
    row(rows, "  p99 of a read", Answer.P99_TODAY, Numbers::latency);
    row(rows, "twice the load: busiest", Answer.TWICE_BUSY_TODAY, Numbers::percent);
    row(rows, "  p99 of a read", Answer.TWICE_P99_TODAY, Numbers::latency);
    row(rows, "a storage node less: busiest", Answer.NODE_LESS_BUSY_TODAY, Numbers::percent);
    row(rows, "  p99 of a read", Answer.NODE_LESS_P99_TODAY, Numbers::latency);
    row(rows, "a region server less: busiest", Answer.SERVER_LESS_BUSY_TODAY, Numbers::percent);
    table(rows);
  }

  private static String aMonth(double bytesPerSecond) {
    return Numbers.bytes(MONTH_SECONDS * bytesPerSecond);
  }

  /** Of a month with so many bytes a second. */
  private double cost(double nearBytes, double farBytes) {
    return MONTH_SECONDS
        * (nearBytes * plan.middle().of("price.near.gb")
            + farBytes * plan.middle().of("price.far.gb"))
        / (1L << 30);
  }

  /** {@code today}: the one for IS-HBase comes behind it. */
  private void row(
      List<List<String>> rows, String name, Answer today, DoubleFunction<String> unit) {
    Answer with = Answer.valueOf(today.name().replace("TODAY", "WITH"));
    rows.add(List.of(name, Numbers.range(of(today), unit), Numbers.range(of(with), unit)));
  }

  private void curve() {
    Knee knee = plan.knee();
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("segment cache of a region server", "Gets that hit", "reads, bytes/s", ""));
    double now = plan.middle().segmentCache();
    for (int i = 0; i < knee.points().size(); i++) {
      Knee.Point point = knee.points().get(i);
      rows.add(
          List.of(
              Numbers.bytes(point.cacheBytes()),
              Double.isNaN(point.hits()) ? "-" : Numbers.percent(point.hits()),
              Numbers.bytesPerSecond(point.inBytes()),
              i == knee.knee() ? "knee" : ""));
    }
    table(rows);
    line("Planned: " + Numbers.bytes(now) + " each.");
    plan.inputs().tables().forEach(this::traced);
  }

  private void traced(Inputs.Table table) {
    Reads traced = table.traced();
    if (traced != null) {
      Values values = plan.middle();
      double all = traced.rows() / traced.part() * values.openRow(table);
      line(
          table.name()
              + ": hits by its trace, "
              + Numbers.whole(traced.count())
              + " reads of "
              + Numbers.whole(traced.rows())
              + " rows; "
              + Numbers.bytes(all / values.of("region.servers"))
              + " each hold all that it asks for.");
    }
  }

  private void needs() {
    line(
        "Each daemon takes "
            + Numbers.range(of(Answer.DAEMON_CORES), Numbers::plain)
            + " processors on average, compactions included; the DataNode spends "
            + Numbers.range(of(Answer.DATANODE_CORES), Numbers::plain)
            + " on blocks today.");
    line(
        "The busiest storage node has "
            + Numbers.plain(plan.spread())
            + " times the mean of the reads.");
    line(
        "Bandwidth of each region server from which blocks are better: "
            + Numbers.range(of(Answer.CROSSING_MBPS), Numbers::mbps)
            + '.');
    compactions(plan.compactionServers(), plan.simulatedServers());
  }

  private void compactions(CompactionServers servers, Range simulated) {
    CompactionWait.Outcome daemons = servers.atDaemons();
    line(
        "Compactions by the daemons (the default): 99 of 100 begin within "
            + Numbers.plain(daemons.p99Seconds())
            + " s, "
            + Numbers.percent(daemons.homePart())
            + " go home; a store gets "
            + Numbers.plain(servers.files())
            + " files meanwhile, and "
            + Numbers.plain(plan.middle().of("blocking.files"))
            + " block writes.");
    line(
        "Compaction servers instead: by the formula "
            + Numbers.range(plan.formulaServers(), PlanPage::count)
            + ", of whose compactions "
            + Numbers.percent(servers.atFormula().homePart())
            + " find no worker in time;");
    line(
        "by simulated waiting "
            + Numbers.range(simulated, PlanPage::count)
            + ", so that 99 of 100 find one and no write is blocked.");
    line("");
    slowStorageLinks();
  }

  private static String count(double servers) {
    return Double.isInfinite(servers)
        ? "no number"
        : servers > CompactionWait.MOST_SERVERS
            ? "more than " + CompactionWait.MOST_SERVERS
            : Long.toString(Math.round(servers));
  }

  /** What is left of the gain where further replicas are as far away as region servers. */
  private void slowStorageLinks() {
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("compactions, if links between storage", "one alone", "", "all together", ""));
    rows.add(
        List.of(
            "nodes were as slow as region servers'", "today", "offloaded", "today", "offloaded"));
    for (int replicas = 1; replicas <= MOST_REPLICAS; replicas++) {
      CappedCompactions capped = plan.cappedCompactions(replicas);
      rows.add(
          List.of(
              "  " + replicas + (replicas == 1 ? " replica" : " replicas"),
              Numbers.bytesPerSecond(capped.aloneToday()),
              Numbers.bytesPerSecond(capped.aloneWith()),
              Numbers.bytesPerSecond(capped.allToday()),
              Numbers.bytesPerSecond(capped.allWith())));
    }
    table(rows);
    int replicas = (int) plan.middle().of("replication");
    CappedCompactions here = plan.cappedCompactions(replicas);
    line(
        "With "
            + replicas
            + (replicas == 1 ? " replica" : " replicas")
            + (here.aloneWith() < HARDLY * here.aloneToday()
                ? " one alone would be hardly any faster"
                : " one alone would be "
                    + Numbers.plain(here.aloneWith() / here.aloneToday())
                    + " times as fast")
            + "; offloaded, "
            + Numbers.bytesPerSecond(plan.compactedBytes())
            + " leave the line in each direction.");
  }

  private void measureNext() {
    Map<String, Double> next = plan.toMeasure();
    if (next.isEmpty()) {
      line("All inputs were given without a range, so nothing is uncertain.");
      return;
    }
    line("To measure next, for it moves the figures most:");
    next.forEach(
        (name, move) -> {
          Range range = plan.inputs().range(name);
          line(
              "  "
                  + name
                  + ", now "
                  + Numbers.range(range, isBytes(name) ? Numbers::bytes : PlanPage::input));
        });
  }

  private static boolean isBytes(String name) {
    return name.endsWith("bytes") || name.endsWith(".cache") && !name.equals("page.cache");
  }

  private static String input(double number) {
    return number < 0.1 && number > 0 ? Double.toString(number) : Numbers.plain(number);
  }

  private void table(List<List<String>> rows) {
    for (List<String> row : rows) {
      StringBuilder text = new StringBuilder();
      for (int column = 0; column < row.size(); column++) {
        int each = column;
        int width = rows.stream().mapToInt(other -> other.get(each).length()).max().orElse(1);
        text.append(row.get(column)).append(" ".repeat(width - row.get(column).length() + 2));
      }
      line(text.toString());
    }
  }
}
