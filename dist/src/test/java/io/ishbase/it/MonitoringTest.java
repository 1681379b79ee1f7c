package io.ishbase.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.cluster.MetricsPage;
import io.ishbase.cluster.WebPages;
import io.ishbase.core.metric.Metric;
import io.ishbase.core.metric.MetricSource;
import io.ishbase.core.metric.MetricType;
import io.ishbase.daemon.Issn;
import io.ishbase.dist.MonitoringFiles;
import io.ishbase.dist.cluster.ClusterProbe;
import io.ishbase.dist.top.Look;
import io.ishbase.dist.top.Looker;
import io.ishbase.dist.top.Screen;
import io.ishbase.protocol.metrics.InfoPages;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.security.User;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** What servers show of themselves, asked of a region server, a master and a daemon. */
@OwnJvm
class MonitoringTest {
  @TempDir private static Path directory;
  private static MiniCluster cluster;
  private static Issn daemon;
  private static KnownTable table;

  @BeforeAll
  static void start() throws Exception {
    cluster =
        MiniCluster.start(
            1,
            conf -> {
              conf.setInt("hbase.regionserver.info.port", 0);
              conf.setInt("hbase.master.info.port", 0);
              InfoPages.addTo(conf);
              conf.setInt("ishbase.manager.port", 0);
              conf.setInt("ishbase.cache.bytes", 64 << 20);
              conf.set(
                  "hbase.coprocessor.master.classes", "io.ishbase.plugin.master.CompactionManager");
            });
    daemon =
        cluster.startDaemon(
            cluster.util.getDFSCluster().getDataNodes().get(0),
            conf -> conf.setInt("ishbase.issn.info.port", 0));
    table = new KnownTable(cluster, "watched");
    table.awaitInStorage();
  }

  @AfterAll
  static void stop() throws Exception {
    table.close();
    cluster.close();
  }

  private static String regionServer() {
    return "localhost:"
        + cluster.util.getMiniHBaseCluster().getRegionServer(0).getInfoServer().getPort();
  }

  private static String master() {
    return "localhost:" + cluster.util.getMiniHBaseCluster().getMaster().getInfoServer().getPort();
  }

  private static String daemonPage() {
    return "127.0.0.1:" + daemon.infoPort();
  }

  private static MetricsPage page(String address) throws IOException {
    return MetricsPage.of(WebPages.ofHBase(new Configuration(false)), address);
  }

  private static Map<String, MetricsPage> pages() throws IOException {
    Map<String, MetricsPage> pages = new TreeMap<>();
    pages.put("region server", page(regionServer()));
    pages.put("daemon", page(daemonPage()));
    pages.put("master", page(master()));
    return pages;
  }

  @Test
  void eachServerShowsItsMetricsWithHelpTexts() throws IOException {
    for (Map.Entry<String, MetricsPage> page : pages().entrySet()) {
      Map<String, String> declared =
          Arrays.stream(Metric.values())
              .filter(metric -> metric.source().server().equals(page.getKey()))
              .collect(Collectors.toMap(Metric::prometheusName, Metric::help));
      assertThat(page.getValue().helps()).as(page.getKey()).isEqualTo(declared);
      assertThat(page.getValue().types().keySet()).isEqualTo(declared.keySet());
      assertThat(page.getValue().samples())
          .extracting(sample -> sample.name().replaceFirst("_(bucket|sum|count)$", ""))
          .as(page.getKey())
          .allMatch(name -> declared.containsKey(name));
    }
  }

  @Test
  void allThatIsOnOurBeansIsDescribed() throws Exception {
    Set<String> beans =
        Arrays.stream(MetricSource.values())
            .map(MetricSource::bean)
            .filter(bean -> !bean.isEmpty())
            .collect(Collectors.toCollection(TreeSet::new));
    MBeanServer jmx = ManagementFactory.getPlatformMBeanServer();
    for (String bean : beans) {
      ObjectName name = new ObjectName(bean);
      // HBase looks for what is new every ten seconds, and takes all away when a region opens.
      Set<String> shown = new TreeSet<>();
      MiniCluster.await(
          bean,
          () -> {
            try {
              shown.addAll(attributes(jmx, name));
            } catch (JMException e) {
              throw new AssertionError(e);
            }
            return !shown.isEmpty();
          });
      Set<String> described =
          Arrays.stream(Metric.values())
              .filter(metric -> metric.source().bean().equals(bean))
              .map(metric -> metric.jmxName() + (isHistogram(metric) ? "_.*" : ""))
              .map(pattern -> "(?i)" + pattern.replaceFirst("_\\*$", "_.*"))
              .collect(Collectors.toSet());
      assertThat(shown)
          .as(bean)
          .allMatch(attribute -> described.stream().anyMatch(attribute::matches));
    }
  }

  private static boolean isHistogram(Metric metric) {
    return metric.type() == MetricType.HISTOGRAM;
  }

  /** Empty: the bean is not there. */
  private static Set<String> attributes(MBeanServer jmx, ObjectName bean) throws JMException {
    try {
      return Stream.of(jmx.getMBeanInfo(bean).getAttributes())
          .map(MBeanAttributeInfo::getName)
          .filter(name -> !name.startsWith("tag."))
          .collect(Collectors.toSet());
    } catch (InstanceNotFoundException e) {
      return Set.of();
    }
  }

  @Test
  void dashboardsAndAlertsAskForWhatIsThere() throws IOException {
    Map<String, MetricsPage> pages = pages();
    MonitoringFiles.selectors()
        .forEach(
            (where, selectors) ->
                selectors.forEach(
                    selector ->
                        assertThat(
                                pages.values().stream()
                                    .flatMap(page -> page.samples().stream())
                                    .anyMatch(
                                        sample -> selector.matches(sample.name(), sample.labels())))
                            .as("%s: %s", where, selector)
                            .isTrue()));
  }

  /**
   * All queries that ship, if Prometheus is installed; else the test's name says that it is not.
   */
  @TestFactory
  Stream<DynamicTest> aPrometheusCollectsAndAnswers() {
    Path program = MonitoringFiles.program("prometheus").orElse(null);
    if (program == null) {
      return Stream.of(
          DynamicTest.dynamicTest(
              "Prometheus is not installed (Debian: prometheus): no query was run",
              () -> System.err.println("Prometheus is not installed: no query was run")));
    }
    return Stream.of(
        DynamicTest.dynamicTest("queries that ship", () -> allQueriesAreAnswered(program)));
  }

  private static void allQueriesAreAnswered(Path program) throws IOException {
    List<String> servers = List.of(regionServer(), daemonPage(), master());
    try (Prometheus prometheus = new Prometheus(program, directory, servers)) {
      MiniCluster.await(
          "two looks at each server",
          () -> prometheus.samples("count_over_time(up[1m]) > 2 and up == 1") == 3);
      table.checkScan();
      for (Map.Entry<String, String> each : MonitoringFiles.queries().entrySet()) {
        String query = each.getValue().replace("$instance", ".*").replace("$__rate_interval", "1m");
        boolean isEmptyWhenAllIsWell = each.getKey().startsWith("rule") || query.endsWith("> 0");
        // One look at a server that does not answer in time leaves a hole.
        MiniCluster.await(
            each.getKey() + ": " + query,
            () -> prometheus.samples(query) > 0 || isEmptyWhenAllIsWell);
      }
      MiniCluster.await("reads", () -> prometheus.samples("ishbase_reads_total > 0") == 1);
    }
  }

  @Test
  void whatIsAskedIsCountedOnBothSides() throws IOException {
    MetricsPage before = page(regionServer());
    MetricsPage daemonBefore = page(daemonPage());
    table.checkScan();
    MetricsPage after = page(regionServer());
    MetricsPage daemonAfter = page(daemonPage());
    double reads = grown(before, after, Metric.READS);
    assertThat(reads).isPositive();
    assertThat(
            after.sum("ishbase_request_seconds_count")
                - before.sum("ishbase_request_seconds_count"))
        .isEqualTo(reads);
    assertThat(grown(before, after, Metric.CELLS))
        .isGreaterThanOrEqualTo(KnownTable.ROWS)
        .isEqualTo(grown(daemonBefore, daemonAfter, Metric.DAEMON_CELLS));
    assertThat(
            daemonAfter.sum("ishbase_daemon_answers_total", "code", "ok")
                - daemonBefore.sum("ishbase_daemon_answers_total", "code", "ok"))
        .isEqualTo(reads);
    assertThat(after.sum("ishbase_daemons_answering")).isEqualTo(1);
    assertThat(after.sum("ishbase_quarantined", "kind", "node")).isZero();
    assertThat(after.sum("ishbase_memory_used_bytes", "place", "memstores")).isPositive();
    assertThat(after.sum("ishbase_memory_limit_bytes", "place", "segment cache"))
        .isEqualTo(64 << 20);
  }

  private static double grown(MetricsPage before, MetricsPage after, Metric metric) {
    return after.sum(metric.prometheusName()) - before.sum(metric.prometheusName());
  }

  @Test
  void aDaemonsPageSaysWhatWasAskedAndByWhom() throws IOException {
    String before = text(daemonPage() + "/issn-status");
    assertThat(before).startsWith("<!DOCTYPE html>").doesNotContain("<script");
    table.checkScan();
    String page = text(daemonPage() + "/issn-status");
    Matcher row =
        Pattern.compile(
                "<td>default:watched</td><td>read</td><td>([^<]+)</td><td>127.0.0.1</td>"
                    + "<td class=\"n\">([0-9,]+)</td><td class=\"n\">([0-9,]+)</td>")
            .matcher(page);
    assertThat(row.find()).as(page).isTrue();
    assertThat(row.group(1)).isEqualTo(User.getCurrent().getShortName());
    assertThat(Integer.parseInt(row.group(3).replace(",", "")))
        .isGreaterThanOrEqualTo(KnownTable.ROWS);
    assertThat(page).contains("<svg", "Answers since the start", "Compactions");
  }

  @Test
  void aRegionServersPageSaysWhatItKnows() throws IOException {
    String page = text(regionServer() + "/ishbase-status");
    assertThat(page)
        .contains("IS-HBase at ", daemon.address().toString(), "Fallen back since the start")
        .doesNotContain("<script", "had other cells");
  }

  @Test
  void theMastersPageSaysWhatWorkersAreAt() throws IOException {
    String address = daemon.address().toString();
    MiniCluster.await(
        "the worker",
        () -> {
          try {
            return text(master() + "/ishbase-status").contains("<td>" + address + "</td>");
          } catch (IOException e) {
            throw new AssertionError(e);
          }
        });
    assertThat(text(master() + "/ishbase-status")).contains("Waiting for a worker", "Nobody.");
  }

  private static String text(String page) throws IOException {
    try (InputStream in = URI.create("http://" + page).toURL().openStream()) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @Test
  void topShowsThem() throws Exception {
    Configuration conf = cluster.util.getConfiguration();
    try (ClusterProbe probe = new ClusterProbe(conf);
        Looker looker = new Looker(cluster.util.getAdmin(), probe)) {
      Look before = looker.look();
      table.checkScan();
      Look after = looker.look();
      assertThat(after.regionServers()).hasSize(1).allMatch(server -> server.page() != null);
      assertThat(after.daemons()).hasSize(1).allMatch(server -> server.page() != null);
      String shown = new Screen(10).text(before, after);
      assertThat(shown)
          .startsWith("1 region servers, 1 storage daemons")
          .contains("compaction manager: 0 wait")
          .containsPattern("127.0.0.1:" + daemon.address().getPort() + " +(?!0\\.0 )[0-9.]+ +");
    }
  }

  /** The same figures, without help texts, are at HBase's own page, as docs/metrics.md says. */
  @Test
  void hbasesOwnPageHasThemToo() {
    MiniCluster.await(
        "the daemon's counters at /prometheus",
        () -> {
          try {
            return text(daemonPage() + "/prometheus").contains("reads_answers_ok{context=\"issn\"");
          } catch (IOException e) {
            throw new AssertionError(e);
          }
        });
  }
}
