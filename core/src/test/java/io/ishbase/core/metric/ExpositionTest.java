package io.ishbase.core.metric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.junit.jupiter.api.Test;

class ExpositionTest {
  private final Exposition shown = new Exposition();

  private String text() throws IOException {
    StringBuilder text = new StringBuilder();
    shown.writeTo(text);
    return text.toString();
  }

  @Test
  void countersAndLabelsAreWritten() throws IOException {
    shown.show(Metric.REQUESTS, () -> 12_345_678_901L);
    shown.show(Metric.FALLBACKS, "no_daemon", () -> 3);
    shown.show(Metric.FALLBACKS, "a\"b\\c\nd", () -> 0.25);
    assertThat(text())
        .isEqualTo(
            """
            # HELP ishbase_fallbacks_total %s
            # TYPE ishbase_fallbacks_total counter
            ishbase_fallbacks_total{reason="a\\"b\\\\c\\nd"} 0.25
            ishbase_fallbacks_total{reason="no_daemon"} 3
            # HELP ishbase_requests_total Requests sent to storage daemons.
            # TYPE ishbase_requests_total counter
            ishbase_requests_total 12345678901
            """
                .formatted(Metric.FALLBACKS.help()));
    assertThat(shown.sum(Metric.FALLBACKS)).isEqualTo(3.25);
    assertThat(shown.sum(Metric.HEDGES)).isZero();
  }

  @Test
  void unitsAreThoseOfTheName() {
    shown.show(Metric.HELD_BACK, () -> 1500);
    assertThat(shown.sum(Metric.HELD_BACK)).isEqualTo(1.5);
  }

  @Test
  void aHistogramIsCumulative() throws IOException {
    Buckets buckets = new Buckets();
    buckets.add(100);
    buckets.add(150);
    buckets.add(60_000_000);
    shown.show(Metric.REQUEST_SECONDS, buckets);
    assertThat(text())
        .contains("# TYPE ishbase_request_seconds histogram\n")
        .contains("ishbase_request_seconds_bucket{le=\"1.0E-4\"} 1\n")
        .contains("ishbase_request_seconds_bucket{le=\"2.0E-4\"} 2\n")
        .contains("ishbase_request_seconds_bucket{le=\"5.0\"} 2\n")
        .contains("ishbase_request_seconds_bucket{le=\"+Inf\"} 3\n")
        .contains("ishbase_request_seconds_sum 60.00025\n")
        .contains("ishbase_request_seconds_count 3\n");
    assertThat(shown.now(Metric.REQUEST_SECONDS)).containsEntry("count", 3.0);
  }

  @Test
  void whatFailsIsLeftOut() throws IOException {
    shown.show(
        Metric.DAEMONS,
        () -> {
          throw new IllegalStateException("it stops");
        });
    shown.show(Metric.HELD_BYTES, () -> 1);
    assertThat(text()).contains("ishbase_held_bytes 1\n").doesNotContain("ishbase_daemons");
  }

  @Test
  void whatIsNotDeclaredSoIsRefused() {
    assertThatThrownBy(() -> shown.show(Metric.REQUESTS, "some", () -> 1))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> shown.show(Metric.FALLBACKS, () -> 1))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> shown.show(Metric.REQUEST_SECONDS, () -> 1))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> shown.show(Metric.REQUESTS, new Buckets()))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
