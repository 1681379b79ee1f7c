package io.ishbase.plugin.node;

import io.ishbase.core.Homes;
import io.ishbase.core.Setting;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.CompoundConfiguration;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.RegionServerServices;
import org.apache.hadoop.hbase.regionserver.StoreUtils;
import org.apache.hadoop.hbase.shaded.protobuf.generated.HBaseProtos;
import org.apache.hbase.thirdparty.com.google.common.net.InetAddresses;
import org.jspecify.annotations.Nullable;

/**
 * The storage nodes to which a region's files go: its favoured nodes, as HBase calls them. A table
 * that is read and compacted as HBase does has none of ours, nor has a region for which HBase's
 * balancer has chosen.
 */
public final class RegionHome implements StorageNodes.Follower {
  private static final String WHERE_USED = "auto";

  private final HRegion region;
  private final RegionServerServices services;
  private volatile Configuration site;

  /** What HBase was told last; null: nothing. Guarded by this. */
  private @Nullable List<String> told;

  /**
   * @param site the region server's configuration
   */
  public RegionHome(HRegion region, RegionServerServices services, Configuration site) {
    this.region = region;
    this.services = services;
    this.site = site;
  }

  /** Reads settings from {@code changed} from now on. */
  public void configure(Configuration changed) {
    site = changed;
  }

  /** Applies what {@code homes} says of the region, and of as many more as there are replicas. */
  @Override
  public void chooseHome(Homes homes) {
    String name = region.getRegionInfo().getEncodedName();
    // What is chosen later is said later. HBase may look its nodes up meanwhile: others go on.
    synchronized (this) {
      if (region.isClosing() || region.isClosed()) {
        return;
      }
      if (wants(name)) {
        int replicas =
            Math.max(
                1,
                region
                    .getFilesystem()
                    .getDefaultReplication(region.getRegionFileSystem().getRegionDir()));
        tell(name, homes.choose(name, replicas));
      } else {
        takeBack(name);
      }
    }
  }

  /**
   * HBase forgets what it was told of a region that it moves, but not of one that fails to open.
   */
  public synchronized void close() {
    takeBack(region.getRegionInfo().getEncodedName());
  }

  private void takeBack(String name) {
    if (told != null && !isOthers(name)) {
      services.updateRegionFavoredNodesMapping(name, List.of());
      told = null;
    }
  }

  /** As {@link #names} has it. */
  private static String plain(String hostAndPort) {
    HBaseProtos.ServerName node = dataNode(hostAndPort);
    String host = node.getHostName();
    return (InetAddresses.isInetAddress(host)
            ? InetAddresses.forString(host).getHostAddress()
            : host)
        + ":"
        + node.getPort();
  }

  private void tell(String name, List<String> home) {
    if (!home.isEmpty()) {
      services.updateRegionFavoredNodesMapping(
          name, home.stream().map(RegionHome::dataNode).toList());
      told = home.stream().map(RegionHome::plain).toList();
    }
  }

  private boolean wants(String name) {
    TableDescriptor table = region.getTableDescriptor();
    Configuration ofTable = new CompoundConfiguration().add(site).addBytesMap(table.getValues());
    String wanted = Setting.PLACEMENT.text(ofTable::get);
    return wanted.equals(WHERE_USED)
        ? !isOthers(name)
            && Stream.of(table.getColumnFamilies())
                .anyMatch(
                    family -> isUsed(StoreUtils.createStoreConfiguration(site, table, family)::get))
        : Boolean.parseBoolean(wanted);
  }

  /** Whether reads of a family go to storage nodes, or its compactions to workers. */
  private static boolean isUsed(UnaryOperator<String> family) {
    return !Setting.READ.text(family).equals(Setting.READ.defaultValue())
        || !Setting.COMPACTION.text(family).equals(Setting.COMPACTION.defaultValue());
  }

  /** Whether the region has favoured nodes that somebody else has chosen. */
  private boolean isOthers(String name) {
    InetSocketAddress[] present = services.getFavoredNodesForRegion(name);
    return present != null && present.length > 0 && !names(present).equals(told);
  }

  // Not the addresses, which a name may have others of each time that HBase looks it up.
  private static List<String> names(InetSocketAddress @Nullable [] nodes) {
    return nodes == null
        ? List.of()
        : Stream.of(nodes).map(node -> node.getHostString() + ":" + node.getPort()).toList();
  }

  static HBaseProtos.ServerName dataNode(String hostAndPort) {
    // Of IPv6 the address has colons, with brackets or without.
    int colon = hostAndPort.lastIndexOf(':');
    return HBaseProtos.ServerName.newBuilder()
        .setHostName(hostAndPort.substring(0, colon).replaceAll("[\\[\\]]", ""))
        .setPort(Integer.parseInt(hostAndPort.substring(colon + 1)))
        .build();
  }

  @Override
  public String toString() {
    return region.toString();
  }
}
