package io.ishbase.dist.doctor;

import io.ishbase.cluster.WebPages;
import java.io.IOException;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.ClusterMetrics;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.ServerMetrics;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.client.Admin;

/** What a client must know to find a cluster's files, from the page of one of its servers. */
public final class HdfsSettings {
  private static final String NAMES =
      "hbase\\.rootdir|fs\\.defaultFS|dfs\\.nameservices|dfs\\.internal\\.nameservices"
          + "|dfs\\.ha\\..*|dfs\\.namenode\\.rpc-address.*|dfs\\.client\\.failover\\..*"
          + "|dfs\\.client\\.use\\.datanode\\.hostname";

  /** One that does not answer takes some seconds. */
  private static final int MOST_SERVERS = 5;

  private HdfsSettings() {}

  /**
   * Adds to {@code conf} what the first region server that shows its settings says.
   *
   * @throws IOException if the master does not answer, or no region server shows them
   */
  public static void complete(Configuration conf, Admin admin) throws IOException {
    WebPages pages = WebPages.ofHBase(conf);
    Map<ServerName, ServerMetrics> servers =
        admin
            .getClusterMetrics(EnumSet.of(ClusterMetrics.Option.LIVE_SERVERS))
            .getLiveServerMetrics();
    String why = "there is none";
    for (ServerName server : servers.keySet().stream().limit(MOST_SERVERS).toList()) {
      Seen<Map<String, String>> settings = ServerLook.settings(pages, server, servers.get(server));
      Optional<Map<String, String>> shown = settings.value();
      if (shown.isPresent()) {
        complete(conf, shown.get());
        return;
      }
      why = settings.whyNot();
    }
    throw new IOException(StoredFiles.NO_ROOT + " (" + why + ")");
  }

  /**
   * Adds what a server says of its settings; of a known HDFS only what is not said yet. What stands
   * in a file of a directory that was named stays.
   */
  static void complete(Configuration conf, Map<String, String> settings) {
    boolean isKnown = conf.get(HConstants.HBASE_DIR, "").startsWith("hdfs:");
    settings.forEach(
        (key, value) -> {
          // What its NameNodes are called may be in another file.
          if (key.matches(NAMES)
              && (conf.getTrimmed(key, "").isEmpty() || !isKnown && !isOfNamedFile(conf, key))) {
            conf.set(key, value);
          }
        });
  }

  /** What the class path has is called by its name alone. */
  private static boolean isOfNamedFile(Configuration conf, String key) {
    String[] sources = conf.getPropertySources(key);
    return sources != null && sources[sources.length - 1].contains("/");
  }
}
