package io.ishbase.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.cluster.MetricsPage;
import io.ishbase.cluster.WebPages;
import io.ishbase.core.Reason;
import io.ishbase.core.metric.Metric;
import io.ishbase.daemon.Issn;
import io.ishbase.plugin.master.CompactionManager;
import io.ishbase.plugin.metrics.InStorageMetrics;
import io.ishbase.plugin.node.StorageNodes;
import io.ishbase.protocol.Checksums;
import io.ishbase.protocol.Protocol;
import io.ishbase.protocol.generated.IssnProtos.Code;
import io.ishbase.protocol.generated.IssnProtos.IssnService;
import io.ishbase.protocol.generated.IssnProtos.ReadRequest;
import io.ishbase.protocol.metrics.InfoPages;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.ipc.RpcClient;
import org.apache.hadoop.hbase.ipc.RpcClientFactory;
import org.apache.hadoop.hbase.security.User;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hbase.thirdparty.com.google.gson.JsonArray;
import org.apache.hbase.thirdparty.com.google.gson.JsonElement;
import org.apache.hbase.thirdparty.com.google.gson.JsonPrimitive;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * What people see at a daemon's, a region server's and the master's page, in a real browser, while
 * one compaction is at work and another waits. Family, user and a table have names that are markup.
 */
class PagesInBrowserTest {
  private static final String MARKUP = "<img src=x onerror=\"document.title='run'\">&amp;'";
  private static final byte[] FAMILY = Bytes.toBytes(MARKUP);
  private static final TableName COMPACTED =
      TableName.valueOf("a_table_with_a_name_that_is_as_long_as_names_of_tables_get");
  private static final TableName WAITING = TableName.valueOf("waiting");
  private static final int FILES = 3;
  private static final int ROWS = 20;
  private static final int VALUE_BYTES = 50_000;
  private static final int REFUSED = 3;
  private static final int TIMEOUT_MILLIS = 20_000;
  private static final String DAEMON = "daemon";
  private static final String REGION_SERVER = "region server";
  private static final String MASTER = "master";

  /** Where pictures of the pages are left, for whoever wants to look at them. */
  private static final Path PICTURES = Path.of("target", "pages");

  /** What stands out of the window or has no size, and plots without a curve. */
  private static final String MISPLACED =
      """
      (() => {
        const wide = document.documentElement.clientWidth;
        const misplaced = [];
        const say = (e, what) => misplaced.push(e.tagName + ' ' + what + ': ' + e.outerHTML.slice(0, 300));
        if (document.documentElement.scrollWidth > wide) {
          misplaced.push('page: ' + document.documentElement.scrollWidth + ' of ' + wide);
        }
        for (const e of document.querySelectorAll('h1, h2, p, pre, table, figure, svg')) {
          const box = e.getBoundingClientRect();
          if (box.width < 1 || box.height < 1) say(e, 'has no size');
          if (box.left < 0 || box.right > wide) say(e, box.left + ' to ' + box.right + ' of ' + wide);
          if (e.tagName != 'TABLE' && e.scrollWidth > Math.ceil(box.width)) say(e, 'is cut off');
        }
        for (const e of document.querySelectorAll('svg')) {
          if (![...e.children].some(c => c.getBoundingClientRect().width > 1)) say(e, 'is empty');
        }
        return misplaced;
      })()""";

  @TempDir private static Path directory;
  private static MiniCluster cluster;
  private static Issn daemon;
  private static Chromium browser;
  private static final List<SteeredCompactor.Steering> COMPACTIONS = new ArrayList<>();
  private static final Map<String, String> ADDRESSES = new LinkedHashMap<>();
  private static final Map<String, Chromium.Tab> TABS = new TreeMap<>();

  /** If a Chromium is installed; else the test's name says that it is not. */
  @TestFactory
  Stream<DynamicTest> inABrowser() throws Exception {
    Path program = Chromium.program().orElse(null);
    if (program == null) {
      return Stream.of(
          DynamicTest.dynamicTest(
              "Chromium is not installed (Debian: chromium-headless-shell): no page was looked at",
              () -> System.err.println("Chromium is not installed: no page was looked at")));
    }
    start();
    browser = new Chromium(program, directory);
    for (Map.Entry<String, String> server : ADDRESSES.entrySet()) {
      TABS.put(server.getKey(), browser.tab());
    }
    return Stream.of(
        DynamicTest.dynamicTest("all is there", PagesInBrowserTest::allIsThere),
        DynamicTest.dynamicTest("names are text", PagesInBrowserTest::namesAreText),
        DynamicTest.dynamicTest("a daemon's figures", PagesInBrowserTest::aDaemonsFigures),
        DynamicTest.dynamicTest(
            "a region server's figures", PagesInBrowserTest::aRegionServersFigures),
        DynamicTest.dynamicTest("a master's figures", PagesInBrowserTest::aMastersFigures),
        DynamicTest.dynamicTest("pages are made anew", PagesInBrowserTest::pagesAreMadeAnew),
        DynamicTest.dynamicTest("nothing is amiss", PagesInBrowserTest::nothingIsAmiss));
  }

  private static void start() throws Exception {
    cluster =
        MiniCluster.start(
            1,
            conf -> {
              CompactionDifferentialTest.offload(conf);
              conf.set(
                  "hbase.hstore.defaultengine.compactor.class", SteeredCompactor.class.getName());
              conf.set("hbase.coprocessor.master.classes", CompactionManager.class.getName());
              conf.setInt("ishbase.manager.port", 0);
              conf.setInt("ishbase.compaction.patience", 600_000);
              conf.setInt("hbase.regionserver.thread.compaction.small", 2);
              conf.setInt("hbase.regionserver.info.port", 0);
              conf.setInt("hbase.master.info.port", 0);
              conf.setInt("ishbase.cache.bytes", 64 << 20);
              InfoPages.addTo(conf);
            });
    fill(COMPACTED);
    fill(WAITING);
    // Nobody is there to answer it.
    assertThat(read()).hasSize(ROWS);
    daemon =
        cluster.startDaemon(
            cluster.util.getDFSCluster().getDataNodes().get(0),
            conf -> {
              conf.setInt("ishbase.issn.info.port", 0);
              conf.setInt("ishbase.issn.compactions", 1);
            });
    var hbase = cluster.util.getMiniHBaseCluster();
    ADDRESSES.put(DAEMON, "127.0.0.1:" + daemon.infoPort() + "/issn-status");
    ADDRESSES.put(REGION_SERVER, status(hbase.getRegionServer(0).getInfoServer().getPort()));
    ADDRESSES.put(MASTER, status(hbase.getMaster().getInfoServer().getPort()));
    MiniCluster.await(
        "the manager",
        () -> StorageNodes.of(cluster.util.getConfiguration()).manager().isPresent());
    MiniCluster.await(
        "an answer from the daemon",
        () -> {
          long before = InStorageMetrics.get().cells();
          read();
          return InStorageMetrics.get().cells() > before;
        });
    compact(COMPACTED);
    awaitAtMaster(Metric.MANAGER_RUNNING, 1);
    compact(WAITING);
    awaitAtMaster(Metric.MANAGER_WAITING, 1);
  }

  private static String status(int port) {
    return "localhost:" + port + InfoPages.STATUS;
  }

  private static void fill(TableName name) throws IOException {
    cluster
        .util
        .getAdmin()
        .createTable(
            TableDescriptorBuilder.newBuilder(name)
                .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
                .setValue("hbase.hstore.compaction.min", "100")
                .build());
    try (Table table = cluster.connection().getTable(name)) {
      for (int file = 0; file < FILES; file++) {
        byte[] value = new byte[VALUE_BYTES];
        Arrays.fill(value, (byte) file);
        for (int row = 0; row < ROWS; row++) {
          table.put(new Put(Bytes.toBytes("row" + row)).addColumn(FAMILY, FAMILY, value));
        }
        cluster.util.flush(name);
      }
    }
  }

  private static List<String> read() {
    try {
      return ReadCheck.scan(
          cluster.connection(),
          COMPACTED,
          MiniCluster.in(MiniCluster.IN_STORAGE, new Scan().setCacheBlocks(false)));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** Begins a compaction that gets on so slowly that it is seen at work. */
  private static void compact(TableName name) throws IOException {
    SteeredCompactor.Steering slow = new SteeredCompactor.Steering(null, 10_000);
    COMPACTIONS.add(slow);
    SteeredCompactor.steer(name, slow);
    cluster.util.getAdmin().majorCompact(name);
  }

  private static void awaitAtMaster(Metric metric, double value) {
    MiniCluster.await(
        metric.prometheusName() + " to be " + value,
        () -> {
          try {
            return metrics(MASTER).sum(metric.prometheusName()) == value;
          } catch (IOException e) {
            throw new AssertionError(e);
          }
        });
  }

  /** Somebody with such a name asks the daemon for something with such a name. */
  private static void askForMarkup() throws Exception {
    Protocol.register();
    ReadRequest request =
        Checksums.sealed(
            ReadRequest.newBuilder()
                .setVersion(Protocol.VERSION)
                .setDirectory("/data/default/" + MARKUP + "/" + "0".repeat(32) + "/f")
                .setReadPoint(0)
                .build());
    User user = User.createUserForTesting(cluster.util.getConfiguration(), MARKUP, new String[0]);
    try (RpcClient client = RpcClientFactory.createClient(cluster.util.getConfiguration(), "it")) {
      assertThat(
              IssnService.newBlockingStub(
                      client.createBlockingRpcChannel(daemon.address(), user, TIMEOUT_MILLIS))
                  .read(null, request)
                  .getCode())
          .isEqualTo(Code.REFUSED);
    }
  }

  @AfterAll
  static void stop() throws Exception {
    COMPACTIONS.forEach(SteeredCompactor.Steering::letGo);
    if (browser != null) {
      browser.close();
    }
    if (cluster != null) {
      cluster.close();
    }
  }

  private static MetricsPage metrics(String server) throws IOException {
    return MetricsPage.of(
        WebPages.ofHBase(new Configuration(false)), ADDRESSES.get(server).replaceFirst("/.*", ""));
  }

  private static Chromium.Tab opened(String server) {
    Chromium.Tab tab = TABS.get(server);
    tab.open("http://" + ADDRESSES.get(server));
    return tab;
  }

  /** In a window, and on a telephone. */
  private static void allIsThere() throws IOException {
    Files.createDirectories(PICTURES);
    for (String server : ADDRESSES.keySet()) {
      Chromium.Tab tab = TABS.get(server);
      for (int width : List.of(1280, 400)) {
        tab.resize(width, 800, width == 400);
        // Curves have two looks at least.
        MiniCluster.await(
            "curves",
            () -> {
              opened(server);
              return tab.texts(MISPLACED).stream().noneMatch(what -> what.contains("is empty"));
            });
        String what = server.replace(' ', '-') + "-" + width;
        Files.write(PICTURES.resolve(what + ".png"), tab.picture());
        assertThat(tab.texts(MISPLACED)).as(what).isEmpty();
      }
      tab.resize(1280, 800, false);
      assertThat(tab.value("document.title").getAsString())
          .as(server)
          .startsWith("IS-HBase ")
          .isEqualTo(tab.value("document.querySelector('h1').innerText").getAsString());
      assertThat(tab.value("document.querySelectorAll('svg').length").getAsInt())
          .as(server)
          .isGreaterThan(1);
    }
    // Those of the others lead to HBase's pages, which need more than a mini cluster has.
    for (String link : TABS.get(DAEMON).texts("[...document.links].map(link => link.href)")) {
      try (InputStream in = URI.create(link).toURL().openStream()) {
        assertThat(in.read()).as(link).isNotNegative();
      }
    }
  }

  private static void namesAreText() {
    for (String server : ADDRESSES.keySet()) {
      Chromium.Tab tab = opened(server);
      assertThat(tab.value("document.body.innerText").getAsString()).as(server).contains(MARKUP);
      assertThat(tab.value("document.images.length").getAsInt()).as(server).isZero();
      assertThat(tab.value("document.title").getAsString()).as(server).isNotEqualTo("run");
    }
  }

  /** What stands below a heading. */
  private static String below(String heading) {
    return "[...document.querySelectorAll('h2')].find(h => h.innerText == "
        + new JsonPrimitive(heading)
        + ")?.nextElementSibling";
  }

  /**
   * The rows of the table below a heading, without the table's own head; none: as {@link #text}.
   */
  private static List<List<String>> rows(Chromium.Tab tab, String heading) {
    JsonArray rows =
        tab.value(
                "[...("
                    + below(heading)
                    + "?.rows ?? [])].slice(1).map(row => [...row.cells].map(cell => cell.innerText))")
            .getAsJsonArray();
    return StreamSupport.stream(rows.spliterator(), false)
        .map(
            row ->
                StreamSupport.stream(row.getAsJsonArray().spliterator(), false)
                    .map(JsonElement::getAsString)
                    .toList())
        .toList();
  }

  /** Empty: it is not there, as while the page is made anew. */
  private static String text(Chromium.Tab tab, String heading) {
    return tab.value(below(heading) + "?.innerText ?? ''").getAsString();
  }

  private static double number(String shown) {
    return Double.parseDouble(shown.replace(",", ""));
  }

  private static void aDaemonsFigures() throws Exception {
    read();
    for (int i = 0; i < REFUSED; i++) {
      askForMarkup();
    }
    MetricsPage before = metrics(DAEMON);
    Chromium.Tab tab = opened(DAEMON);
    MetricsPage after = metrics(DAEMON);
    String answers = Metric.DAEMON_ANSWERS.prometheusName();
    Map<String, Double> shown =
        rows(tab, "Answers since the start").stream()
            .collect(Collectors.toMap(row -> row.get(0), row -> number(row.get(1))));
    assertThat(shown.keySet()).contains("ok", "refused");
    shown.forEach(
        (code, count) ->
            assertThat(count)
                .as(code)
                .isBetween(before.sum(answers, "code", code), after.sum(answers, "code", code)));
    assertThat(rows(tab, "Asked in the last two minutes"))
        .anySatisfy(
            row ->
                assertThat(row)
                    .startsWith(
                        "default:" + MARKUP, "read", MARKUP, "127.0.0.1", REFUSED + "", "0"))
        .anySatisfy(
            row -> {
              assertThat(row).startsWith("default:" + COMPACTED, "read");
              assertThat(number(row.get(5))).isGreaterThanOrEqualTo(ROWS);
            });
    assertThat(rows(tab, "Compactions"))
        .singleElement()
        .satisfies(
            row -> {
              assertThat(row.get(0)).contains(COMPACTED.getNameAsString(), MARKUP);
              assertThat(row.get(2)).isEqualTo(FILES + "");
              assertThat(number(row.get(3)) * (1 << 20)).isGreaterThan(FILES * ROWS * VALUE_BYTES);
            });
    Set<String> counters =
        Stream.of(Metric.values())
            .map(Metric::prometheusName)
            .filter(name -> "counter".equals(after.types().get(name)))
            .collect(Collectors.toSet());
    assertThat(rows(tab, "All figures"))
        .filteredOn(row -> counters.contains(row.get(0)))
        .hasSizeGreaterThan(5)
        .allSatisfy(
            row ->
                assertThat(number(row.get(2)))
                    .as(row.toString())
                    .isBetween(
                        labelled(before, row.get(0), row.get(1)) - 0.5,
                        labelled(after, row.get(0), row.get(1)) + 0.5));
  }

  /** A figure whose only label, if it has one, has that value. */
  private static double labelled(MetricsPage page, String name, String label) {
    return page.samples().stream()
        .filter(sample -> sample.name().equals(name))
        .filter(sample -> label.isEmpty() || sample.labels().containsValue(label))
        .mapToDouble(MetricsPage.Sample::value)
        .sum();
  }

  private static void aRegionServersFigures() throws Exception {
    read();
    MetricsPage before = metrics(REGION_SERVER);
    Chromium.Tab tab = opened(REGION_SERVER);
    MetricsPage after = metrics(REGION_SERVER);
    String address = daemon.address().toString();
    assertThat(text(tab, "Storage daemons")).contains(address);
    assertThat(text(tab, "Left alone for a while")).isEqualTo("Nothing.");
    String fallbacks = Metric.FALLBACKS.prometheusName();
    String noDaemon = Metric.word(Reason.NO_DAEMON);
    assertThat(rows(tab, "Fallen back since the start"))
        .anySatisfy(
            row -> {
              assertThat(row).contains("NO_DAEMON", Reason.NO_DAEMON.description());
              assertThat(number(row.get(1)))
                  .isPositive()
                  .isBetween(
                      before.sum(fallbacks, "reason", noDaemon),
                      after.sum(fallbacks, "reason", noDaemon));
            });
    assertThat(text(tab, "Compactions at workers"))
        .contains(COMPACTED.getNameAsString(), MARKUP, address);
    assertThat(text(tab, "Segment cache, by store")).contains(COMPACTED + "/", MARKUP);
    assertThat(text(tab, "Memory")).isNotEqualTo("Nothing is known.");
  }

  private static void aMastersFigures() throws Exception {
    MetricsPage now = metrics(MASTER);
    Chromium.Tab tab = opened(MASTER);
    assertThat(rows(tab, "Waiting for a worker, the most urgent first"))
        .singleElement()
        .satisfies(
            row -> {
              assertThat(row.get(0)).contains(WAITING.getNameAsString(), MARKUP);
              assertThat(number(row.get(1)) * (1 << 20)).isGreaterThan(FILES * ROWS * VALUE_BYTES);
            });
    assertThat(now.sum(Metric.MANAGER_WORKERS.prometheusName())).isEqualTo(1);
    assertThat(rows(tab, "Workers"))
        .singleElement()
        .satisfies(
            row -> {
              assertThat(row).startsWith(daemon.address().toString(), "1", "1");
              assertThat(number(row.get(6)))
                  .isEqualTo(metrics(DAEMON).sum(Metric.WORKER_BEGUN.prometheusName()));
            });
    MiniCluster.await(
        "the newest look at these",
        () ->
            opened(MASTER)
                .value("document.querySelector('figure').innerText")
                .getAsString()
                .matches("(?s).*waiting 1\\s+running 1\\s+slots 1\\s*"));
  }

  /** By themselves, with what has happened since, and where the reader was. */
  private static void pagesAreMadeAnew() throws Exception {
    Map<String, Integer> loads = new TreeMap<>();
    for (String server : ADDRESSES.keySet()) {
      Chromium.Tab tab = opened(server);
      tab.resize(1280, 300, false);
      tab.value("scrollTo(0, 50)");
      loads.put(server, tab.loads());
    }
    double before = metrics(DAEMON).sum(Metric.WORKER_BEGUN.prometheusName());
    COMPACTIONS.forEach(SteeredCompactor.Steering::letGo);
    awaitAtMaster(Metric.MANAGER_WAITING, 0);
    MiniCluster.await(
        "the compactions",
        () ->
            Stream.of(COMPACTED, WAITING)
                .allMatch(
                    name ->
                        cluster.regions(name).get(0).getStore(FAMILY).getStorefilesCount() == 1));
    awaitAtMaster(Metric.MANAGER_RUNNING, 0);
    Chromium.Tab master = TABS.get(MASTER);
    MiniCluster.await(
        "nobody to wait in the browser",
        () ->
            text(master, "Waiting for a worker, the most urgent first").equals("Nobody.")
                && rows(master, "Workers").stream()
                    .anyMatch(row -> row.get(1).equals("0") && number(row.get(6)) == before + 1));
    for (String server : ADDRESSES.keySet()) {
      Chromium.Tab tab = TABS.get(server);
      MiniCluster.await("the next " + server, () -> tab.loads() > loads.get(server));
      MiniCluster.await("the place that was read", () -> tab.value("scrollY").getAsDouble() == 50);
    }
  }

  private static void nothingIsAmiss() {
    TABS.forEach(
        (server, tab) -> {
          String page = "http://" + ADDRESSES.get(server);
          assertThat(tab.faults()).as(server).isEmpty();
          assertThat(tab.requests()).as(server).isNotEmpty().containsOnly(page);
        });
  }
}
