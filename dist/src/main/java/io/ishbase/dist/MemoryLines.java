package io.ishbase.dist;

import io.ishbase.cluster.RegionServerJmx;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hbase.thirdparty.com.google.common.collect.Streams;
import org.apache.hbase.thirdparty.com.google.gson.JsonArray;
import org.apache.hbase.thirdparty.com.google.gson.JsonElement;

/**
 * What {@code ./ishbase explain --memory} says: who has how much of each region server's memory.
 */
final class MemoryLines {
  private MemoryLines() {}

  /** A line for each server, and below it what the server says of itself. */
  static List<String> of(Admin admin) throws IOException {
    List<String> lines = new ArrayList<>();
    for (ServerName server : admin.getRegionServers()) {
      lines.add(server.toString());
      said(admin, server).forEach(line -> lines.add("  " + line));
    }
    return lines;
  }

  private static List<String> said(Admin admin, ServerName server) {
    try {
      JsonElement said =
          RegionServerJmx.of(admin, server)
              .attribute(RegionServerJmx.STORAGE_NODES, "Memory")
              .orElse(null);
      return said instanceof JsonArray lines
          ? Streams.stream(lines).map(JsonElement::getAsString).toList()
          : List.of("says nothing: no region of a user table there, or no plug-in");
    } catch (IOException e) {
      // The others have something to say.
      return List.of("does not answer: " + e);
    }
  }
}
