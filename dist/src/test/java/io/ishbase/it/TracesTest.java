package io.ishbase.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.daemon.Issn;
import io.ishbase.plugin.metrics.InStorageMetrics;
import io.ishbase.protocol.Spans;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.testing.junit5.OpenTelemetryExtension;
import io.opentelemetry.sdk.trace.data.LinkData;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.trace.HBaseSemanticAttributes;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What a client asks is one trace: the client, the region server, the daemon, its files. */
@OwnJvm
class TracesTest {
  private static final int THREADS = Math.max(16, 4 * Runtime.getRuntime().availableProcessors());
  private static final String READ = "ishbase.IssnService/Read";

  @RegisterExtension
  static final OpenTelemetryExtension TELEMETRY = OpenTelemetryExtension.create();

  private static MiniCluster cluster;

  private interface Action {
    void run() throws IOException;
  }

  @BeforeAll
  static void start() throws Exception {
    cluster =
        MiniCluster.start(
            1,
            conf -> {
              CompactionDifferentialTest.offload(conf);
              conf.setInt("hbase.regionserver.handler.count", THREADS);
            });
  }

  @AfterAll
  static void stop() throws Exception {
    cluster.close();
  }

  private static Configuration daemonConf() {
    DataNode dataNode = cluster.util.getDFSCluster().getDataNodes().get(0);
    return cluster.daemonConf(dataNode);
  }

  /** Runs {@code action} as one trace, whose id it returns. */
  private static String traced(Action action) throws IOException {
    Span span = TELEMETRY.getOpenTelemetry().getTracer("test").spanBuilder("test").startSpan();
    try (Scope ignored = span.makeCurrent()) {
      action.run();
    } finally {
      span.end();
    }
    return span.getSpanContext().getTraceId();
  }

  private static Trace trace(Action action) throws IOException {
    return Trace.await(traced(action), "test", TELEMETRY::getSpans);
  }

  @Test
  void aGetIsOneTrace() throws Exception {
    try (KnownTable table = new KnownTable(cluster, "one");
        Issn daemon = new Issn(daemonConf())) {
      daemon.start();
      table.awaitInStorage();
      long cells = InStorageMetrics.get().cells();
      Trace trace = trace(() -> table.checkGets(1));
      System.out.println(trace);
      long received = InStorageMetrics.get().cells() - cells;
      SpanData scanner = trace.one("InStorage.getScanner");
      assertThat(trace.path(scanner)).as("%s", trace).contains("Region.get");
      assertThat(Trace.get(scanner, Spans.ROUTE)).isEqualTo("in-storage");
      assertThat(Trace.get(scanner, Spans.FAMILY)).isEqualTo("f");
      assertThat(Trace.get(scanner, HBaseSemanticAttributes.TABLE_KEY)).isEqualTo("one");
      SpanData read = trace.one("InStorage.read");
      assertThat(trace.parent(read)).isEqualTo(scanner);
      assertThat(Trace.get(read, Spans.NODE)).isNotEmpty();
      assertThat(Trace.get(read, Spans.FILES)).isBetween(1L, 3L);
      assertThat(Trace.get(read, Spans.CELLS)).isEqualTo(received).isPositive();
      SpanData answered = trace.one("Issn.read");
      assertThat(trace.path(answered))
          .as("%s", trace)
          .contains("InStorage.getScanner > InStorage.read > ");
      assertThat(trace.parent(answered).getKind()).isEqualTo(SpanKind.SERVER);
      assertThat(Trace.get(answered, Spans.CODE)).isEqualTo("ok");
      for (var same : List.of(Spans.FILES, Spans.CELLS, Spans.BYTES, Spans.BLOCK_BYTES)) {
        assertThat(Trace.get(answered, same))
            .as("%s", same)
            .isEqualTo(Trace.get(read, same))
            .isPositive();
      }
      assertThat(Trace.get(answered, Spans.EXAMINED)).isGreaterThanOrEqualTo(received);
      // No block of this table is much larger than 1 KB.
      long blocks = Trace.get(answered, Spans.BLOCKS);
      assertThat(blocks).isBetween(1L, Trace.get(read, Spans.FILES));
      assertThat(Trace.get(answered, Spans.BLOCK_BYTES)).isBetween(blocks * 512, blocks * 2048);
    }
  }

  @Test
  void whatIsNotRecordedHasNoSpans() throws Exception {
    try (KnownTable table = new KnownTable(cluster, "stock")) {
      Trace trace = trace(() -> table.scan(MiniCluster.STOCK));
      assertThat(trace.spans()).noneMatch(span -> span.getName().startsWith("InStorage."));
    }
  }

  /** Of HBase's asynchronous client: each call of the other one's scanner begins a trace. */
  @Test
  void aScanOfManyAnswersIsOneTrace() throws Exception {
    try (KnownTable table = new KnownTable(cluster, "long");
        AsyncConnection client =
            ConnectionFactory.createAsyncConnection(cluster.util.getConfiguration()).get();
        Issn daemon = new Issn(daemonConf())) {
      daemon.start();
      table.awaitInStorage();
      Scan scan = MiniCluster.in(MiniCluster.IN_STORAGE, new Scan()).setCaching(100);
      Trace trace =
          trace(
              () ->
                  assertThat(client.getTable(table.name()).scanAll(scan).join())
                      .hasSize(KnownTable.ROWS));
      List<SpanData> reads = trace.named("InStorage.read");
      assertThat(reads).hasSizeGreaterThan(1);
      assertThat(trace.named("Issn.read")).hasSameSizeAs(reads);
      assertThat(reads).noneMatch(read -> read.getStatus().getStatusCode() == StatusCode.ERROR);
    }
  }

  @Test
  void whatGoesHomeSaysWhy() throws Exception {
    try (KnownTable table = new KnownTable(cluster, "home");
        FaultyProxy proxy = new FaultyProxy()) {
      Trace trace = trace(() -> table.checkGets(1));
      SpanData scanner = trace.one("InStorage.getScanner");
      assertThat(Trace.get(scanner, Spans.ROUTE)).isEqualTo("block");
      assertThat(Trace.events(scanner, "fallback", Spans.FALLBACK)).containsExactly("no_daemon");
      Configuration conf = daemonConf();
      proxy.standBefore(conf);
      try (Issn daemon = new Issn(conf)) {
        daemon.start();
        table.awaitInStorage();
        proxy.set(FaultyProxy.Mode.CUT);
        trace = trace(() -> table.checkGets(1));
        scanner = trace.one("InStorage.getScanner");
        assertThat(Trace.get(scanner, Spans.ROUTE)).isEqualTo("in-storage");
        assertThat(Trace.events(scanner, "fallback", Spans.FALLBACK))
            .containsExactly("unreachable");
        SpanData read = trace.one("InStorage.read");
        assertThat(Trace.get(read, Spans.FALLBACK)).isEqualTo("unreachable");
        assertThat(read.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
        assertThat(trace.named("Issn.read")).isEmpty();
      }
    }
  }

  @Test
  void readsThatShareARequestAreLinked() throws Exception {
    try (KnownTable table = new KnownTable(cluster, "shared");
        Issn daemon = new Issn(daemonConf())) {
      daemon.start();
      table.awaitInStorage();
      Trace trace = Trace.await(traceOfSharedRequest(table), "test", TELEMETRY::getSpans);
      SpanData shared = trace.named("InStorage.sharedRead").get(0);
      assertThat(trace.parent(shared).getName()).isEqualTo("InStorage.read");
      long reads = Trace.get(shared, Spans.READS);
      assertThat(shared.getLinks()).hasSize((int) reads);
      long index = 0;
      for (LinkData link : shared.getLinks()) {
        String reader = link.getSpanContext().getTraceId();
        SpanData read =
            Trace.await(reader, "test", TELEMETRY::getSpans).spans().stream()
                .filter(span -> span.getSpanId().equals(link.getSpanContext().getSpanId()))
                .findFirst()
                .orElseThrow();
        assertThat(read.getName()).isEqualTo("InStorage.read");
        assertThat(read.getLinks())
            .extracting(LinkData::getSpanContext)
            .extracting("spanId")
            .contains(shared.getSpanId());
        assertThat(Trace.get(read, Spans.INDEX)).isEqualTo(index++);
      }
      SpanData server = trace.children(trace.children(shared).get(0)).get(0);
      assertThat(server.getKind()).isEqualTo(SpanKind.SERVER);
      assertThat(trace.named("Issn.read")).isNotEmpty();
    }
  }

  /** The id of a trace with one, of Gets of many threads, each a trace. */
  private static String traceOfSharedRequest(KnownTable table) throws Exception {
    AtomicBoolean isOver = new AtomicBoolean();
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    List<Future<?>> readers = new ArrayList<>();
    try {
      for (int i = 0; i < THREADS; i++) {
        readers.add(
            threads.submit(
                () -> {
                  while (!isOver.get()) {
                    traced(() -> table.checkGets(1));
                  }
                  return null;
                }));
      }
      MiniCluster.await("Gets to share requests", () -> !sharedRequests().isEmpty());
    } finally {
      isOver.set(true);
      threads.shutdown();
    }
    for (Future<?> reader : readers) {
      reader.get();
    }
    return sharedRequests().get(0).getTraceId();
  }

  private static List<SpanData> sharedRequests() {
    return TELEMETRY.getSpans().stream()
        .filter(span -> span.getName().equals("InStorage.sharedRead"))
        .toList();
  }

  @Test
  void aCompactionIsOneTrace() throws Exception {
    cluster.startDaemons();
    try {
      CompactedTable table = new CompactedTable(cluster, "compacted", 100);
      long bytes =
          table.store().getStorefiles().stream()
              .mapToLong(file -> file.getFileInfo().getSize())
              .sum();
      table.requestMajorCompaction();
      table.awaitCompacted();
      table.check();
      MiniCluster.await("the span of the compaction", () -> compaction("compacted") != null);
      Trace trace =
          Trace.await(compaction("compacted").getTraceId(), "Issn.compact", TELEMETRY::getSpans);
      SpanData compaction = trace.one("InStorage.compact");
      assertThat(compaction.getParentSpanContext().isValid()).isFalse();
      assertThat(Trace.get(compaction, Spans.FILES)).isEqualTo(4);
      assertThat(Trace.get(compaction, Spans.BYTES)).isEqualTo(bytes);
      SpanData attempt = trace.one("InStorage.compactAt");
      assertThat(trace.parent(attempt)).isEqualTo(compaction);
      assertThat(Trace.get(attempt, Spans.HELD_BACK)).isNotNegative();
      SpanData carriedOut = trace.one("Issn.compact");
      assertThat(trace.path(carriedOut))
          .as("%s", trace)
          .startsWith("InStorage.compact > InStorage.compactAt > ");
      assertThat(Trace.get(carriedOut, Spans.FILES)).isEqualTo(4);
      assertThat(Trace.get(carriedOut, Spans.BYTES)).isEqualTo(bytes);
      assertThat(Trace.get(carriedOut, Spans.CELLS))
          .isEqualTo(Trace.get(attempt, Spans.CELLS))
          .isPositive();
    } finally {
      cluster.stopDaemons();
    }
  }

  private static SpanData compaction(String table) {
    return TELEMETRY.getSpans().stream()
        .filter(span -> span.getName().equals("InStorage.compact"))
        .filter(span -> table.equals(Trace.get(span, HBaseSemanticAttributes.TABLE_KEY)))
        .findFirst()
        .orElse(null);
  }
}
