package io.ishbase.dist;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.HConstants;

/**
 * Where an HBase has its ZooKeeper.
 *
 * @param parent znode of that HBase
 */
record ZooKeeperAddress(String hosts, int port, String parent) {
  /** As options show it. */
  static final String FORM = "HOST[,HOST...]:PORT[:/ZNODE]";

  private static final Pattern ADDRESS =
      Pattern.compile("([\\w.-]+(?:,[\\w.-]+)*):(\\d{1,5})(?::((?:/[\\w.-]+)+))?");
  private static final int MOST_PORT = 65_535;

  /** Empty if it is none. */
  static Optional<ZooKeeperAddress> of(String text) {
    Matcher address = ADDRESS.matcher(text);
    if (!address.matches()) {
      return Optional.empty();
    }
    int port = Integer.parseInt(address.group(2));
    String parent = address.group(3);
    return port < 1 || port > MOST_PORT
        ? Optional.empty()
        : Optional.of(
            new ZooKeeperAddress(
                address.group(1),
                port,
                parent == null ? HConstants.DEFAULT_ZOOKEEPER_ZNODE_PARENT : parent));
  }

  /**
   * The configuration of a client of that HBase: what the class path says of another one is not
   * taken for its.
   */
  Configuration configuration() {
    Configuration conf = HBaseConfiguration.create();
    conf.set("hbase.client.registry.impl", "org.apache.hadoop.hbase.client.ZKConnectionRegistry");
    conf.set(HConstants.ZOOKEEPER_QUORUM, hosts);
    conf.setInt(HConstants.ZOOKEEPER_CLIENT_PORT, port);
    // Which HBase's client would ask before the others.
    conf.set(HConstants.CLIENT_ZOOKEEPER_QUORUM, hosts);
    conf.setInt(HConstants.CLIENT_ZOOKEEPER_CLIENT_PORT, port);
    conf.set(HConstants.ZOOKEEPER_ZNODE_PARENT, parent);
    conf.unset(HConstants.HBASE_DIR);
    return conf;
  }
}
