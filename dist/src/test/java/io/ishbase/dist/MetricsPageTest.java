package io.ishbase.dist;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ishbase.cluster.MetricsPage;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class MetricsPageTest {
  @Test
  void figuresAreReadWithTheirLabels() throws IOException {
    MetricsPage page =
        MetricsPage.parse(
            """
            # HELP a_total What it is.
            # TYPE a_total counter
            a_total{reason="busy"} 3
            a_total{reason="a \\"b\\" \\\\ c\\nd",kind="x"} 1.5E3

            # a comment
            b 7
            b_bucket{le="+Inf"} +Inf
            """);
    assertThat(page.sum("a_total")).isEqualTo(1503);
    assertThat(page.sum("a_total", "reason", "busy")).isEqualTo(3);
    assertThat(page.by("a_total", "reason"))
        .containsEntry("busy", 3.0)
        .containsEntry("a \"b\" \\ c\nd", 1500.0)
        .hasSize(2);
    assertThat(page.by("a_total", "kind")).containsOnlyKeys("x");
    assertThat(page.sum("b")).isEqualTo(7);
    assertThat(page.sum("b_bucket")).isInfinite();
    assertThat(page.sum("c")).isZero();
    assertThat(page.helps()).containsEntry("a_total", "What it is.").hasSize(1);
    assertThat(page.types()).containsEntry("a_total", "counter").hasSize(1);
    assertThat(page.samples()).hasSize(4);
  }

  @Test
  void whatIsNoPageIsRefused() {
    for (String text : new String[] {"<html>", "a{b=c} 1", "a{b=\"c\"d} 1", "a one"}) {
      assertThatThrownBy(() -> MetricsPage.parse(text)).as(text).isInstanceOf(IOException.class);
    }
  }
}
