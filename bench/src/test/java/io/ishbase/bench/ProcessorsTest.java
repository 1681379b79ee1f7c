package io.ishbase.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import io.ishbase.bench.report.Report;
import io.ishbase.bench.report.Results;
import io.ishbase.cluster.NetworkRig;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ProcessorsTest {
  private static final NetworkRig.Traffic NOTHING = new NetworkRig.Traffic(0, 0);

  /** A window of 1,000 operations in which counters grew so much. */
  private static Sample sample(Map<String, Double> grown) {
    Sample.Builder window = new Sample.Builder();
    for (int i = 0; i < 1000; i++) {
      window.add(1_000_000, new Tally());
    }
    return window.end(1, NOTHING, Map.of(), grown);
  }

  private static Sample counted() {
    return sample(
        Map.of(
            "processor s, client", 0.1,
            "processor s, regionserver", 0.2,
            "processor s, issn", 0.15,
            "processor s, datanode", 0.0,
            "processor s, master", 0.02,
            "processor s, namenode", 0.03,
            "GC ms", 70.0));
  }

  @Test
  void anOperationCostsWhatAllProcessesTookTogether() {
    assertThat(Processors.operationsPerSecond(counted())).isEqualTo(2000);
    assertThat(Processors.microsPerOperation(counted()))
        .containsExactly(
            entry("client", 100.0),
            entry("region server", 200.0),
            entry("daemon", 150.0),
            entry("DataNode", 0.0),
            entry("others", 50.0));
  }

  @Test
  void machinesReadTheSame() {
    assertThat(counted().figures())
        .containsEntry("operations_per_processor_second", 2000.0)
        .containsEntry(
            "processor_us_per_operation",
            Map.of(
                "client", 100.0,
                "region server", 200.0,
                "daemon", 150.0,
                "DataNode", 0.0,
                "others", 50.0));
  }

  @Test
  void whereNobodyCountsNothingIsSaid() {
    Sample sample = sample(Map.of("GC ms", 70.0));
    assertThat(Processors.operationsPerSecond(sample)).isZero();
    assertThat(Processors.microsPerOperation(sample)).isEmpty();
    assertThat(sample.figures()).doesNotContainKey("operations_per_processor_second");
    assertThat(Processors.areKnown(Sample.sum(List.of()))).isFalse();
  }

  @Test
  void everyComparisonHasThemInItsTableAndByProcessInASecondOne() {
    Comparison comparison = new Comparison(Point.uncapped().with("rows", 1), List.of("stock"));
    comparison.addRound(Map.of("stock", counted()));
    Results results = new Results("scenario", "", "");
    comparison.addTo(results);
    assertThat(new Report(List.of(results)).text())
        .containsPattern("(?m)^rows +cap +variant .* ops/CPU s ")
        .containsPattern("(?m)^1 +uncapped +stock .* 2,000 ")
        .containsPattern("(?m)^rows .* client µs +region server µs +daemon µs +DataNode µs")
        .containsPattern("(?m)^1 +uncapped +stock +100 +200 +150 +0 +50.0$");
  }
}
