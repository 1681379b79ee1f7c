package io.ishbase.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessor;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.coprocessor.RegionObserver;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.HRegionServer;
import org.apache.hadoop.hbase.shaded.protobuf.generated.HBaseProtos;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Which regions' files go to storage nodes: those of tables that have to do with these. */
class RegionHomesTest {
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final int OTHER_PORT = 1234;

  private static MiniCluster cluster;
  private static HRegionServer server;
  private static Admin admin;

  @BeforeAll
  static void start() throws Exception {
    cluster = MiniCluster.start(1, conf -> conf.set("ishbase.placement", "auto"));
    cluster.startDaemons();
    server = cluster.util.getMiniHBaseCluster().getRegionServer(0);
    admin = cluster.util.getAdmin();
  }

  @AfterAll
  static void stop() throws Exception {
    cluster.close();
  }

  private static TableName create(
      String name,
      Consumer<TableDescriptorBuilder> ofTable,
      Consumer<ColumnFamilyDescriptorBuilder> ofFamily)
      throws IOException {
    TableName table = TableName.valueOf(name);
    ColumnFamilyDescriptorBuilder family = ColumnFamilyDescriptorBuilder.newBuilder(FAMILY);
    ofFamily.accept(family);
    TableDescriptorBuilder builder = TableDescriptorBuilder.newBuilder(table);
    ofTable.accept(builder);
    admin.createTable(builder.setColumnFamily(family.build()).build());
    return table;
  }

  private static HRegion region(TableName table) {
    return cluster.regions(table).get(0);
  }

  /** The ports of the region's favoured nodes. */
  private static List<Integer> home(TableName table) {
    InetSocketAddress[] nodes =
        server.getFavoredNodesForRegion(region(table).getRegionInfo().getEncodedName());
    return nodes == null
        ? List.of()
        : Arrays.stream(nodes).map(InetSocketAddress::getPort).toList();
  }

  private static List<Integer> dataNode() {
    return List.of(cluster.util.getDFSCluster().getDataNodes().get(0).getXferPort());
  }

  /** As HBase's balancer does. */
  private static void favourOther(TableName table) {
    server.updateRegionFavoredNodesMapping(
        region(table).getRegionInfo().getEncodedName(),
        List.of(
            HBaseProtos.ServerName.newBuilder()
                .setHostName("127.0.0.1")
                .setPort(OTHER_PORT)
                .build()));
  }

  /** Has the region servers read their configuration again, with {@code read} for all tables. */
  private static void update(String read) throws IOException {
    server.getConfiguration().set("ishbase.read", read);
    region(TableName.valueOf("silent")).onConfigurationChange(server.getConfiguration());
  }

  @Test
  void aTableThatSaysNothingHasNoneUntilItIsReadThere() throws Exception {
    TableName silent = create("silent", table -> {}, family -> {});
    assertThat(home(silent)).isEmpty();
    update("auto");
    assertThat(home(silent)).isEqualTo(dataNode());
    update("stock");
    assertThat(home(silent)).isEmpty();
  }

  /** Cannot open the first time. */
  public static final class OpensSecond implements RegionCoprocessor, RegionObserver {
    static final AtomicInteger OPENED = new AtomicInteger();

    @Override
    public Optional<RegionObserver> getRegionObserver() {
      return Optional.of(this);
    }

    @Override
    public void preOpen(ObserverContext<RegionCoprocessorEnvironment> context) throws IOException {
      if (OPENED.getAndIncrement() == 0) {
        throw new IOException("not yet");
      }
    }
  }

  /** What it was told then is not what somebody else has chosen. */
  @Test
  void aRegionThatDidNotOpenAtOnceFollowsItsHome() throws Exception {
    server.getConfiguration().set("ishbase.read", "auto");
    TableName table =
        create(
            "second",
            builder -> {
              try {
                builder.setCoprocessor(OpensSecond.class.getName());
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            },
            family -> {});
    assertThat(OpensSecond.OPENED).hasValueGreaterThan(1);
    assertThat(home(table)).isEqualTo(dataNode());
    server.getConfiguration().set("ishbase.read", "stock");
    region(table).onConfigurationChange(server.getConfiguration());
    assertThat(home(table)).isEmpty();
  }

  @Test
  void aTableThatIsReadOrCompactedThereHasOne() throws Exception {
    TableName read = create("read", table -> table.setValue("ishbase.read", "auto"), f -> {});
    TableName compacted =
        create("compacted", table -> {}, f -> f.setConfiguration("ishbase.compaction", "offload"));
    TableName asked =
        create("asked", table -> table.setValue("ishbase.placement", "true"), family -> {});
    TableName refused =
        create(
            "refused",
            table -> table.setValue("ishbase.read", "auto").setValue("ishbase.placement", "false"),
            family -> {});
    assertThat(home(read)).isEqualTo(dataNode());
    assertThat(home(compacted)).isEqualTo(dataNode());
    assertThat(home(asked)).isEqualTo(dataNode());
    assertThat(home(refused)).isEmpty();
  }

  @Test
  void whatHBasesBalancerHasChosenStays() throws Exception {
    TableName read = create("chosen", table -> table.setValue("ishbase.read", "auto"), f -> {});
    TableName asked =
        create("insists", table -> table.setValue("ishbase.placement", "true"), family -> {});
    for (TableName table : List.of(read, asked)) {
      favourOther(table);
      region(table).onConfigurationChange(server.getConfiguration());
    }
    assertThat(home(read)).isEqualTo(List.of(OTHER_PORT));
    assertThat(home(asked)).isEqualTo(dataNode());
    admin.modifyTable(
        TableDescriptorBuilder.newBuilder(admin.getDescriptor(read))
            .setValue("ishbase.read", "stock")
            .build());
    assertThat(home(read)).isEmpty();
  }
}
