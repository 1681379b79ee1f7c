package io.ishbase.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.core.compaction.LocalReason;
import io.ishbase.it.defects.WrongWorker;
import io.ishbase.plugin.compaction.OffloadingCompactor;
import io.ishbase.plugin.metrics.CompactionMetrics;
import io.ishbase.plugin.node.StorageNodes;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionRequestImpl;
import org.apache.hadoop.hbase.regionserver.compactions.DefaultCompactor;
import org.apache.hadoop.hbase.regionserver.throttle.NoLimitThroughputController;
import org.apache.hadoop.hbase.security.User;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A worker whose program has a mistake that would bring deleted rows back. */
class WrongCompactionTest {
  private static final TableName NAME = TableName.valueOf("wrong");
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final int ROWS = 100;

  @TempDir private Path directory;

  @Test
  void itsFileIsNotTakenNorIsItAskedAgain() throws Exception {
    try (MiniCluster cluster = MiniCluster.start(CompactionDifferentialTest::offload)) {
      StorageNodes nodes = StorageNodes.of(cluster.util.getConfiguration());
      WrongWorker.writeTo(directory);
      Configuration conf = cluster.daemonConf(cluster.util.getDFSCluster().getDataNodes().get(0));
      try (DaemonProcess worker = new DaemonProcess(conf, directory)) {
        MiniCluster.await("the worker", () -> nodes.answering().size() == 1);
        HStore store = write(cluster);
        List<HStoreFile> files = new ArrayList<>(store.getStorefiles());
        // Those with the markers and with other rows, not those with what the markers delete.
        CompactionRequestImpl request = new CompactionRequestImpl(files.subList(1, 3));
        request.setIsMajor(false, false);

        long wrong = CompactionMetrics.get().local(LocalReason.WRONG_CELLS);
        long doubted = CompactionMetrics.get().local(LocalReason.DOUBTED);
        long offloaded = CompactionMetrics.get().offloaded();
        assertSame(store, request);
        assertThat(CompactionMetrics.get().local(LocalReason.WRONG_CELLS)).isEqualTo(wrong + 1);
        assertThat(nodes.quarantined()).contains("compactions at any worker");
        assertSame(store, request);
        assertThat(CompactionMetrics.get().local(LocalReason.DOUBTED)).isEqualTo(doubted + 1);
        assertThat(CompactionMetrics.get().offloaded()).isEqualTo(offloaded);
        assertThat(CompactedTable.temporaryFiles(cluster, cluster.regions(NAME).get(0))).isEmpty();
      }
    }
  }

  private static HStore write(MiniCluster cluster) throws IOException {
    try (Table table = cluster.util.createTable(NAME, FAMILY)) {
      for (int file = 0; file < 3; file++) {
        for (int i = 0; i < ROWS; i++) {
          byte[] row = Bytes.toBytes("row" + i);
          if (file == 1) {
            table.delete(new Delete(row));
          } else {
            table.put(new Put(row).addColumn(FAMILY, Bytes.toBytes(file), row));
          }
        }
        cluster.util.flush(NAME);
      }
    }
    return cluster.regions(NAME).get(0).getStore(FAMILY);
  }

  private static void assertSame(HStore store, CompactionRequestImpl request) throws IOException {
    Configuration conf = store.getReadOnlyConfiguration();
    List<List<?>> written = new ArrayList<>();
    for (DefaultCompactor compactor :
        List.of(new DefaultCompactor(conf, store), new OffloadingCompactor(conf, store))) {
      List<Object> contents = new ArrayList<>();
      for (org.apache.hadoop.fs.Path file :
          compactor.compact(request, NoLimitThroughputController.INSTANCE, User.getCurrent())) {
        contents.add(HFileContents.of(store.getFileSystem(), file, conf));
        store.getFileSystem().delete(file, false);
      }
      written.add(contents);
    }
    assertThat(written.get(1)).isEqualTo(written.get(0));
  }
}
