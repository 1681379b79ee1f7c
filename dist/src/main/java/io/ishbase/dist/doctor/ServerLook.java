package io.ishbase.dist.doctor;

import io.ishbase.cluster.RegionServerJmx;
import io.ishbase.cluster.WebPages;
import io.ishbase.cluster.sample.ServerPage;
import io.ishbase.core.Reason;
import io.ishbase.core.metric.Metric;
import io.ishbase.dist.JvmSizes;
import io.ishbase.dist.doctor.ClusterFacts.HdfsReads;
import io.ishbase.dist.doctor.ClusterFacts.Memory;
import io.ishbase.dist.doctor.ClusterFacts.PlugInFacts;
import io.ishbase.dist.doctor.ClusterFacts.RegionServer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.hbase.ServerMetrics;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hbase.thirdparty.com.google.gson.JsonElement;
import org.apache.hbase.thirdparty.com.google.gson.JsonPrimitive;

/** What the page of one server shows. What it does not show is said, and the rest goes on. */
final class ServerLook {
  private static final String IN_STORAGE = "Hadoop:service=HBase,name=RegionServer,sub=InStorage";
  private static final String DAEMON = "Hadoop:service=HBase,name=Issn,sub=Reads";
  private static final String RUNTIME = "java.lang:type=Runtime";
  private static final String MEMORY = "java.lang:type=Memory";

  private static final int LOOKS = 10;
  private static final long BETWEEN_LOOKS_NANOS = 300_000_000;

  private final ServerPage page;

  ServerLook(ServerPage page) {
    this.page = page;
  }

  /** Something that a page is asked for. */
  interface Question<T> {
    T ask() throws IOException;
  }

  static <T> Seen<T> seen(Question<T> question) {
    try {
      return Seen.of(question.ask());
    } catch (IOException e) {
      return Seen.not(first(e));
    }
  }

  /** The first line of what went wrong. */
  static String first(Throwable e) {
    return e.toString().lines().findFirst().orElse("").replaceFirst("^[\\w.$]+Exception: ", "");
  }

  /** A region server of which HBase has no page: HBase's own figures are all there is. */
  static RegionServer unseen(ServerName server, String release, String why) {
    return new RegionServer(
        name(server), release, Seen.not(why), Seen.not(why), Seen.not(why), Seen.not(why));
  }

  /** The settings of a region server. */
  static Seen<Map<String, String>> settings(
      WebPages pages, ServerName server, ServerMetrics metrics) {
    return metrics.getInfoServerPort() <= 0
        ? Seen.not("its page is switched off (hbase.regionserver.info.port)")
        : of(pages, server, metrics).settings();
  }

  private static ServerLook of(WebPages pages, ServerName server, ServerMetrics metrics) {
    return new ServerLook(
        new ServerPage(pages, server.getHostname() + ":" + metrics.getInfoServerPort()));
  }

  static RegionServer regionServer(
      WebPages pages, ServerName server, ServerMetrics metrics, String release) {
    Seen<Map<String, String>> settings = settings(pages, server, metrics);
    if (settings.value().isEmpty()) {
      // Whatever keeps one question from being answered keeps the others, and each takes its time.
      return unseen(server, release, settings.whyNot());
    }
    ServerLook look = of(pages, server, metrics);
    return new RegionServer(
        name(server),
        release,
        settings,
        seen(look::plugIn),
        seen(look::memory),
        seen(look.page::clock));
  }

  private static String name(ServerName server) {
    return server.getHostname() + "," + server.getPort();
  }

  Seen<Map<String, String>> settings() {
    return seen(page::configuration);
  }

  ServerPage page() {
    return page;
  }

  private Map<String, JsonElement> bean(String name) throws IOException {
    return page.attributes(name)
        .orElseThrow(() -> new IOException("no bean " + name.substring(name.indexOf(':') + 1)));
  }

  private PlugInFacts plugIn() throws IOException {
    Map<String, JsonElement> nodes = bean(RegionServerJmx.STORAGE_NODES);
    Map<String, JsonElement> counts = counts();
    Map<Reason, Long> fallbacks = new EnumMap<>(Reason.class);
    for (Reason reason : Reason.values()) {
      long count = number(counts, "Fallbacks_" + Metric.word(reason));
      if (count > 0) {
        fallbacks.put(reason, count);
      }
    }
    return new PlugInFacts(
        nodes.get("Release") instanceof JsonPrimitive release ? release.getAsString() : "",
        texts(nodes.get("Daemons")).stream()
            .map(daemon -> daemon.replaceFirst(", load \\d+ %$", ""))
            .toList(),
        texts(nodes.get("Quarantined")),
        number(counts, "LatencyMicros_num_ops"),
        number(counts, "VerifyDifferences"),
        fallbacks);
  }

  // HBase takes it away for some moments while a region opens; without it nothing has been counted.
  private Map<String, JsonElement> counts() throws IOException {
    Optional<Map<String, JsonElement>> counts = page.attributes(IN_STORAGE);
    for (int look = 1; counts.isEmpty() && look < LOOKS; look++) {
      LockSupport.parkNanos(BETWEEN_LOOKS_NANOS);
      counts = page.attributes(IN_STORAGE);
    }
    return counts.orElse(Map.of());
  }

  private Memory memory() throws IOException {
    OptionalLong direct =
        JvmSizes.direct(String.join("\n", texts(bean(RUNTIME).get("InputArguments"))));
    long directBytes =
        direct.isPresent() && direct.getAsLong() > 0 ? direct.getAsLong() : heapBytes();
    long segments = number(counts(), "Cache_budgetBytes");
    return new Memory(directBytes, segments > 0 ? OptionalLong.of(segments) : OptionalLong.empty());
  }

  private long heapBytes() throws IOException {
    JsonElement heap = bean(MEMORY).get("HeapMemoryUsage");
    if (heap == null || !heap.isJsonObject()) {
      throw new IOException("no heap is shown");
    }
    return number(heap.getAsJsonObject().asMap(), "max");
  }

  /** Of a daemon's page. */
  HdfsReads hdfsReads() throws IOException {
    Map<String, JsonElement> bean = bean(DAEMON);
    return new HdfsReads(number(bean, "HdfsBytes"), number(bean, "HdfsShortCircuitBytes"));
  }

  private static long number(Map<String, JsonElement> bean, String name) {
    return bean.get(name) instanceof JsonPrimitive value && value.isNumber()
        ? value.getAsLong()
        : 0;
  }

  private static List<String> texts(JsonElement list) {
    List<String> texts = new ArrayList<>();
    if (list != null && list.isJsonArray()) {
      list.getAsJsonArray()
          .forEach(
              each ->
                  texts.add(each instanceof JsonPrimitive text ? text.getAsString() : "" + each));
    }
    return texts;
  }
}
