package io.ishbase.plugin.master;

import io.ishbase.core.compaction.CompactionQueue;
import io.ishbase.core.compaction.Worker;
import io.ishbase.core.metric.Exposition;
import io.ishbase.core.metric.History;
import io.ishbase.core.metric.Metric;
import io.ishbase.protocol.metrics.MetricsServlet;
import io.ishbase.protocol.metrics.StatusPage;
import java.util.List;
import java.util.function.Supplier;

/** The compaction manager's page: who waits for a worker, and what the workers are at. */
final class ManagerPage {
  static final int LOOK_MILLIS = 5000;

  private static final int LOOKS = 120;
  private static final int SHOWN = 200;
  private static final double MEGABYTE = 1 << 20;

  private final String title;
  private final Supplier<List<CompactionQueue.Request>> waiting;
  private final Supplier<List<Worker>> workers;
  private final History history;

  ManagerPage(
      String title,
      Exposition exposition,
      Supplier<List<CompactionQueue.Request>> waiting,
      Supplier<List<Worker>> workers) {
    this.title = title;
    this.waiting = waiting;
    this.workers = workers;
    this.history =
        new History(
            List.of(
                new History.Plot(
                    "Compactions",
                    "",
                    List.of(
                        now("waiting", exposition, Metric.MANAGER_WAITING),
                        now("running", exposition, Metric.MANAGER_RUNNING),
                        now("slots", exposition, Metric.MANAGER_SLOTS))),
                new History.Plot(
                    "Placed",
                    "a second",
                    List.of(
                        new History.Curve(
                            "placed", () -> exposition.sum(Metric.MANAGER_PLACED), true)))),
            LOOKS);
  }

  private static History.Curve now(String name, Exposition exposition, Metric metric) {
    return new History.Curve(name, () -> exposition.sum(metric), false);
  }

  /** Looks at what is shown; to be called every {@link #LOOK_MILLIS}. */
  void look() {
    history.look(System.nanoTime());
  }

  StatusPage page() {
    List<CompactionQueue.Request> waits = waiting.get();
    StatusPage page = new StatusPage(title);
    page.links("/", MetricsServlet.PATH, "/jmx", "/conf", "/logLevel");
    page.heading("The last ten minutes").plots(history);
    page.heading("Waiting for a worker, the most urgent first")
        .table(
            List.of("store", "MB", "pressure", "delete markers"),
            waits.stream()
                .limit(SHOWN)
                .map(
                    request ->
                        List.of(
                            request.store(),
                            request.bytes() / MEGABYTE,
                            request.pressure(),
                            request.deletes()))
                .toList(),
            "Nobody.");
    if (waits.size() > SHOWN) {
      page.lines(List.of("and " + (waits.size() - SHOWN) + " more"), "");
    }
    page.heading("Workers")
        .table(
            List.of(
                "worker",
                "running",
                "slots",
                "MB left to read",
                "CPU % of others",
                "MB/s each",
                "begun",
                ""),
            workers.get().stream()
                .map(
                    worker ->
                        List.of(
                            worker.name(),
                            worker.running(),
                            worker.slots(),
                            worker.backlogBytes() / MEGABYTE,
                            worker.cpuPercent(),
                            worker.bytesPerSecond() / MEGABYTE,
                            worker.begun(),
                            worker.draining() ? "draining" : ""))
                .toList(),
            "None is registered.");
    return page;
  }
}
