package io.ishbase.plugin.node;

import io.ishbase.core.compaction.Worker;
import io.ishbase.protocol.Protocol;
import io.ishbase.protocol.generated.IssnProtos.DaemonInfo;
import io.ishbase.protocol.generated.IssnProtos.WorkerInfo;
import java.net.InetSocketAddress;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hbase.thirdparty.com.google.common.net.InetAddresses;

/**
 * A live storage daemon as the registry describes it. Two are equal if they are the same daemon,
 * whatever it said of its load: it says so every second, in the middle of reads.
 *
 * @param address where to call it
 * @param dataNode data-transfer address {@code host:port} of the DataNode beside it, or empty
 * @param dataNodeIp the same with the host as an IP address, as the NameNode gives it in block
 *     locations, or empty
 * @param loadPercent busy handlers of all
 * @param scans whether it answers reads; a dedicated compaction server does not
 * @param worker what it says of the compactions that it carries out; without slots if none
 * @param sharedReads reads that may share a request to it, at most; 0: it knows no shared requests
 * @param aggregates whether it answers aggregates
 * @param knowsHandles whether it can be told by handles what is read
 */
public record StorageNode(
    ServerName address,
    String dataNode,
    String dataNodeIp,
    int loadPercent,
    boolean scans,
    Worker worker,
    int sharedReads,
    boolean aggregates,
    boolean knowsHandles) {
  /**
   * What {@code info}, which is sound, describes.
   *
   * @param dataNodeIp its DataNode's address as {@link #resolve} gives it
   */
  static StorageNode of(DaemonInfo info, String dataNodeIp) {
    ServerName address = ServerName.valueOf(info.getHost(), info.getPort(), info.getStartCode());
    return new StorageNode(
        address,
        info.getDatanode(),
        dataNodeIp,
        info.getLoadPercent(),
        info.getRoleList().contains(Protocol.SCAN),
        worker(address.toString(), info.getWorker()),
        info.getSharedReads(),
        info.getAggregates() == Protocol.AGGREGATES,
        info.getHandles() == Protocol.HANDLES);
  }

  private static Worker worker(String name, WorkerInfo info) {
    return new Worker(
        name,
        info.getSlots(),
        info.getRunning(),
        info.getBacklogBytes(),
        info.getMemoryBytes(),
        info.getCpuPercent(),
        info.getBytesPerSecond(),
        info.getMeasuredBytes(),
        info.getDraining(),
        info.getBegun());
  }

  /** One of which only the address is known. */
  static StorageNode at(ServerName address) {
    return new StorageNode(
        address,
        "",
        "",
        0,
        true,
        new Worker(address.toString(), 1, 0, 0, 0, 0, 0, 0, false, 0),
        Protocol.MAX_SHARED_READS,
        false,
        true);
  }

  /** The name under which it is quarantined: a daemon that restarts begins anew. */
  public String name() {
    return address.toString();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof StorageNode node && address.equals(node.address);
  }

  @Override
  public int hashCode() {
    return address.hashCode();
  }

  /** Whether {@link #resolve} would have to ask a name server. */
  public static boolean needsLookup(String dataNode) {
    return !dataNode.isEmpty()
        && !InetAddresses.isInetAddress(dataNode.substring(0, dataNode.lastIndexOf(':')));
  }

  /**
   * {@code host:port}, or nothing, with the host as an IP address, or as it is if it cannot be
   * looked up. May wait for a name server.
   */
  public static String resolve(String dataNode) {
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
