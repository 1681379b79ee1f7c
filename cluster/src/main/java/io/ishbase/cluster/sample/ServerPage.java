package io.ishbase.cluster.sample;

import io.ishbase.cluster.WebPages;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.hbase.ServerMetrics;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hbase.thirdparty.com.google.gson.JsonArray;
import org.apache.hbase.thirdparty.com.google.gson.JsonElement;
import org.apache.hbase.thirdparty.com.google.gson.JsonObject;
import org.apache.hbase.thirdparty.com.google.gson.JsonParseException;
import org.apache.hbase.thirdparty.com.google.gson.JsonParser;

/**
 * The web page of a server of HBase or HDFS: its figures and its configuration. Whatever else
 * answers there is an IOException.
 */
public final class ServerPage {
  /** Some ten times the page of a server with thousands of regions. */
  private static final int MOST_BYTES = 64 << 20;

  private static final String SERVER = "Hadoop:service=HBase,name=RegionServer,sub=Server";
  private static final String REGIONS = "Hadoop:service=HBase,name=RegionServer,sub=Regions";
  private static final String MACHINE = "java.lang:type=OperatingSystem";
  private static final String DATA_NODES = "Hadoop:service=NameNode,name=FSNamesystemState";
  private static final Pattern OF_REGION =
      Pattern.compile(".*_region_([0-9a-f]{32})_metric_(\\w+)");

  private final WebPages pages;
  private final String address;

  /**
   * @param address as in {@code host:port}
   */
  public ServerPage(WebPages pages, String address) {
    this.pages = pages;
    this.address = address;
  }

  static ServerPage of(WebPages pages, ServerName server, ServerMetrics metrics) {
    return new ServerPage(pages, server.getHostname() + ":" + metrics.getInfoServerPort());
  }

  /** What its regions count, by their encoded names: each figure by its name. */
  Map<String, Map<String, Long>> regions() throws IOException {
    Map<String, Map<String, Long>> regions = new HashMap<>();
    checked(() -> bean(REGIONS))
        .ifPresent(
            bean ->
                bean.entrySet()
                    .forEach(
                        figure -> {
                          Matcher name = OF_REGION.matcher(figure.getKey());
                          if (name.matches() && isNumber(figure.getValue())) {
                            regions
                                .computeIfAbsent(name.group(1), region -> new HashMap<>())
                                .put(name.group(2), figure.getValue().getAsLong());
                          }
                        }));
    return regions;
  }

  /** Processors of its machine. */
  Optional<Double> processors() throws IOException {
    return checked(
        () -> bean(MACHINE).map(bean -> bean.get("AvailableProcessors")).map(ServerPage::number));
  }

  /** Bytes of its block cache, in use or not. */
  Optional<Double> blockCacheBytes() throws IOException {
    return checked(
        () ->
            bean(SERVER)
                .filter(bean -> bean.has("blockCacheSize") && bean.has("blockCacheFreeSize"))
                .map(
                    bean ->
                        number(bean.get("blockCacheSize"))
                            + number(bean.get("blockCacheFreeSize"))));
  }

  /** DataNodes that a NameNode has heard of lately; none of another server. */
  Optional<Integer> dataNodes() throws IOException {
    return checked(
        () ->
            bean(DATA_NODES)
                .map(bean -> bean.get("NumLiveDataNodes"))
                .map(nodes -> (int) number(nodes)));
  }

  /** Its configuration. */
  public Map<String, String> configuration() throws IOException {
    return checked(this::properties);
  }

  /**
   * What a bean shows, by the names of its attributes: text and numbers as they are, lists and the
   * rest as JSON.
   *
   * @return empty if there is no such bean
   */
  public Optional<Map<String, JsonElement>> attributes(String bean) throws IOException {
    return checked(() -> bean(bean).map(JsonObject::asMap));
  }

  /** How its clock differs from that of this process. */
  public ClockOffset clock() throws IOException {
    long before = System.currentTimeMillis();
    long date =
        pages.read(address, "/jmx?qry=java.lang:type=ClassLoading", MOST_BYTES).dateMillis();
    long after = System.currentTimeMillis();
    if (date == 0) {
      throw new IOException(address + " does not say what time it is");
    }
    return ClockOffset.of(date, before, after);
  }

  private Map<String, String> properties() throws IOException {
    Map<String, String> all = new HashMap<>();
    JsonArray properties = get("/conf?format=json").getAsJsonArray("properties");
    if (properties != null) {
      for (JsonElement property : properties) {
        JsonObject each = property.getAsJsonObject();
        if (each.has("key") && each.has("value") && each.get("value").isJsonPrimitive()) {
          all.put(each.get("key").getAsString(), each.get("value").getAsString());
        }
      }
    }
    return all;
  }

  private interface Reading<T> {
    T read() throws IOException;
  }

  private <T> T checked(Reading<T> reading) throws IOException {
    try {
      return reading.read();
    } catch (JsonParseException
        | IllegalStateException
        | ClassCastException
        | NumberFormatException
        | UnsupportedOperationException e) {
      throw new IOException(address + " shows something else than a server's page", e);
    }
  }

  private static double number(JsonElement value) {
    double number = value.getAsDouble();
    if (!(number >= 0 && number <= Long.MAX_VALUE)) {
      throw new NumberFormatException(number + " of anything");
    }
    return number;
  }

  private static boolean isNumber(JsonElement value) {
    return value.isJsonPrimitive() && value.getAsJsonPrimitive().isNumber();
  }

  private Optional<JsonObject> bean(String name) throws IOException {
    JsonArray beans = get("/jmx?qry=" + name).getAsJsonArray("beans");
    return beans == null || beans.isEmpty()
        ? Optional.empty()
        : Optional.of(beans.get(0).getAsJsonObject());
  }

  private JsonObject get(String what) throws IOException {
    return JsonParser.parseString(pages.read(address, what, MOST_BYTES).text()).getAsJsonObject();
  }
}
