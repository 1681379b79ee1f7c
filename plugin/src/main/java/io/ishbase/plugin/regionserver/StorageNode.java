package io.ishbase.plugin.regionserver;

import io.ishbase.protocol.generated.IssnProtos.DaemonInfo;
import java.net.InetSocketAddress;
import org.apache.hadoop.hbase.ServerName;

/**
 * A live storage daemon as the registry describes it.
 *
 * @param address where to call it
 * @param dataNode data-transfer address {@code host:port} of the DataNode beside it, or empty
 * @param dataNodeIp the same with the host as an IP address, as the NameNode gives it in block
 *     locations, or empty
 * @param loadPercent busy handlers of all
 */
record StorageNode(ServerName address, String dataNode, String dataNodeIp, int loadPercent) {
  static StorageNode of(DaemonInfo info) {
    return new StorageNode(
        ServerName.valueOf(info.getHost(), info.getPort(), info.getStartCode()),
        info.getDatanode(),
        withIp(info.getDatanode()),
        info.getLoadPercent());
  }

  /** The name under which it is quarantined: a daemon that restarts begins anew. */
  String name() {
    return address.toString();
  }

  private static String withIp(String dataNode) {
    int colon = dataNode.lastIndexOf(':');
    if (colon < 0) {
      return "";
    }
    InetSocketAddress resolved =
        new InetSocketAddress(
            dataNode.substring(0, colon), Integer.parseInt(dataNode.substring(colon + 1)));
    return resolved.isUnresolved()
        ? dataNode
        : resolved.getAddress().getHostAddress() + ":" + resolved.getPort();
  }
}
