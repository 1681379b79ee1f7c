package io.ishbase.dist;

import static io.ishbase.dist.Outcome.complaint;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What a user gets wrong is one line, before anything is started. */
class ChaosCommandTest {
  @Test
  void aWorkloadThatThereIsNotIsNamedBesideThoseThatThereAre() {
    assertThat(complaint("chaos", "--workload", "linked-list"))
        .isEqualTo(
            "ishbase: There is no workload 'linked-list'; there are: histories, big-linked-list\n");
  }

  @Test
  void numbersThatCannotBe() {
    assertThat(complaint("chaos", "--nodes", "0")).startsWith("ishbase: --nodes is 1 to ");
    assertThat(complaint("chaos", "--minutes", "0")).startsWith("ishbase: --minutes is more ");
    assertThat(complaint("chaos", "--clients", "13")).contains("--clients 1 to 12");
  }
}
