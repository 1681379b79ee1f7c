package io.ishbase.dist.top;

import io.ishbase.cluster.Printable;
import io.ishbase.core.metric.Metric;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** What happened between two looks, as text of fixed columns. The busiest servers stand first. */
public final class Screen {
  private static final double MEGABYTE = 1 << 20;
  private static final String REGION_SERVER =
      "%-34s%8s%8s%8s%8s%6s%9s%9s%9s%8s%8s%6s%6s%6s%6s%6s%n";
  private static final String DAEMON = "%-34s%8s%9s%8s%8s%6s%7s%7s%9s%6s%6s%n";

  private final int most;

  /**
   * @param most servers of each kind that are shown
   */
  public Screen(int most) {
    this.most = most;
  }

  /** One server, what it did, and how busy it was. */
  private record Line(String text, double busy) {}

  /** The text of what happened from one look to a later one. */
  public String text(Look before, Look after) {
    double seconds = (after.nanos() - before.nanos()) / 1e9;
    StringBuilder text = new StringBuilder();
    text.append(
        String.format(
            Locale.ROOT,
            "%d region servers, %d storage daemons; a second, over the last %.1f s%n%n",
            after.regionServers().size(),
            after.daemons().size(),
            seconds));
    regionServers(text, before, after, seconds);
    text.append('\n');
    daemons(text, before, after, seconds);
    manager(text, before, after, seconds);
    return text.toString();
  }

  private void regionServers(StringBuilder text, Look before, Look after, double seconds) {
    text.append(
        String.format(
            REGION_SERVER,
            "region server",
            "requests",
            "nodes",
            "cache",
            "fallen",
            "hit %",
            "MB line",
            "MB cells",
            "MB HDFS",
            "p50 ms",
            "p99 ms",
            "late",
            "quar",
            "comp",
            "heap%",
            "dir%"));
    Map<String, Look.Server> known = byName(before.regionServers());
    Map<String, Double> fallbacks = new TreeMap<>();
    Map<String, Double> routes = new TreeMap<>();
    double differences = 0;
    List<Line> lines = new ArrayList<>();
    for (Look.Server server : after.regionServers()) {
      if (isSilent(known, server)) {
        lines.add(new Line(silent(server), server.requests()));
        continue;
      }
      Between between = between(known, server, seconds);
      lines.add(new Line(regionServer(server, between), server.requests()));
      between
          .rates(Metric.FALLBACKS)
          .forEach((why, rate) -> fallbacks.merge(why, rate, Double::sum));
      between.rates(Metric.ROUTES).forEach((route, rate) -> routes.merge(route, rate, Double::sum));
      differences += between.now(Metric.DIFFERENCES);
    }
    add(text, lines);
    if (!routes.isEmpty()) {
      text.append("gate: ").append(listed(routes)).append('\n');
    }
    if (!fallbacks.isEmpty()) {
      text.append("fallen back: ").append(listed(fallbacks)).append('\n');
    }
    if (differences > 0) {
      text.append(
          String.format(
              Locale.ROOT, "READS DIFFERED FROM HBASE'S: %.0f, see the logs%n", differences));
    }
  }

  private static String regionServer(Look.Server server, Between between) {
    double hits = between.rate(Metric.CACHE_HITS);
    double line = between.rate(Metric.RESPONSE_BYTES);
    double cells = line - between.rate(Metric.PACKED_BYTES) + between.rate(Metric.UNPACKED_BYTES);
    return String.format(
        REGION_SERVER,
        shortened(server.name()),
        rate(server.requests()),
        rate(between.rate(Metric.READS)),
        rate(hits),
        rate(between.rate(Metric.FALLBACKS)),
        percent(hits / (hits + between.rate(Metric.CACHE_MISSES))),
        megabytes(line),
        megabytes(cells),
        megabytes(between.rate(Metric.HDFS_BYTES)),
        millis(between.quantile(Metric.REQUEST_SECONDS, 0.5)),
        millis(between.quantile(Metric.REQUEST_SECONDS, 0.99)),
        rate(between.rate(Metric.LATE)),
        whole(between.now(Metric.QUARANTINED)),
        whole(between.now(Metric.COMPACTIONS_UNDER_WAY)),
        percent(between.share(Metric.MEMORY_USED, Metric.MEMORY_LIMIT, "heap")),
        percent(between.share(Metric.MEMORY_USED, Metric.MEMORY_LIMIT, "direct")));
  }

  private void daemons(StringBuilder text, Look before, Look after, double seconds) {
    text.append(
        String.format(
            DAEMON,
            "storage daemon",
            "answers",
            "MB",
            "p50 ms",
            "p99 ms",
            "load",
            "queued",
            "comp",
            "MB left",
            "heap%",
            "dir%"));
    Map<String, Look.Server> known = byName(before.daemons());
    Map<String, Double> refusals = new TreeMap<>();
    List<Line> lines = new ArrayList<>();
    for (Look.Server server : after.daemons()) {
      if (isSilent(known, server)) {
        lines.add(new Line(silent(server), 0));
        continue;
      }
      Between between = between(known, server, seconds);
      double answers = between.rate(Metric.DAEMON_ANSWERS);
      lines.add(new Line(daemon(server, between, answers), answers));
      between
          .rates(Metric.DAEMON_ANSWERS)
          .forEach((code, rate) -> refusals.merge(code, rate, Double::sum));
    }
    add(text, lines);
    refusals.remove("ok");
    if (!refusals.isEmpty()) {
      text.append("not answered: ").append(listed(refusals)).append('\n');
    }
  }

  private static String daemon(Look.Server server, Between between, double answers) {
    return String.format(
        DAEMON,
        shortened(server.name()),
        rate(answers),
        megabytes(between.rate(Metric.DAEMON_BYTES)),
        millis(between.quantile(Metric.DAEMON_SECONDS, 0.5)),
        millis(between.quantile(Metric.DAEMON_SECONDS, 0.99)),
        percent(between.now(Metric.DAEMON_LOAD)),
        whole(between.now(Metric.DAEMON_QUEUED)),
        whole(between.now(Metric.WORKER_RUNNING)) + "/" + whole(between.now(Metric.WORKER_SLOTS)),
        megabytes(between.now(Metric.WORKER_BACKLOG)),
        percent(between.share(Metric.DAEMON_MEMORY_USED, Metric.DAEMON_MEMORY_LIMIT, "heap")),
        percent(between.share(Metric.DAEMON_MEMORY_USED, Metric.DAEMON_MEMORY_LIMIT, "direct")));
  }

  private static void manager(StringBuilder text, Look before, Look after, double seconds) {
    Map<String, Look.Server> known = byName(before.masters());
    for (Look.Server master : after.masters()) {
      if (!known.containsKey(master.name())) {
        continue;
      }
      Between between = between(known, master, seconds);
      text.append(
          String.format(
              Locale.ROOT,
              "%ncompaction manager: %.0f wait; %.1f placed a second; %.0f of %.0f slots of %.0f"
                  + " workers taken%n",
              between.now(Metric.MANAGER_WAITING),
              between.rate(Metric.MANAGER_PLACED),
              between.now(Metric.MANAGER_RUNNING),
              between.now(Metric.MANAGER_SLOTS),
              between.now(Metric.MANAGER_WORKERS)));
    }
  }

  private void add(StringBuilder text, List<Line> lines) {
    lines.stream()
        .sorted(Comparator.comparingDouble((Line line) -> -line.busy()))
        .limit(most)
        .forEach(line -> text.append(line.text()));
    if (lines.size() > most) {
      text.append("and ").append(lines.size() - most).append(" less busy (--most)\n");
    }
  }

  private static Between between(
      Map<String, Look.Server> known, Look.Server server, double seconds) {
    Look.Server old = known.get(server.name());
    return new Between(old == null ? null : old.page(), server.page(), seconds);
  }

  private static Map<String, Look.Server> byName(List<Look.Server> servers) {
    Map<String, Look.Server> byName = new HashMap<>();
    servers.forEach(server -> byName.put(server.name(), server));
    return byName;
  }

  /** What it has counted is not what it did since, if it did not answer the last time. */
  private static boolean isSilent(Map<String, Look.Server> known, Look.Server server) {
    Look.Server old = known.get(server.name());
    return server.page() == null || old != null && old.page() == null;
  }

  private static String silent(Look.Server server) {
    return String.format(
        "%-34s  %s%n",
        shortened(server.name()),
        server.page() == null ? Printable.line(server.failure()) : "it answers again");
  }

  /** {@code host,port,startcode} without the last. */
  private static String shortened(String name) {
    String text = Printable.line(name.replaceFirst(",\\d+$", "").replace(',', ':'));
    return text.length() > 33
        ? text.substring(0, 16) + "…" + text.substring(text.length() - 16)
        : text;
  }

  private static String listed(Map<String, Double> rates) {
    return rates.entrySet().stream()
        .sorted(Map.Entry.<String, Double>comparingByValue().reversed())
        .map(each -> Printable.line(each.getKey()).replace('_', ' ') + " " + rate(each.getValue()))
        .collect(Collectors.joining(", "));
  }

  private static String rate(double number) {
    return number < 0 || Double.isNaN(number)
        ? "-"
        : String.format(Locale.ROOT, number > 0 && number < 10 ? "%.1f" : "%.0f", number);
  }

  private static String whole(double number) {
    return String.format(Locale.ROOT, "%.0f", number);
  }

  private static String megabytes(double bytes) {
    return String.format(Locale.ROOT, "%.2f", bytes / MEGABYTE);
  }

  private static String millis(double seconds) {
    return Double.isNaN(seconds) ? "-" : String.format(Locale.ROOT, "%.1f", seconds * 1000);
  }

  private static String percent(double share) {
    return Double.isNaN(share) || Double.isInfinite(share)
        ? "-"
        : String.format(Locale.ROOT, "%.0f", 100 * share);
  }
}
