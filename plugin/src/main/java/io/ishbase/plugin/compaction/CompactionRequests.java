package io.ishbase.plugin.compaction;

import io.ishbase.protocol.Protocol;
import io.ishbase.protocol.WriterSettings;
import io.ishbase.protocol.generated.CompactionProtos.CompactRequest;
import io.ishbase.protocol.generated.CompactionProtos.Entry;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.RegionServerServices;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionRequestImpl;
import org.apache.hadoop.hbase.util.EnvironmentEdgeManager;
import org.apache.hbase.thirdparty.com.google.protobuf.UnsafeByteOperations;

/** Says to a worker all that decides the result of a compaction. */
final class CompactionRequests {
  private static final String TIME_TO_PURGE = "hbase.hstore.time.to.purge.deletes";

  private CompactionRequests() {}

  /**
   * Makes one.
   *
   * @param pressure 1 and more: a store of the region server blocks writes
   * @param keep whether what is written will be fetched from the worker's memory
   */
  static CompactRequest of(
      HStore store,
      CompactionRequestImpl compaction,
      Offload.Layout layout,
      RegionServerServices services,
      String attempt,
      int leaseMillis,
      long maxBytesPerSecond,
      double pressure,
      boolean keep) {
    CompactRequest.Builder request =
        CompactRequest.newBuilder()
            .setVersion(Protocol.VERSION)
            .setAttempt(attempt)
            .setRegionServer(services.getServerName().toString())
            .setTable(
                UnsafeByteOperations.unsafeWrap(TableDescriptorBuilder.toByteArray(table(store))))
            .setRegion(
                UnsafeByteOperations.unsafeWrap(RegionInfo.toByteArray(store.getRegionInfo())))
            .setMajor(compaction.isMajor())
            .setAllFiles(compaction.isAllFiles())
            .setReadPoint(store.getSmallestReadPoint())
            .setNow(EnvironmentEdgeManager.currentTime())
            .setBytes(compaction.getSize())
            .setLeaseMillis(leaseMillis)
            .setMaxBytesPerSecond(maxBytesPerSecond)
            .setKeep(keep)
            .setPressure(pressure)
            .setReplication(
                store
                    .getFileSystem()
                    .getDefaultReplication(
                        store.getRegionFileSystem().getStoreDir(store.getColumnFamilyName())));
    layout.addTo(request);
    compaction.getFiles().forEach(file -> request.addFile(file.getPath().getName()));
    // HBase names them in the new file, so that a crash does not revive them (HBASE-20724).
    store.getCompactedFiles().forEach(file -> request.addCompacted(file.getPath().getName()));
    List<String> settings = WriterSettings.of(services.getConfiguration());
    for (int i = 0; i < settings.size(); i += 2) {
      request.addSetting(Entry.newBuilder().setKey(settings.get(i)).setValue(settings.get(i + 1)));
    }
    // As the store took it when it opened, and compacts by it itself.
    request.addSetting(
        Entry.newBuilder()
            .setKey(TIME_TO_PURGE)
            .setValue(Long.toString(store.getScanInfo().getTimeToPurgeDeletes())));
    InetSocketAddress[] favored =
        services.getFavoredNodesForRegion(store.getRegionInfo().getEncodedName());
    if (favored != null) {
      Arrays.stream(favored)
          .forEach(node -> request.addFavoredNode(node.getHostString() + ":" + node.getPort()));
    }
    return request.build();
  }

  private static TableDescriptor table(HStore store) {
    TableDescriptor table = store.getHRegion().getTableDescriptor();
    TableDescriptorBuilder one = TableDescriptorBuilder.newBuilder(table);
    for (byte[] family : table.getColumnFamilyNames()) {
      if (!Arrays.equals(family, store.getColumnFamilyDescriptor().getName())) {
        one.removeColumnFamily(family);
      }
    }
    return one.build();
  }
}
