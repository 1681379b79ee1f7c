package io.ishbase.dist.doctor;

import io.ishbase.cluster.sample.ClockOffset;
import io.ishbase.core.ReadChoice;
import io.ishbase.core.ReadMode;
import io.ishbase.core.Reason;
import io.ishbase.core.Setting;
import io.ishbase.dist.attach.PlugIn;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;

/**
 * What was seen of a cluster.
 *
 * @param registry empty if ZooKeeper could be read; else why not
 * @param hasManager whether a compaction manager is registered there
 * @param daemons those that are registered there
 * @param dataNodes data-transfer addresses, {@code ip:port}, of those that live
 */
public record ClusterFacts(
    Master master,
    List<RegionServer> regionServers,
    String registry,
    boolean hasManager,
    List<Daemon> daemons,
    Seen<List<String>> dataNodes,
    List<Table> tables) {
  /** A release of HBase that was not seen. */
  static final String UNKNOWN = "unknown";

  /**
   * The active master.
   *
   * @param release HBase's
   * @param coprocessors their simple names
   */
  public record Master(String name, String release, List<String> coprocessors) {}

  /**
   * A region server.
   *
   * @param name {@code host,port}
   * @param release HBase's
   * @param settings its configuration
   * @param plugIn what the plug-in shows there
   */
  public record RegionServer(
      String name,
      String release,
      Seen<Map<String, String>> settings,
      Seen<PlugInFacts> plugIn,
      Seen<Memory> memory,
      Seen<ClockOffset> clock) {
    /** Whether its regions are the plug-in's, as far as that was seen. */
    boolean hasPlugIn() {
      return setting(PlugIn.REGION.key()).equals(PlugIn.REGION.own());
    }

    /** A setting; empty if it is not set or its configuration was not seen. */
    String setting(String key) {
      return settings.value().map(all -> all.getOrDefault(key, "").trim()).orElse("");
    }
  }

  /**
   * What a region server's plug-in shows.
   *
   * @param release IS-HBase's; empty if it does not say
   * @param daemons names of those that it uses
   * @param quarantined what it leaves alone for a while
   * @param answers of daemons since the start
   * @param differences reads since the start that had other cells than HBase reads
   * @param fallbacks since the start, those that there were
   */
  public record PlugInFacts(
      String release,
      List<String> daemons,
      List<String> quarantined,
      long answers,
      long differences,
      Map<Reason, Long> fallbacks) {}

  /**
   * A region server's memory.
   *
   * @param directBytes the limit of its direct memory
   * @param segmentCacheBytes empty: no segment cache was seen
   */
  public record Memory(long directBytes, OptionalLong segmentCacheBytes) {}

  /**
   * A daemon as ZooKeeper, its RPC server and its page have it.
   *
   * @param name {@code host,port,startcode}
   * @param fault of its registration; empty: it is sound
   * @param release IS-HBase's; empty if it does not say
   * @param protocol the version that it speaks
   * @param dataNode {@code ip:port} of the DataNode beside it; empty: there is none
   * @param slots compactions that it carries out at once
   * @param answer whether it answered an empty read
   * @param trial what came of a read of one of HBase's files
   */
  public record Daemon(
      String name,
      String fault,
      String release,
      int protocol,
      String dataNode,
      int slots,
      Answer answer,
      Trial trial,
      Seen<Map<String, String>> settings,
      Seen<HdfsReads> hdfsReads,
      Seen<ClockOffset> clock) {
    /** Whether it answers reads; a dedicated compaction server does not. */
    boolean reads() {
      return !dataNode.isEmpty();
    }
  }

  /**
   * How a daemon answered.
   *
   * @param text empty, or why it did not
   */
  public record Answer(Kind kind, String text) {
    /** What came. */
    public enum Kind {
      ANSWERED,
      /** It turns this user away, which may be right. */
      REFUSED,
      SILENT
    }
  }

  /**
   * A read of a file, so that what the daemon may read is known and not guessed.
   *
   * @param file empty: none was tried
   * @param code {@code OK}, or how it failed
   */
  public record Trial(String file, String code, String message) {
    static final Trial NONE = new Trial("", "", "");
  }

  /**
   * What a daemon has read of files that it has closed since.
   *
   * @param shortCircuitBytes of these without the DataNode
   */
  public record HdfsReads(long bytes, long shortCircuitBytes) {}

  /**
   * A table.
   *
   * @param values its own {@code ishbase.*}, and {@link #OF_HBASE}
   * @param families those of each family
   * @param files empty: nothing of it is to be read or compacted in-storage, or it has no files
   */
  public record Table(
      String name,
      Map<String, String> values,
      Map<String, Map<String, String>> families,
      Seen<Files> files) {
    /** What else of tables and families is of interest. */
    static final Set<String> OF_HBASE =
        Set.of(
            PlugIn.COMPACTOR.key(),
            PlugIn.MOB_COMPACTOR.key(),
            ColumnFamilyDescriptorBuilder.IS_MOB);

    /** Whether reads may go to daemons, where region servers have that mode as their default. */
    boolean isReadInStorage(String siteMode) {
      return families.values().stream()
          .anyMatch(
              family -> {
                String own = family.get(Setting.READ.key());
                String ofTable = values.get(Setting.READ.key());
                String inForce = own != null ? own : ofTable != null ? ofTable : siteMode;
                return ReadChoice.of(own, ofTable, inForce).byDefault() != ReadMode.STOCK;
              });
    }

    /** Whether compactions may, where region servers say so by default. */
    boolean isOffloaded(String siteMode) {
      return offloaded(siteMode).findAny().isPresent();
    }

    private Stream<Map<String, String>> offloaded(String siteMode) {
      return families.values().stream()
          .filter(family -> of(family, Setting.COMPACTION.key(), siteMode).equals("offload"));
    }

    /**
     * Where the compactor of a family that is to be offloaded is named that is not the plug-in's,
     * so that its compactions are not; empty: all are.
     */
    Optional<PlugIn> withOtherCompactor(String siteMode, RegionServer server) {
      return offloaded(siteMode)
          .flatMap(
              family -> {
                PlugIn place =
                    Boolean.parseBoolean(family.get(ColumnFamilyDescriptorBuilder.IS_MOB))
                        ? PlugIn.MOB_COMPACTOR
                        : PlugIn.COMPACTOR;
                return of(family, place.key(), server.setting(place.key())).startsWith(PlugIn.OURS)
                    ? Stream.empty()
                    : Stream.of(place);
              })
          .findFirst();
    }

    private String of(Map<String, String> family, String key, String site) {
      return family.getOrDefault(key, values.getOrDefault(key, site));
    }
  }

  /**
   * A table's files.
   *
   * @param blocks those that were looked at
   * @param blocksAtDaemons of these such that a registered daemon's DataNode has
   */
  public record Files(long blocks, long blocksAtDaemons) {}

  /** Region servers of which it was seen that they have the plug-in. */
  List<RegionServer> withPlugIn() {
    return regionServers.stream().filter(RegionServer::hasPlugIn).toList();
  }

  /** Whether anything of the plug-in was seen. */
  boolean isAttached() {
    return !withPlugIn().isEmpty() || !daemons.isEmpty();
  }

  /** The mode of reads that region servers have as their default; the first one's word counts. */
  String site(Setting setting) {
    return regionServers.stream()
        .map(server -> server.setting(setting.key()))
        .filter(value -> !value.isEmpty())
        .findFirst()
        .orElse(setting.defaultValue());
  }

  /** Tables whose reads may go to daemons. */
  Stream<Table> readInStorage() {
    return tables.stream().filter(table -> table.isReadInStorage(site(Setting.READ)));
  }

  /** Tables whose compactions may. */
  /** As {@link Table#withOtherCompactor}. */
  Optional<PlugIn> withOtherCompactor(Table table, RegionServer server) {
    return table.withOtherCompactor(site(Setting.COMPACTION), server);
  }

  Stream<Table> offloaded() {
    return tables.stream().filter(table -> table.isOffloaded(site(Setting.COMPACTION)));
  }
}
