package io.ishbase.plugin.page;

import io.ishbase.core.cache.SegmentCache;
import io.ishbase.core.metric.Exposition;
import io.ishbase.core.metric.Metric;
import io.ishbase.plugin.compaction.RecentCompactions;
import io.ishbase.plugin.metrics.CompactionMetrics;
import io.ishbase.plugin.metrics.InStorageMetrics;
import io.ishbase.plugin.metrics.ServerExposition;
import io.ishbase.plugin.metrics.TraceMetrics;
import io.ishbase.plugin.node.StorageNode;
import io.ishbase.plugin.node.StorageNodes;
import io.ishbase.protocol.metrics.InfoPages;
import io.ishbase.protocol.metrics.MetricsServlet;
import io.ishbase.protocol.metrics.ProcessMemory;
import io.ishbase.protocol.metrics.StatusPage;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.hbase.ScheduledChore;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.http.InfoServer;
import org.apache.hadoop.hbase.io.hfile.BlockCache;
import org.apache.hadoop.hbase.regionserver.HRegionServer;
import org.apache.hadoop.hbase.regionserver.MemstoreMemory;
import org.apache.hadoop.hbase.regionserver.RegionServerAccounting;
import org.apache.hadoop.hbase.regionserver.RegionServerServices;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Shows what this process counts, and what it knows of storage nodes and memory, at the pages that
 * {@link InfoPages} has put on the InfoServer of its region server, once the first region of a user
 * table opens.
 *
 * <p>Relies on HBase 2.6: {@code HRegionServer.getInfoServer}.
 */
public final class ServerPages {
  private static final Logger LOG = LoggerFactory.getLogger(ServerPages.class);

  private final StorageNodes nodes;
  private final @Nullable SegmentCache cache;
  private final ServerState state;

  /** Region servers that have them: a process of a test may have several. */
  private final Set<ServerName> shown = ConcurrentHashMap.newKeySet();

  /**
   * @param cache null: there is no segment cache
   */
  public ServerPages(StorageNodes nodes, @Nullable SegmentCache cache, ServerState state) {
    this.nodes = nodes;
    this.cache = cache;
    this.state = state;
  }

  /** Shows them at the region server, once. A page is no reason for a region not to open. */
  public void showAt(RegionServerServices services) {
    if (!(services instanceof HRegionServer server) || !shown.add(server.getServerName())) {
      return;
    }
    try {
      // Those that nobody has asked yet are there with zeros, for alerts on how they grow.
      InStorageMetrics.get();
      CompactionMetrics.get();
      TraceMetrics.get();
      Exposition exposition = ServerExposition.get();
      showNodes(exposition);
      showMemory(exposition, server);
      InfoServer infoServer = server.getInfoServer();
      if (infoServer != null) {
        RegionServerPage page =
            new RegionServerPage(
                "IS-HBase at " + server.getServerName().getAddress(), exposition, state);
        InfoPages.show(infoServer, exposition, page::page);
        server
            .getChoreService()
            .scheduleChore(
                new ScheduledChore("ishbase-page", server, StatusPage.LOOK_SECONDS * 1000) {
                  @Override
                  protected void chore() {
                    page.look();
                  }
                });
      }
    } catch (RuntimeException | LinkageError e) {
      LOG.warn("{} shows nothing at this region server", MetricsServlet.PATH, e);
    }
  }

  private void showNodes(Exposition exposition) {
    exposition.show(Metric.DAEMONS, () -> readers(nodes.live()));
    exposition.show(Metric.DAEMONS_ANSWERING, () -> readers(nodes.answering()));
    exposition.show(Metric.QUARANTINED, "node", this::quarantinedNodes);
    exposition.show(Metric.QUARANTINED, "other", this::quarantinedOthers);
    exposition.show(Metric.HELD_BYTES, state::getHeldBytes);
    exposition.show(
        Metric.COMPACTIONS_UNDER_WAY, () -> RecentCompactions.get().getRunning().size());
  }

  private static long readers(List<StorageNode> some) {
    return some.stream().filter(StorageNode::scans).count();
  }

  private long quarantinedNodes() {
    Collection<String> names = state.getQuarantined();
    return nodes.live().stream().filter(node -> names.contains(node.name())).count();
  }

  private long quarantinedOthers() {
    Set<String> others = new HashSet<>(state.getQuarantined());
    nodes.live().forEach(node -> others.remove(node.name()));
    return others.size();
  }

  private void showMemory(Exposition exposition, RegionServerServices services) {
    ProcessMemory.show(exposition, Metric.MEMORY_USED, Metric.MEMORY_LIMIT);
    exposition.show(Metric.MEMORY_USED, "memstores", () -> memstoreBytes(services));
    exposition.show(Metric.MEMORY_LIMIT, "memstores", () -> MemstoreMemory.limitBytes(services));
    BlockCache blocks = services.getBlockCache().orElse(null);
    if (blocks != null) {
      exposition.show(Metric.MEMORY_USED, "block cache", blocks::getCurrentSize);
      exposition.show(
          Metric.MEMORY_LIMIT, "block cache", () -> blocks.getCurrentSize() + blocks.getFreeSize());
    }
    if (cache != null) {
      SegmentCache segments = cache;
      exposition.show(Metric.MEMORY_USED, "segment cache", () -> segments.stats().usedBytes());
      exposition.show(Metric.MEMORY_LIMIT, "segment cache", segments::budgetBytes);
    }
  }

  private static long memstoreBytes(RegionServerServices services) {
    RegionServerAccounting accounting = services.getRegionServerAccounting();
    return accounting.getGlobalMemStoreHeapSize() + accounting.getGlobalMemStoreOffHeapSize();
  }
}
