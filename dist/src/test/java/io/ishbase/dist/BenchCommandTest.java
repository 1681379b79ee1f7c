package io.ishbase.dist;

import static io.ishbase.dist.Outcome.complaint;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What a user gets wrong is one line, before anything is started. */
class BenchCommandTest {
  @Test
  void aWorkloadThatThereIsNotIsNamedBesideThoseThatThereAre() {
    assertThat(complaint("bench", "memstore", "--workloads", "zipfian,queues"))
        .isEqualTo(
            "ishbase: --workloads: There is no workload 'queues'; there are: zipfian, uniform,"
                + " half-reads, half-reads-uniform, queue, counters, documents, in-turn\n");
  }

  @Test
  void aBenchmarkThatThereIsNotIsNamed() {
    assertThat(complaint("bench", "memstores"))
        .startsWith("ishbase: There is no benchmark 'memstores'; there are: ")
        .hasLineCount(1);
  }
}
