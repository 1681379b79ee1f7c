package io.ishbase.dist;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.core.metric.Metric;
import io.ishbase.core.metric.MetricType;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** What ships for Prometheus and Grafana is sound by itself; MonitoringTest asks servers. */
class MonitoringFilesTest {
  private static final Path RULE_TESTS = Path.of("src", "test", "monitoring");

  @Test
  void queriesNameMetricsThatAreDeclared() throws IOException {
    Set<String> declared = new TreeSet<>();
    for (Metric metric : Metric.values()) {
      String name = metric.prometheusName();
      declared.addAll(
          metric.type() == MetricType.HISTOGRAM
              ? List.of(name + "_bucket", name + "_sum", name + "_count")
              : List.of(name));
    }
    MonitoringFiles.selectors()
        .forEach(
            (where, selectors) ->
                assertThat(selectors)
                    .as(where)
                    .isNotEmpty()
                    .allMatch(selector -> declared.contains(selector.metric())));
  }

  @Test
  void labelsOfQueriesAreDeclared() throws IOException {
    MonitoringFiles.selectors()
        .forEach(
            (where, selectors) ->
                selectors.forEach(
                    selector ->
                        assertThat(selector.matchers())
                            .as(where)
                            .allMatch(matcher -> matcher.label().equals(label(selector)))));
  }

  private static String label(MonitoringFiles.Selector selector) {
    return Arrays.stream(Metric.values())
        .filter(metric -> metric.prometheusName().equals(selector.metric()))
        .map(Metric::label)
        .findAny()
        .orElse("");
  }

  @Test
  void queriesAreWellFormed() throws IOException {
    MonitoringFiles.queries()
        .forEach((where, query) -> assertThat(isBalanced(query)).as(where).isTrue());
  }

  private static boolean isBalanced(String query) {
    Deque<Character> open = new ArrayDeque<>();
    boolean quoted = false;
    for (char next : query.toCharArray()) {
      if (next == '"') {
        quoted = !quoted;
      } else if (!quoted && "([{".indexOf(next) >= 0) {
        open.push(")]}".charAt("([{".indexOf(next)));
      } else if (!quoted && ")]}".indexOf(next) >= 0 && (open.isEmpty() || open.pop() != next)) {
        return false;
      }
    }
    return open.isEmpty() && !quoted;
  }

  @Test
  void eachRuleSaysWhatIsWrongAndWhatToDo() throws IOException {
    for (Map<String, Object> rule : MonitoringFiles.rules()) {
      assertThat(rule.get("annotations").toString())
          .as("%s", rule.get("alert"))
          .contains("summary=", "description=");
      assertThat(rule.get("labels").toString())
          .as("%s", rule.get("alert"))
          .matches("\\{severity=(critical|warning)}");
    }
  }

  @Test
  void eachRuleHasATestForPromtool() throws IOException {
    String tests = Files.readString(RULE_TESTS.resolve("ishbase-rules-test.yml"));
    assertThat(MonitoringFiles.rules())
        .extracting(rule -> rule.get("alert").toString())
        .doesNotHaveDuplicates()
        .allMatch(tests::contains);
  }

  /**
   * Prometheus's own tool, where it is installed; else the name of the test says that it is not.
   */
  @TestFactory
  Stream<DynamicTest> promtoolAgrees() {
    Path promtool =
        Stream.of(System.getenv("PATH").split(File.pathSeparator))
            .map(directory -> Path.of(directory, "promtool"))
            .filter(Files::isExecutable)
            .findFirst()
            .orElse(null);
    if (promtool == null) {
      return Stream.of(
          DynamicTest.dynamicTest(
              "promtool is not installed (Debian: prometheus): rules were not run",
              () -> System.err.println("promtool is not installed: alert rules were not run")));
    }
    return Stream.of(
        DynamicTest.dynamicTest(
            "promtool check rules",
            () -> run(promtool, "check", "rules", MonitoringFiles.RULES.toString())),
        DynamicTest.dynamicTest(
            "promtool test rules",
            () ->
                run(
                    promtool,
                    "test",
                    "rules",
                    RULE_TESTS.resolve("ishbase-rules-test.yml").toString())));
  }

  private static void run(Path promtool, String... arguments) throws Exception {
    ProcessBuilder builder = new ProcessBuilder(promtool.toString());
    builder.command().addAll(List.of(arguments));
    Process process = builder.redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes());
    assertThat(process.waitFor()).as(output).isZero();
  }
}
