package io.ishbase.cluster;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import org.apache.hadoop.hbase.ClusterMetrics;
import org.apache.hadoop.hbase.ServerMetrics;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hbase.thirdparty.com.google.gson.JsonArray;
import org.apache.hbase.thirdparty.com.google.gson.JsonElement;
import org.apache.hbase.thirdparty.com.google.gson.JsonObject;
import org.apache.hbase.thirdparty.com.google.gson.JsonParser;

/**
 * What a region server says of itself at its {@code /jmx} page. Unless it says what is there now, a
 * figure only grows while the server lives. HBase's own figures are as old as its metrics period
 * says.
 */
public final class RegionServerJmx {
  /**
   * What a region server knows of the storage nodes; there once it has a region of a user table.
   */
  public static final String STORAGE_NODES =
      "Hadoop:service=HBase,name=RegionServer,sub=InStorageNodes";

  /**
   * How what is quarantined begins for a store of which reads had other cells than HBase's; the
   * region's encoded name, {@code /}, and the family follow.
   */
  public static final String READS_OF = "reads of ";

  /** Bytes of the blocks that reads looked into, wherever those lie. */
  public static final String BLOCK_BYTES = "block bytes";

  private static final String IN_STORAGE = "Hadoop:service=HBase,name=RegionServer,sub=InStorage";
  private static final String FALLBACKS = "fallbacks";
  private static final String FALLBACKS_PREFIX = "Fallbacks_";

  private static final Map<String, String> IN_STORAGE_READS =
      Map.of(
          "Reads", "reads",
          "ReadsAgain", "again",
          "Hedges", "hedges",
          "Late", "late",
          "Doubts", "doubts",
          "Verified", "verified",
          "VerifyDifferences", "verifyDifferences",
          "Silences", "silences");

  private static final String CACHE_PREFIX = "Cache_";
  private static final String PATH = "/jmx?qry=";
  private static final int MOST_BYTES = 64 << 20;
  private static final Duration AWAY_LIMIT = Duration.ofSeconds(180);
  private static final long POLL_NANOS = Duration.ofMillis(200).toNanos();
  private static final String COLLECTORS = "java.lang:type=GarbageCollector,name=*";
  private static final String SERVER = "Hadoop:service=HBase,name=RegionServer,sub=Server";

  /** A histogram's: it is there when all are. */
  private static final String FLUSHES = "FlushTime_num_ops";

  /** What a region server counts of offloaded compactions. */
  private static final String COMPACTIONS =
      "Hadoop:service=HBase,name=RegionServer,sub=InStorageCompactions";

  /** Of a store in the list of those that are cached. */
  private static final Pattern FIGURE = Pattern.compile("(\\w+)=(\\d+)");

  private final WebPages pages;
  private final String address;

  /** Attributes that it has shown. */
  private final Set<String> shown = ConcurrentHashMap.newKeySet();

  private RegionServerJmx(WebPages pages, String address) {
    this.pages = pages;
    this.address = address;
  }

  /**
   * The page of a region server.
   *
   * @throws IOException if the server is not alive, or has no web pages
   */
  public static RegionServerJmx of(Admin admin, ServerName server) throws IOException {
    ServerMetrics metrics =
        admin
            .getClusterMetrics(EnumSet.of(ClusterMetrics.Option.LIVE_SERVERS))
            .getLiveServerMetrics()
            .get(server);
    if (metrics == null) {
      throw new IOException(server + " is not alive");
    }
    if (metrics.getInfoServerPort() <= 0) {
      throw new IOException(server + " has no web pages: hbase.regionserver.info.port");
    }
    return new RegionServerJmx(
        WebPages.ofHBase(admin.getConfiguration()),
        server.getHostname() + ":" + metrics.getInfoServerPort());
  }

  /** Garbage collection since the start: {@code GC pauses} and {@code GC ms}. */
  public Map<String, Double> garbageCollection() throws IOException {
    double pauses = 0;
    double millis = 0;
    for (JsonElement bean : beans(COLLECTORS)) {
      pauses += number(bean.getAsJsonObject(), "CollectionCount");
      millis += number(bean.getAsJsonObject(), "CollectionTime");
    }
    return new TreeMap<>(Map.of("GC pauses", pauses, "GC ms", millis));
  }

  /**
   * Reads of storage since the start, as {@code storage reads}: data blocks that its block cache
   * did not have, and requests to storage nodes.
   */
  public Map<String, Double> storageReads() throws IOException {
    double blocks = number(server(), "blockCacheDataMissCount");
    double requests = attribute(IN_STORAGE, "Requests").map(JsonElement::getAsDouble).orElse(0.0);
    return Map.of("storage reads", blocks + requests);
  }

  /**
   * Of in-storage reads since the start: {@code reads} sent to storage nodes, {@code again}, of
   * these such that were sent alone after they shared a request, {@code hedges}, requests that went
   * to another node because one was late or silent, {@code late} answers, {@code doubts}, {@code
   * silences}, and {@code fallbacks} to HBase's own path, all and, behind a comma, by reason.
   */
  public Map<String, Double> inStorageReads() throws IOException {
    Map<String, Double> counters = new TreeMap<>();
    IN_STORAGE_READS.forEach((attribute, name) -> counters.put(name, 0.0));
    counters.put(FALLBACKS, 0.0);
    for (JsonElement bean : lasting(IN_STORAGE, "Reads")) {
      bean.getAsJsonObject()
          .entrySet()
          .forEach(
              entry -> {
                String attribute = entry.getKey();
                if (IN_STORAGE_READS.containsKey(attribute)) {
                  counters.put(IN_STORAGE_READS.get(attribute), entry.getValue().getAsDouble());
                } else if (attribute.startsWith(FALLBACKS_PREFIX)) {
                  String reason = attribute.substring(FALLBACKS_PREFIX.length());
                  double count = entry.getValue().getAsDouble();
                  counters.put(FALLBACKS + ", " + reason.replace('_', ' '), count);
                  counters.merge(FALLBACKS, count, Double::sum);
                }
              });
    }
    return counters;
  }

  /** What it leaves alone for a while because it failed: nodes, files, filters. */
  public List<String> quarantined() throws IOException {
    List<String> names = new ArrayList<>();
    attribute(STORAGE_NODES, "Quarantined")
        .ifPresent(all -> all.getAsJsonArray().forEach(name -> names.add(name.getAsString())));
    return names;
  }

  /** How a read would be done that was to be explained under a name; empty: it was not here. */
  public List<String> explanation(String name) throws IOException {
    List<String> lines = new ArrayList<>();
    attribute(STORAGE_NODES, "Explanations")
        .ifPresent(
            all ->
                all.getAsJsonArray()
                    .forEach(
                        entry -> {
                          JsonObject explanation = entry.getAsJsonObject();
                          if (explanation.get("key").getAsString().equals(name)) {
                            explanation
                                .get("value")
                                .getAsJsonArray()
                                .forEach(line -> lines.add(line.getAsString()));
                          }
                        }));
    return lines;
  }

  /**
   * Of its block cache: lookups of data blocks since the start, {@code hits} and {@code misses},
   * {@code lookups} of any block, and what it holds now, {@code data blocks} and {@code bytes}.
   * HBase does not say of the blocks that a scan goes on to what they are: those are in {@code
   * lookups} alone.
   */
  public Map<String, Double> blockCache() throws IOException {
    JsonObject bean = server();
    return new TreeMap<>(
        Map.of(
            "hits",
            number(bean, "blockCacheDataHitCount"),
            "misses",
            number(bean, "blockCacheDataMissCount"),
            "lookups",
            number(bean, "blockCacheHitCount") + number(bean, "blockCacheMissCount"),
            "data blocks",
            number(bean, "blockCacheDataBlockCount"),
            "bytes",
            number(bean, "blockCacheSize")));
  }

  /** {@link #BLOCK_BYTES} of all reads since the start, as HBase counts them. */
  public Map<String, Double> blocksRead() throws IOException {
    return Map.of(BLOCK_BYTES, number(server(), "blockBytesScannedCount"));
  }

  /**
   * What its segment cache holds now of open stores whose names begin with {@code prefix}, summed,
   * by the names of {@code CacheStats}; empty if there are none.
   */
  public Map<String, Double> cachedStores(String prefix) throws IOException {
    Map<String, Double> sums = new TreeMap<>();
    attribute(STORAGE_NODES, "CachedStores")
        .ifPresent(
            all ->
                all.getAsJsonArray()
                    .forEach(
                        line -> {
                          if (line.getAsString().startsWith(prefix)) {
                            FIGURE
                                .matcher(line.getAsString())
                                .results()
                                .forEach(
                                    figure ->
                                        sums.merge(
                                            figure.group(1),
                                            Double.parseDouble(figure.group(2)),
                                            Double::sum));
                          }
                        }));
    return sums;
  }

  /** What its segment cache shows of itself, by the names of {@code CacheStats}. */
  public Map<String, Double> segmentCache() throws IOException {
    Map<String, Double> gauges = new TreeMap<>();
    for (JsonElement bean : lasting(IN_STORAGE, CACHE_PREFIX + "hits")) {
      bean.getAsJsonObject()
          .entrySet()
          .forEach(
              entry -> {
                if (entry.getKey().startsWith(CACHE_PREFIX)) {
                  gauges.put(
                      entry.getKey().substring(CACHE_PREFIX.length()),
                      entry.getValue().getAsDouble());
                }
              });
    }
    return gauges;
  }

  /**
   * HFiles written since the start: {@code flushes}, {@code flushed bytes}, {@code compacted
   * bytes}.
   */
  public Map<String, Double> writes() throws IOException {
    JsonObject bean = server();
    return new TreeMap<>(
        Map.of(
            "flushes", number(bean, FLUSHES),
            "flushed bytes", number(bean, "flushedOutputBytes"),
            "compacted bytes", number(bean, "compactedOutputBytes")));
  }

  /**
   * Waiting for memstores since the start: {@code blocked ms}, in which writes waited because all
   * memstores together were too large, and {@code blocked requests}, refused because a region's
   * was; those of the regions that it has now.
   */
  public Map<String, Double> stalls() throws IOException {
    JsonObject bean = server();
    return Map.of(
        "blocked ms", number(bean, "updatesBlockedTime"),
        "blocked requests", number(bean, "blockedRequestCount"));
  }

  /** Whether it warms its block cache after an offloaded compaction. */
  public boolean isWarming() throws IOException {
    return offload("WarmUpsUnderWay") > 0;
  }

  /**
   * Of offloaded compactions since the start: {@code Offloaded}, their number, {@code
   * OffloadedBytes}, bytes of the files, {@code ControlBytes}, of requests and answers, and {@code
   * HeldBackMillis}, for how long workers paused.
   */
  public Map<String, Double> offloads() throws IOException {
    Map<String, Double> all = new TreeMap<>();
    for (String name : List.of("Offloaded", "OffloadedBytes", "ControlBytes", "HeldBackMillis")) {
      all.put(name, offload(name));
    }
    return all;
  }

  private double offload(String name) throws IOException {
    return attribute(COMPACTIONS, name).map(JsonElement::getAsDouble).orElse(0.0);
  }

  private JsonObject server() throws IOException {
    return present(SERVER, FLUSHES).get(0).getAsJsonObject();
  }

  /**
   * A bean that has that attribute from its first use on, as it is: once it has shown it, away only
   * as all others are.
   */
  private JsonArray lasting(String bean, String attribute) throws IOException {
    JsonArray beans = shown.contains(attribute) ? present(bean, attribute) : beans(bean);
    if (!beans.isEmpty() && beans.get(0).getAsJsonObject().has(attribute)) {
      shown.add(attribute);
    }
    return beans;
  }

  /** A bean once it is there with that attribute, the only element. */
  private JsonArray present(String bean, String attribute) throws IOException {
    // HBase takes its figures away for some seconds when it opens or closes a region, and brings
    // them back one by one.
    long deadline = System.nanoTime() + AWAY_LIMIT.toNanos();
    JsonArray beans = beans(bean);
    while (beans.isEmpty() || !beans.get(0).getAsJsonObject().has(attribute)) {
      if (System.nanoTime() > deadline) {
        throw new IOException(address + PATH + bean + ": nothing there");
      }
      LockSupport.parkNanos(POLL_NANOS);
      beans = beans(bean);
    }
    return beans;
  }

  /** An attribute of a bean, if there are both. */
  public Optional<JsonElement> attribute(String bean, String name) throws IOException {
    JsonArray beans = beans(bean);
    return beans.isEmpty()
        ? Optional.empty()
        : Optional.ofNullable(beans.get(0).getAsJsonObject().get(name));
  }

  private JsonArray beans(String query) throws IOException {
    return JsonParser.parseString(pages.read(address, PATH + query, MOST_BYTES).text())
        .getAsJsonObject()
        .getAsJsonArray("beans");
  }

  private double number(JsonObject bean, String name) throws IOException {
    JsonElement value = bean.get(name);
    if (value == null) {
      throw new IOException(address + ": no " + name);
    }
    return value.getAsDouble();
  }
}
