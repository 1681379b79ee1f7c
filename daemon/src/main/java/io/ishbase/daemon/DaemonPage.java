package io.ishbase.daemon;

import io.ishbase.core.metric.Exposition;
import io.ishbase.core.metric.History;
import io.ishbase.core.metric.Metric;
import io.ishbase.protocol.generated.CompactionProtos.Attempt;
import io.ishbase.protocol.metrics.StatusPage;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * {@code /issn-status}: what is asked of the daemon, by whom and how fast, and how it fares. It
 * remembers the last ten minutes.
 */
final class DaemonPage {
  private static final int LOOKS_A_MINUTE = 60 / StatusPage.LOOK_SECONDS;
  private static final int SHOWN = 50;
  private static final double MEGABYTE = 1 << 20;

  private final String title;
  private final Map<String, String> facts;
  private final Exposition exposition;
  private final Demand demand;
  private final Supplier<List<Attempt>> attempts;
  private final History history;
  private int looks;

  /**
   * @param facts that do not change, by their names
   * @param attempts the compactions that are known
   */
  DaemonPage(
      String title,
      Map<String, String> facts,
      Exposition exposition,
      Demand demand,
      Supplier<List<Attempt>> attempts) {
    this.title = title;
    this.facts = facts;
    this.exposition = exposition;
    this.demand = demand;
    this.attempts = attempts;
    this.history = StatusPage.history(plots());
  }

  private List<History.Plot> plots() {
    return List.of(
        new History.Plot(
            "Answers",
            "a second",
            List.of(
                new History.Curve("ok", () -> answers("ok"), true),
                new History.Curve("else", this::otherAnswers, true))),
        new History.Plot(
            "Cells sent",
            "MB/s",
            List.of(
                new History.Curve(
                    "MB/s", () -> exposition.sum(Metric.DAEMON_BYTES) / MEGABYTE, true))),
        new History.Plot(
            "Handlers and queue",
            "calls",
            List.of(
                new History.Curve("at work", this::handlersAtWork, false),
                new History.Curve("queued", () -> exposition.sum(Metric.DAEMON_QUEUED), false))),
        new History.Plot(
            "Compactions",
            "MB left to read",
            List.of(
                new History.Curve(
                    "MB", () -> exposition.sum(Metric.WORKER_BACKLOG) / MEGABYTE, false))),
        new History.Plot(
            "Memory",
            "MB",
            List.of(
                new History.Curve("heap", () -> memory("heap"), false),
                new History.Curve("direct", () -> memory("direct"), false))));
  }

  private double answers(String code) {
    return exposition.now(Metric.DAEMON_ANSWERS).getOrDefault(code, 0.0);
  }

  // Of one look: a total that is older than what is taken from it could go back.
  private double otherAnswers() {
    return exposition.now(Metric.DAEMON_ANSWERS).entrySet().stream()
        .filter(code -> !code.getKey().equals("ok"))
        .mapToDouble(Map.Entry::getValue)
        .sum();
  }

  private double handlersAtWork() {
    return exposition.sum(Metric.DAEMON_LOAD) * exposition.sum(Metric.DAEMON_HANDLERS);
  }

  private double memory(String place) {
    return exposition.now(Metric.DAEMON_MEMORY_USED).getOrDefault(place, 0.0) / MEGABYTE;
  }

  /** Looks at what is shown; to be called every {@link StatusPage#LOOK_SECONDS} by one thread. */
  void look() {
    history.look(System.nanoTime());
    if (++looks % LOOKS_A_MINUTE == 0) {
      demand.turn();
    }
  }

  StatusPage page() {
    StatusPage page = new StatusPage(title);
    page.links("/stacks");
    if (exposition.sum(Metric.WORKER_DRAINING) > 0) {
      page.warning("It takes no new compactions: it is being drained.");
    }
    page.table(
        List.of(),
        facts.entrySet().stream().map(fact -> List.of(fact.getKey(), fact.getValue())).toList(),
        "");
    page.lastMinutes(history);
    asked(page);
    answers(page);
    compactions(page);
    now(page);
    return page;
  }

  private void asked(StatusPage page) {
    List<Demand.Got> all = demand.all();
    page.heading("Asked in the last two minutes")
        .table(
            List.of("table", "for", "by", "from", "answers", "cells", "MB", "ms each"),
            all.stream()
                .limit(SHOWN)
                .map(
                    got ->
                        List.of(
                            got.asker().table(),
                            got.asker().operation(),
                            got.asker().user(),
                            got.asker().address().map(InetAddress::getHostAddress).orElse("-"),
                            got.answers(),
                            got.cells(),
                            got.bytes() / MEGABYTE,
                            got.meanMillis()))
                .toList(),
            "Nothing.");
    more(page, all.size());
  }

  private void answers(StatusPage page) {
    List<List<?>> rows = new ArrayList<>();
    exposition
        .now(Metric.DAEMON_ANSWERS)
        .forEach(
            (code, count) -> {
              if (count > 0) {
                rows.add(List.of(code, count));
              }
            });
    page.heading("Answers since the start").table(List.of("code", "answers"), rows, "None.");
  }

  private void compactions(StatusPage page) {
    List<Attempt> all = attempts.get();
    page.heading("Compactions")
        .table(
            List.of(
                "store", "for", "files", "MB", "seconds", "cells", "of", "held back, s", "state"),
            all.stream()
                // Those at work first.
                .sorted(Comparator.comparing(attempt -> attempt.getProgress().getState()))
                .limit(SHOWN)
                .map(
                    attempt ->
                        List.of(
                            attempt.getStore(),
                            attempt.getRegionServer(),
                            attempt.getFiles(),
                            attempt.getBytes() / MEGABYTE,
                            attempt.getAgeMillis() / 1000.0,
                            attempt.getProgress().getCells(),
                            attempt.getProgress().getTotalCells(),
                            attempt.getProgress().getHeldBackMillis() / 1000.0,
                            attempt.getProgress().getState()))
                .toList(),
            "None is at work.");
    more(page, all.size());
  }

  private static void more(StatusPage page, int all) {
    if (all > SHOWN) {
      page.lines(List.of("and " + (all - SHOWN) + " more"), "");
    }
  }

  private void now(StatusPage page) {
    List<List<?>> rows = new ArrayList<>();
    for (Metric metric : Metric.values()) {
      if (metric == Metric.DAEMON_ANSWERS) {
        continue;
      }
      exposition
          .now(metric)
          .forEach(
              (label, value) ->
                  rows.add(List.of(metric.prometheusName(), label, value, metric.help())));
    }
    page.heading("All figures").table(List.of("metric", "", "now", "meaning"), rows, "");
  }
}
