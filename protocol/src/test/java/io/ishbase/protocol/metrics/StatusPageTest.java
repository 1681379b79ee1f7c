package io.ishbase.protocol.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.core.metric.History;
import java.util.List;
import org.junit.jupiter.api.Test;

class StatusPageTest {
  private static final String HOSTILE = "<script>alert('1')</script>\" onload=\"x&\u0007";

  @Test
  void everythingIsEscaped() {
    History history =
        new History(
            List.of(
                new History.Plot(
                    HOSTILE, HOSTILE, List.of(new History.Curve(HOSTILE, () -> 1, false)))),
            2);
    history.look(0);
    String page =
        new StatusPage(HOSTILE)
            .heading(HOSTILE)
            .links(HOSTILE)
            .warning(HOSTILE)
            .table(List.of(HOSTILE), List.of(List.of(HOSTILE)), "")
            .table(List.of(), List.of(), HOSTILE)
            .lines(List.of(HOSTILE), "")
            .lines(List.of(), HOSTILE)
            .lastMinutes(history)
            .toString();
    assertThat(page)
        .doesNotContain("<script", "onload=\"", "\u0007")
        .contains("&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&quot; onload=&quot;x&amp;?");
    assertThat(page.split("&lt;script&gt;", -1)).hasSize(16);
  }

  @Test
  void numbersStandOnTheRight() {
    assertThat(
            new StatusPage("t")
                .table(List.of("name", "count", "share"), List.of(List.of("a", 1234567, 0.125)), "")
                .toString())
        .contains("<th>name</th><th class=\"n\">count</th>")
        .contains("<td>a</td><td class=\"n\">1,234,567</td><td class=\"n\">0.13</td>");
  }

  @Test
  void theNewestLookIsOnTheRightAndTheGreatestOnTop() {
    double[] now = new double[1];
    History history =
        new History(
            List.of(
                new History.Plot("t", "u", List.of(new History.Curve("c", () -> now[0], false)))),
            3);
    now[0] = 0;
    history.look(0);
    now[0] = 10;
    history.look(1);
    assertThat(new StatusPage("t").lastMinutes(history).toString())
        .contains("points=\"180.0,88.0 360.0,4.0\"")
        .contains("t, to 10 u")
        .contains(">c 10</span>");
  }
}
