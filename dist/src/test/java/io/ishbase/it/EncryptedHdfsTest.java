package io.ishbase.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.core.Reason;
import io.ishbase.core.compaction.WarmUpMode;
import io.ishbase.plugin.blockwarmup.WarmUps;
import io.ishbase.plugin.metrics.InStorageMetrics;
import java.io.File;
import java.util.EnumSet;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hdfs.DFSTestUtil;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.client.CreateEncryptionZoneFlag;
import org.apache.hadoop.hdfs.client.HdfsAdmin;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What HDFS encrypts, daemons and region servers do not say to each other in the clear. */
@OwnJvm
class EncryptedHdfsTest {
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final String KEY = "key";

  @TempDir private File keys;

  @Test
  void filesInAnEncryptionZoneAreReadOverHBasesPath() throws Exception {
    try (MiniCluster cluster = MiniCluster.start(1, this::provideKeys, this::makeZone)) {
      check(cluster);
    }
  }

  @Test
  void whatHdfsEncryptsInFlightIsReadOverHBasesPath() throws Exception {
    try (MiniCluster cluster =
        MiniCluster.start(
            1,
            conf -> {
              conf.setBoolean("dfs.encrypt.data.transfer", true);
              conf.setBoolean("dfs.block.access.token.enable", true);
            })) {
      check(cluster);
    }
  }

  private void provideKeys(Configuration conf) {
    conf.set("hadoop.security.key.provider.path", "jceks://file" + keys.getPath() + "/keys.jceks");
  }

  /** All of HBase's files are in it. */
  private void makeZone(MiniDFSCluster hdfs) throws Exception {
    Configuration conf = hdfs.getConfiguration(0);
    DFSTestUtil.createKey(KEY, hdfs, conf);
    Path zone = new Path("/user");
    assertThat(hdfs.getFileSystem().exists(zone)).isFalse();
    hdfs.getFileSystem().mkdirs(zone);
    new HdfsAdmin(hdfs.getURI(0), conf)
        .createEncryptionZone(zone, KEY, EnumSet.noneOf(CreateEncryptionZoneFlag.class));
  }

  private static void check(MiniCluster cluster) throws Exception {
    cluster.startDaemons();
    TableName name = TableName.valueOf("secret");
    cluster
        .util
        .getAdmin()
        .createTable(
            TableDescriptorBuilder.newBuilder(name)
                .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
                .setValue("ishbase.compaction.warmup", "remote")
                .build());
    try (Table table = cluster.connection().getTable(name)) {
      for (String row : List.of("a", "b", "c")) {
        table.put(
            new Put(Bytes.toBytes(row)).addColumn(FAMILY, Bytes.toBytes("q"), Bytes.toBytes(row)));
      }
      cluster.util.getAdmin().flush(name);
      long requests = InStorageMetrics.get().requests();
      long encrypted = InStorageMetrics.get().fallbacks(Reason.ENCRYPTED);
      Result result =
          table.get(MiniCluster.in(MiniCluster.IN_STORAGE, new Get(Bytes.toBytes("b"))));
      assertThat(Bytes.toString(result.value())).isEqualTo("b");
      try (ResultScanner scanner =
          table.getScanner(MiniCluster.in(MiniCluster.IN_STORAGE, new Scan()))) {
        assertThat(scanner).hasSize(3);
      }
      assertThat(InStorageMetrics.get().requests()).isEqualTo(requests);
      assertThat(InStorageMetrics.get().fallbacks(Reason.ENCRYPTED)).isEqualTo(encrypted + 2);
    }
    HStore store = cluster.regions(name).get(0).getStore(FAMILY);
    assertThat(((WarmUps.Owner) store).warmUps().mode()).isEqualTo(WarmUpMode.NONE);
  }
}
