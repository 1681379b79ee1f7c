package io.ishbase.it.metamorphic;

import io.ishbase.it.MiniCluster;
import java.io.IOException;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionReplicaUtil;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.InMemoryCompaction;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * A table, and what is done to it as a whole. Regions are the same in all configurations: split and
 * merge are answered with where regions begin.
 */
final class Changes implements AutoCloseable {
  private static final int MAX_REGIONS = 3;

  /** Compactions until no file is half of another. */
  private static final int TRIES = 5;

  private final Rig rig;
  private final TableName name;
  private final BulkLoad bulkLoad;
  private String server;
  private int clones;

  /** Makes it, on the server. */
  Changes(Rig rig, TableDescriptor descriptor, String server, FileTime clock) throws Exception {
    this.rig = rig;
    this.name = descriptor.getTableName();
    this.server = server;
    this.bulkLoad = new BulkLoad(rig, name, clock);
    Placement.set(name, rig.serverName(server));
    admin().createTable(descriptor);
    place();
  }

  private Admin admin() throws IOException {
    return rig.cluster().util().getAdmin();
  }

  /**
   * @throws IllegalArgumentException if it is no operation
   */
  Answer of(Line line) {
    try {
      return answer(line);
    } catch (IllegalArgumentException e) {
      throw e;
    } catch (Exception | AssertionError e) {
      return Answer.failure(List.of(), e);
    }
  }

  private Answer answer(Line line) throws Exception {
    switch (line.verb()) {
      case "flush" -> flush();
      case "compact" -> compact(false);
      case "major-compact" -> compact(true);
      case "split" -> {
        return split(Bytes.toBytes(line.word(0)));
      }
      case "merge" -> {
        return merge();
      }
      case "move" -> move();
      case "load" -> bulkLoad.of(line);
      case "clone" -> becomeItsClone();
      case "truncate" -> truncate();
      case "alter" -> alter(line.word(0), line.options());
      default -> throw new IllegalArgumentException("No operation: " + line);
    }
    return Answer.of();
  }

  /** Its regions, in their order, without replicas. */
  List<HRegion> regions() {
    return rig.cluster().regions(name).stream()
        .filter(region -> RegionReplicaUtil.isDefaultReplica(region.getRegionInfo()))
        .sorted(Comparator.comparing(HRegion::getRegionInfo, RegionInfo.COMPARATOR))
        .toList();
  }

  void flush() throws IOException {
    for (HRegion region : regions()) {
      region.flush(true);
    }
  }

  /** Returns when no memstore is compacted: what one drops a moment later is another answer. */
  void awaitMemstores() {
    MiniCluster.await(
        "the memstores of " + name,
        () ->
            regions().stream()
                .flatMap(region -> region.getStores().stream())
                .noneMatch(InMemoryCompaction::isUnderWay));
  }

  private void compact(boolean major) throws IOException {
    for (HRegion region : regions()) {
      region.compact(major);
    }
  }

  private boolean hasReferences() {
    return regions().stream()
        .anyMatch(region -> region.getStores().stream().anyMatch(HStore::hasReferences));
  }

  /** So that its regions can be split and merged. */
  private void dropReferences() throws IOException {
    for (int i = 0; hasReferences() && i < TRIES; i++) {
      compact(true);
    }
    for (HRegion region : regions()) {
      for (HStore store : region.getStores()) {
        store.closeAndArchiveCompactedFiles();
      }
    }
  }

  private Answer starts() {
    return Answer.of(
        regions().stream()
            .map(region -> "from " + Bytes.toString(region.getRegionInfo().getStartKey()))
            .toArray(String[]::new));
  }

  private Answer split(byte[] row) throws Exception {
    List<HRegion> before = regions();
    boolean begins =
        before.stream().anyMatch(region -> Bytes.equals(region.getRegionInfo().getStartKey(), row));
    if (before.size() < MAX_REGIONS && !begins) {
      RegionInfo region =
          before.stream()
              .map(HRegion::getRegionInfo)
              .filter(each -> each.containsRow(row))
              .findFirst()
              .orElseThrow();
      for (int i = 0; !hasSplit(region, row); i++) {
        if (i == TRIES) {
          throw new IOException("It has references for too long: " + region);
        }
      }
      MiniCluster.await("the split of " + region, () -> regions().size() > before.size());
      place();
    }
    return starts();
  }

  /** False: it still has references, or the region server has not looked since. */
  private boolean hasSplit(RegionInfo region, byte[] row) throws Exception {
    dropReferences();
    try {
      admin()
          .splitRegionAsync(region.getRegionName(), row)
          .get(Rig.PATIENCE_SECONDS, TimeUnit.SECONDS);
      return true;
    } catch (IOException | ExecutionException e) {
      if (String.valueOf(e.getMessage()).contains("NOT splittable")) {
        return false;
      }
      throw e;
    }
  }

  private Answer merge() throws Exception {
    List<HRegion> before = regions();
    if (before.size() > 1) {
      byte[][] first = {
        before.get(0).getRegionInfo().getRegionName(), before.get(1).getRegionInfo().getRegionName()
      };
      for (int i = 0; !hasMerged(first); i++) {
        if (i == TRIES) {
          throw new IOException("It was merged too short ago: " + name);
        }
      }
      MiniCluster.await("the merge of " + name, () -> regions().size() < before.size());
      place();
    }
    return starts();
  }

  /** False: the catalog still has what an earlier merge left. */
  private boolean hasMerged(byte[][] regions) throws Exception {
    dropReferences();
    // Forgets the parents of earlier splits and merges.
    admin().runCatalogJanitor();
    try {
      admin().mergeRegionsAsync(regions, true).get(Rig.PATIENCE_SECONDS, TimeUnit.SECONDS);
      return true;
    } catch (IOException | ExecutionException e) {
      if (String.valueOf(e.getMessage()).contains("has a merge qualifier")) {
        return false;
      }
      throw e;
    }
  }

  /** To the next server with the plug-in, or away from it and back. */
  private void move() throws Exception {
    if (server.equals(Rig.STOCK)) {
      return;
    }
    server = rig.after(server);
    Placement.set(name, rig.serverName(server));
    place();
  }

  /** Has its server serve its regions. */
  private void place() throws IOException {
    ServerName where = rig.serverName(server);
    MiniCluster.await(name + " at " + where, () -> isAt(where));
    rig.cluster().connection().clearRegionLocationCache();
  }

  // A server that has just started may not be given a region at once: it is asked again.
  private boolean isAt(ServerName where) {
    List<HRegion> regions = regions();
    boolean all = !regions.isEmpty();
    for (HRegion region : regions) {
      if (!where.equals(rig.cluster().serverOf(region))) {
        all = false;
        try {
          admin().move(region.getRegionInfo().getEncodedNameAsBytes(), where);
        } catch (IOException e) {
          return false;
        }
      }
      all &= region.isAvailable();
    }
    return all;
  }

  // All its files are links from now on, until a compaction.
  private void becomeItsClone() throws Exception {
    String snapshot = name.getNameAsString() + "_" + clones++;
    admin().snapshot(snapshot, name);
    admin().disableTable(name);
    admin().deleteTable(name);
    admin().cloneSnapshot(snapshot, name);
    admin().deleteSnapshot(snapshot);
    place();
  }

  // Its regions begin where they did.
  private void truncate() throws Exception {
    admin().disableTable(name);
    admin().truncateTable(name, true);
    place();
  }

  private void alter(String family, Map<String, String> options) throws Exception {
    TableDescriptor old = admin().getDescriptor(name);
    byte[] familyName = Bytes.toBytes(family);
    if (!old.hasColumnFamily(familyName)) {
      throw new IllegalArgumentException("No family: " + family);
    }
    admin()
        .modifyTable(
            TableDescriptorBuilder.newBuilder(old)
                .modifyColumnFamily(TableOptions.altered(old.getColumnFamily(familyName), options))
                .build());
    place();
  }

  /** Has its regions closed. It is not deleted, which takes a second, with a cluster that is. */
  @Override
  public void close() throws IOException {
    admin().disableTableAsync(name);
  }
}
