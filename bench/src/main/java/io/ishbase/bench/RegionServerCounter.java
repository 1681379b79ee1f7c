package io.ishbase.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Counts by the region server's own counters, where there is no network interface between compute
 * and storage: what it read from HDFS and what storage daemons sent it. Headers are not counted.
 */
public final class RegionServerCounter implements ByteCounter {
  private static final Pattern COUNTER = Pattern.compile("\"(inStorageBytes|blockBytes)\" : (\\d+)");

  private final HttpClient http = HttpClient.newHttpClient();
  private final HttpRequest request;

  /** {@code infoAddress} is host:port of the region server's web page. */
  public RegionServerCounter(String infoAddress) {
    request =
        HttpRequest.newBuilder(
                URI.create(
                    "http://"
                        + infoAddress
                        + "/jmx?qry=Hadoop:service=HBase,name=RegionServer,sub=InStorage"))
            .build();
  }

  @Override
  public long bytes() {
    try {
      Matcher matcher =
          COUNTER.matcher(http.send(request, HttpResponse.BodyHandlers.ofString()).body());
      long sum = 0;
      while (matcher.find()) {
        sum += Long.parseLong(matcher.group(2));
      }
      return sum;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("Interrupted", e);
    }
  }

  @Override
  public String description() {
    return "bytes that the region server read from HDFS and storage daemons, without headers";
  }
}
