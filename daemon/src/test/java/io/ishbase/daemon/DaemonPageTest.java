package io.ishbase.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.core.metric.Exposition;
import io.ishbase.core.metric.Metric;
import io.ishbase.protocol.generated.CompactionProtos.Attempt;
import io.ishbase.protocol.generated.CompactionProtos.CompactionState;
import io.ishbase.protocol.generated.CompactionProtos.ProgressResponse;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class DaemonPageTest {
  private final Exposition exposition = new Exposition();
  private final Demand demand = new Demand();

  private static Demand.Asker asker(String table) {
    return new Demand.Asker("alice", "10.0.0.7", "read", table);
  }

  private DaemonPage page(List<Attempt> attempts) {
    return new DaemonPage("daemon", Map.of("DataNode", "none"), exposition, demand, () -> attempts);
  }

  @Test
  void itSaysWhoAskedForWhat() {
    demand.answered(asker("default:t"), 30, 3 << 20, 2_000_000);
    demand.answered(asker("default:t"), 10, 1 << 20, 4_000_000);
    demand.answered(asker("default:<b>u</b>"), 1, 8 << 20, 1_000_000);
    String page = page(List.of()).page().toString();
    assertThat(page)
        .contains(
            "<td>default:t</td><td>read</td><td>alice</td><td>10.0.0.7</td>"
                + "<td class=\"n\">2</td><td class=\"n\">40</td><td class=\"n\">4</td>"
                + "<td class=\"n\">3</td>")
        .containsSubsequence("default:&lt;b&gt;u&lt;/b&gt;", "default:t")
        .doesNotContain("<b>");
  }

  @Test
  void whatWasAskedTwoMinutesAgoIsForgotten() {
    demand.answered(asker("default:t"), 1, 1, 1);
    demand.turn();
    demand.answered(asker("default:t"), 2, 1, 1);
    assertThat(demand.all()).singleElement().extracting(Demand.Got::cells).isEqualTo(3L);
    demand.turn();
    assertThat(demand.all()).singleElement().extracting(Demand.Got::cells).isEqualTo(2L);
    demand.turn();
    assertThat(demand.all()).isEmpty();
  }

  @Test
  void namesWithoutEndAreCountedTogether() {
    for (int i = 0; i < 3 * Demand.MOST; i++) {
      demand.answered(asker("t" + i), 1, 1, 1);
    }
    assertThat(demand.all()).hasSize(Demand.MOST + 1);
    assertThat(demand.all().stream().mapToLong(Demand.Got::cells).sum()).isEqualTo(3 * Demand.MOST);
  }

  @Test
  void itSaysHowCompactionsAndAnswersStand() {
    exposition.show(Metric.DAEMON_ANSWERS, "ok", () -> 17);
    exposition.show(Metric.DAEMON_ANSWERS, "busy", () -> 0);
    exposition.show(Metric.WORKER_DRAINING, () -> 1);
    DaemonPage shown =
        page(
            List.of(
                Attempt.newBuilder()
                    .setAttempt("secret")
                    .setStore("t,region,f")
                    .setRegionServer("rs1")
                    .setFiles(3)
                    .setBytes(5 << 20)
                    .setAgeMillis(1500)
                    .setProgress(
                        ProgressResponse.newBuilder()
                            .setState(CompactionState.RUNNING)
                            .setCells(20)
                            .setTotalCells(50))
                    .build()));
    shown.look();
    assertThat(shown.page().toString())
        .contains("being drained")
        .contains("<td>ok</td><td class=\"n\">17</td>")
        .doesNotContain("<td>busy</td>", "secret")
        .contains(
            "<td>t,region,f</td><td>rs1</td><td class=\"n\">3</td><td class=\"n\">5</td>"
                + "<td class=\"n\">1.50</td><td class=\"n\">20</td><td class=\"n\">50</td>");
  }
}
