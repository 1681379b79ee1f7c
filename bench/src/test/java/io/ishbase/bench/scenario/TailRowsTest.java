package io.ishbase.bench.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.ishbase.bench.Comparison;
import io.ishbase.bench.Load;
import io.ishbase.bench.Point;
import io.ishbase.bench.Sample;
import io.ishbase.bench.Tally;
import io.ishbase.bench.WrongAnswerException;
import io.ishbase.bench.report.Plot;
import io.ishbase.bench.report.Row;
import io.ishbase.cluster.NetworkRig;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class TailRowsTest {
  /** A window of 20,000 operations of 1 ms, of which {@code slow} took {@code slowMillis}. */
  private static Sample window(
      double seconds, int slow, long slowMillis, Map<String, Double> counters) {
    Sample.Builder window = new Sample.Builder();
    for (int i = 0; i < 20_000; i++) {
      window.add((i < slow ? slowMillis : 1) * 1_000_000L, new Tally());
    }
    return window.end(seconds, new NetworkRig.Traffic(0, 0), Map.of(), counters);
  }

  @Test
  void percentilesAreMediansOfTheWindowsAndTheSlowestIsOfAll() {
    Comparison comparison =
        new Comparison(Point.uncapped().with("state", "healthy"), List.of("in-storage"));
    Map<String, Double> counters =
        Map.of(
            "reads", 1000.0,
            "hedges", 20.0,
            "again", 10.0,
            "late", 40.0,
            "silences", 1.0,
            "errors", 0.0,
            "fallbacks", 3.0,
            "fallbacks, silent", 3.0,
            "fallbacks, busy", 0.0);
    comparison.addRound(Map.of("in-storage", window(10, 3, 50, counters)));
    comparison.addRound(Map.of("in-storage", window(10, 30, 100, counters)));
    comparison.addRound(Map.of("in-storage", window(12.5, 30, 200, counters)));
    List<Row> rows = TailRows.of(comparison, Map.of("in-storage", 2000.0));
    Map<String, Double> figures = rows.get(0).figures();
    assertThat(rows).hasSize(1);
    assertThat(rows.get(0).parameters()).containsEntry("state", "healthy");
    assertThat(figures.get("asked/s")).isEqualTo(2000);
    assertThat(figures.get("done %")).isCloseTo(100, within(1e-9));
    assertThat(figures.get("p50 ms")).isCloseTo(1, within(0.01));
    assertThat(figures.get("p99.9 ms")).isCloseTo(100, within(0.1));
    assertThat(figures.get("least p99.9 ms")).isCloseTo(1, within(0.01));
    assertThat(figures.get("most p99.9 ms")).isCloseTo(200, within(0.2));
    assertThat(figures.get("p99.99 ms")).isCloseTo(100, within(0.1));
    assertThat(figures.get("max ms")).isCloseTo(200, within(0.2));
    assertThat(figures.get("extra %")).isEqualTo(3);
    assertThat(figures).containsEntry("fallbacks", 9.0).containsEntry("fallbacks, silent", 9.0);
    assertThat(figures).containsEntry("errors", 0.0).doesNotContainKey("fallbacks, busy");
  }

  /** As in the table of processor time beside it, and in other scenarios. */
  @Test
  void whatOperationsCostIsOfAllWindows() {
    Comparison comparison =
        new Comparison(Point.uncapped().with("state", "healthy"), List.of("in-storage"));
    comparison.addRound(
        Map.of("in-storage", window(10, 0, 0, Map.of("processor s, client", 10.0))));
    comparison.addRound(
        Map.of("in-storage", window(10, 0, 0, Map.of("processor s, client", 40.0))));
    Map<String, Double> figures =
        TailRows.of(comparison, Map.of("in-storage", 2000.0)).get(0).figures();
    // 40,000 operations in 50 seconds: 1,250 µs each.
    assertThat(figures.get("ops/CPU s")).isCloseTo(800, within(1e-9));
  }

  @Test
  void whatIsDoneIsOfWhatWasDueInTheTimeThatItTook() {
    assertThat(TailRows.donePercent(window(10, 0, 0, Map.of()), 2000)).isEqualTo(100);
    assertThat(TailRows.donePercent(window(12.5, 0, 0, Map.of()), 2000)).isEqualTo(80);
  }

  @Test
  void onePlaceOnTheAxisIsOneInTenTimesAsMany() {
    Histogram latency = new Histogram(3);
    for (int i = 1; i <= 100_000; i++) {
      latency.recordValue(i * 1000L);
    }
    Plot plot =
        LatencyByPercentile.plot("t", List.of(LatencyByPercentile.series("healthy", latency)));
    Plot.Series series = plot.series().get(0);
    assertThat(plot.logX()).isTrue();
    assertThat(plot.xTicks())
        .containsOnlyKeys(1.0, 2.0, 10.0, 100.0, 1000.0, 10_000.0)
        .containsEntry(10_000.0, "99.99 %");
    assertThat(series.x()).isSorted().startsWith(1.0).endsWith(10_000.0);
    assertThat(series.y().get(series.x().indexOf(100.0))).isCloseTo(99, within(0.1));
    assertThat(series.y()).isSorted();
  }

  @Test
  void anOperationThatFailsIsCountedAndAWrongAnswerEndsAll() throws IOException {
    CountedFailures failures = new CountedFailures();
    IOException[] next = {new IOException("gone"), new IOException("again"), null};
    int[] number = {0};
    Load.Client client =
        failures
            .of(
                worker ->
                    tally -> {
                      IOException failure = next[number[0]++];
                      if (failure != null) {
                        throw failure;
                      }
                    })
            .open(0);
    for (int i = 0; i < next.length; i++) {
      client.operate(new Tally());
    }
    assertThat(failures.counters()).containsExactly(Map.entry("errors", 2.0));
    assertThat(failures.first()).contains("gone");
    Load.Client wrong =
        failures
            .of(
                worker ->
                    tally -> {
                      throw new WrongAnswerException("a wrong value");
                    })
            .open(0);
    assertThatThrownBy(() -> wrong.operate(new Tally())).hasMessage("a wrong value");
    assertThat(failures.counters()).containsExactly(Map.entry("errors", 2.0));
  }
}
