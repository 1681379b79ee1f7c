package io.ishbase.plugin.page;

import io.ishbase.core.Distance;
import io.ishbase.core.Reason;
import io.ishbase.core.metric.Exposition;
import io.ishbase.core.metric.History;
import io.ishbase.core.metric.Metric;
import io.ishbase.plugin.compaction.RecentCompactions;
import io.ishbase.plugin.metrics.InStorageMetrics;
import io.ishbase.protocol.metrics.StatusPage;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * {@code /ishbase-status}: how the reads and compactions of a region server went, what fell back
 * and why, and what it knows of storage nodes and memory. It remembers the last ten minutes.
 */
final class RegionServerPage {
  private static final int SHOWN = 200;
  private static final double MEGABYTE = 1 << 20;

  private final String title;
  private final Exposition exposition;
  private final ServerState state;
  private final History history;

  RegionServerPage(String title, Exposition exposition, ServerState state) {
    this.title = title;
    this.exposition = exposition;
    this.state = state;
    this.history = StatusPage.history(plots());
  }

  private List<History.Plot> plots() {
    return List.of(
        new History.Plot(
            "Reads",
            "a second",
            List.of(
                grows("storage nodes", Metric.READS, 1),
                grows("segment cache", Metric.CACHE_HITS, 1),
                grows("fallen back", Metric.FALLBACKS, 1))),
        new History.Plot(
            "Bytes",
            "MB/s",
            List.of(
                grows("answers", Metric.RESPONSE_BYTES, MEGABYTE),
                grows("HDFS", Metric.HDFS_BYTES, MEGABYTE))),
        new History.Plot(
            "Answers by distance",
            "MB/s",
            Arrays.stream(Distance.values()).map(this::from).toList()),
        new History.Plot(
            "Late",
            "a second",
            List.of(
                grows("late", Metric.LATE, 1),
                grows("hedged", Metric.HEDGES, 1),
                grows("silent", Metric.SILENCES, 1))),
        new History.Plot(
            "Compactions at workers",
            "",
            List.of(
                new History.Curve(
                    "under way", () -> exposition.sum(Metric.COMPACTIONS_UNDER_WAY), false))),
        new History.Plot(
            "Memory",
            "MB",
            List.of(
                memory("heap"), memory("direct"), memory("segment cache"), memory("block cache"))));
  }

  private History.Curve grows(String name, Metric metric, double unit) {
    return new History.Curve(name, () -> exposition.sum(metric) / unit, true);
  }

  private History.Curve from(Distance distance) {
    String word = Metric.word(distance);
    return new History.Curve(
        word.replace('_', ' '),
        () -> exposition.now(Metric.DISTANCE_BYTES).getOrDefault(word, 0.0) / MEGABYTE,
        true);
  }

  private History.Curve memory(String place) {
    return new History.Curve(
        place, () -> exposition.now(Metric.MEMORY_USED).getOrDefault(place, 0.0) / MEGABYTE, false);
  }

  /** Looks at what is shown; to be called every {@link StatusPage#LOOK_SECONDS} seconds. */
  void look() {
    history.look(System.nanoTime());
  }

  StatusPage page() {
    StatusPage page = new StatusPage(title);
    page.links("/");
    if (InStorageMetrics.get().differences() > 0) {
      page.warning(
          "Reads had other cells than HBase reads: "
              + InStorageMetrics.get().differences()
              + ". Their clients got HBase's; the log has the cells.");
    }
    if (state.getDaemons().stream().allMatch(line -> line.endsWith(ServerState.COMPACTS_ONLY))) {
      page.warning("No storage daemon answers: reads go over HBase's own path.");
    }
    page.lastMinutes(history);
    page.heading("Storage daemons").lines(state.getDaemons(), "None.");
    page.heading("Left alone for a while").lines(bounded(state.getQuarantined()), "Nothing.");
    fallbacks(page);
    routes(page);
    page.heading("Compactions at workers")
        .lines(bounded(RecentCompactions.get().getRunning()), "None is under way.");
    page.heading("Compactions lately")
        .lines(bounded(RecentCompactions.get().getRecent()), "There were none.");
    page.heading("Memory").lines(state.getMemory(), "Nothing is known.");
    page.heading("Segment cache, by store").lines(bounded(state.getCachedStores()), "Nothing.");
    return page;
  }

  private static List<String> bounded(Iterable<String> lines) {
    List<String> some = new ArrayList<>();
    for (String line : lines) {
      if (some.size() == SHOWN) {
        some.add("and more, see /jmx");
        break;
      }
      some.add(line);
    }
    return some;
  }

  private static void fallbacks(StatusPage page) {
    List<List<?>> rows = new ArrayList<>();
    for (Reason reason : Reason.values()) {
      long count = InStorageMetrics.get().fallbacks(reason);
      if (count > 0) {
        rows.add(List.of(reason, count, reason.description()));
      }
    }
    page.heading("Fallen back since the start")
        .table(List.of("reason", "reads", "meaning"), rows, "Nothing.");
  }

  private void routes(StatusPage page) {
    List<List<?>> rows = new ArrayList<>();
    state
        .getRoutes()
        .forEach((family, lines) -> lines.forEach(line -> rows.add(List.of(family, line))));
    if (rows.size() > SHOWN) {
      int more = rows.size() - SHOWN;
      rows.subList(SHOWN, rows.size()).clear();
      rows.add(List.of("and " + more + " more", ""));
    }
    page.heading("Routes that the gate chose")
        .table(List.of("table and family", "kind of read"), rows, "No table is read on auto.");
  }
}
