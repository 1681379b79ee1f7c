package io.ishbase.core.metric;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.core.Reason;
import io.ishbase.core.cache.CacheStats;
import io.ishbase.core.compaction.LocalReason;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import org.junit.jupiter.api.Test;

class MetricTest {
  @Test
  void allAreDescribed() {
    for (Metric metric : Metric.values()) {
      assertThat(metric.help()).as("%s", metric).matches("[A-Z1].*[^.]\\.");
    }
  }

  @Test
  void namesAreSoundAndUnique() {
    assertThat(Arrays.stream(Metric.values()).map(Metric::prometheusName)).doesNotHaveDuplicates();
    assertThat(Arrays.stream(Metric.values()).map(Metric::prometheusName))
        .allMatch(name -> name.matches("ishbase_[a-z_]+[a-z]"));
    assertThat(
            Arrays.stream(Metric.values())
                .filter(metric -> !metric.jmxName().isEmpty())
                .map(metric -> metric.source() + " " + metric.jmxName()))
        .doesNotHaveDuplicates();
  }

  @Test
  void namesSayTypeAndUnit() {
    for (Metric metric : Metric.values()) {
      String name = metric.prometheusName();
      assertThat(name.endsWith("_total"))
          .as("%s", metric)
          .isEqualTo(metric.type() == MetricType.COUNTER);
      assertThat(name.replaceFirst("_total$", "").endsWith("_" + metric.unit()))
          .as("%s in '%s'", metric, metric.unit())
          .isEqualTo(!metric.unit().isEmpty());
    }
  }

  @Test
  void whatIsOnABeanSaysUnderWhichName() {
    for (Metric metric : Metric.values()) {
      assertThat(metric.jmxName().isEmpty())
          .as("%s", metric)
          .isEqualTo(metric.source().bean().isEmpty());
      assertThat(metric.jmxName().contains("*"))
          .as("%s", metric)
          .isEqualTo(!metric.label().isEmpty() && !metric.jmxName().isEmpty());
    }
  }

  @Test
  void allOfTheSegmentCacheIsThere() {
    assertThat(
            Arrays.stream(Metric.values())
                .map(Metric::jmxName)
                .filter(name -> name.startsWith("cache_")))
        .containsExactlyElementsOf(
            Arrays.stream(CacheStats.class.getRecordComponents())
                .map(RecordComponent::getName)
                .map("cache_"::concat)
                .toList());
  }

  /** {@code docs/metrics.md} is made from the table: {@code -Dishbase.docs.write=true} makes it. */
  @Test
  void documentationIsInStep() throws IOException {
    Path page = Path.of("..", "docs", "metrics.md");
    String text = page();
    if (Boolean.getBoolean("ishbase.docs.write")) {
      Files.writeString(page, text);
    }
    assertThat(page).hasContent(text);
  }

  private static String page() {
    StringBuilder text = new StringBuilder("# Metrics\n\n");
    text.append(
        """
        Made from `io.ishbase.core.metric.Metric`.
        Region servers, masters and daemons show them at `/ishbase-metrics` for Prometheus, with the texts below; how to collect and watch them: [monitoring.md](monitoring.md).
        What is also on `/jmx` has its name there in the last column; HBase's own `/prometheus` derives names from that one, and shows no help texts.
        Counters (names on `_total`) only grow while a server lives; a histogram has `_bucket`, `_sum` and `_count`.
        """);
    for (MetricSource source : MetricSource.values()) {
      text.append("\n## ").append(title(source)).append("\n");
      if (!source.bean().isEmpty()) {
        text.append("On `/jmx`: `").append(source.bean()).append("`.\n\n");
      }
      text.append("| name | type | unit | label | meaning | on JMX |\n");
      text.append("| --- | --- | --- | --- | --- | --- |\n");
      for (Metric metric : Metric.values()) {
        if (metric.source() == source) {
          text.append(row(metric));
        }
      }
    }
    text.append(
        """

        ## Reasons of fallbacks
        `reason` of `ishbase_fallbacks_total`. What to do when one grows: [operations.md](operations.md#when).

        | reason | meaning |
        | --- | --- |
        """);
    for (Reason reason : Reason.values()) {
      text.append(row(reason, reason.description()));
    }
    text.append(
        """

        ## Reasons of compactions that stay
        `reason` of `ishbase_local_compactions_total`.

        | reason | meaning |
        | --- | --- |
        """);
    for (LocalReason reason : LocalReason.values()) {
      text.append(row(reason, reason.description()));
    }
    return text.toString();
  }

  private static String title(MetricSource source) {
    return switch (source) {
      case READS -> "Reads and the segment cache, at a region server";
      case COMPACTIONS -> "Compactions, at a region server";
      case TRACES -> "Recorded operations, at a region server";
      case REGION_SERVER -> "Storage nodes and memory, at a region server";
      case DAEMON_READS -> "Reads, at a daemon";
      case DAEMON -> "Queues, compactions and memory, at a daemon";
      case MANAGER -> "The compaction manager, at the master";
    };
  }

  private static String row(Metric metric) {
    String onJmx = metric.jmxName();
    return String.format(
        "| `%s` | %s | %s | %s | %s | %s |%n",
        metric.prometheusName(),
        metric.type(),
        metric.unit(),
        metric.label().isEmpty() ? "" : "`" + metric.label() + "`",
        metric.help(),
        onJmx.isEmpty()
            ? ""
            : "`" + onJmx.substring(0, 1).toUpperCase(Locale.ROOT) + onJmx.substring(1) + "`");
  }

  private static String row(Enum<?> reason, String description) {
    return String.format("| `%s` | %s |%n", reason.name().toLowerCase(Locale.ROOT), description);
  }
}
