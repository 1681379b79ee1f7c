package io.ishbase.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.core.Setting;
import io.ishbase.it.metamorphic.Answer;
import io.ishbase.plugin.metrics.InStorageMetrics;
import io.ishbase.testing.Seed;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Query;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.filter.BinaryComparator;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.filter.FilterList;
import org.apache.hadoop.hbase.filter.FirstKeyOnlyFilter;
import org.apache.hadoop.hbase.filter.KeyOnlyFilter;
import org.apache.hadoop.hbase.filter.PageFilter;
import org.apache.hadoop.hbase.filter.PrefixFilter;
import org.apache.hadoop.hbase.filter.QualifierFilter;
import org.apache.hadoop.hbase.filter.RowFilter;
import org.apache.hadoop.hbase.filter.SingleColumnValueFilter;
import org.apache.hadoop.hbase.filter.SubstringComparator;
import org.apache.hadoop.hbase.filter.ValueFilter;
import org.apache.hadoop.hbase.io.crypto.KeyProviderForTesting;
import org.apache.hadoop.hbase.mob.MobConstants;
import org.apache.hadoop.hbase.regionserver.HMobStore;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Families with large objects that are read by storage nodes: equal to stock, and what it costs.
 * {@code -Dishbase.seed=} repeats a run.
 */
class MobReadsTest {
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final byte[] QUALIFIER = Bytes.toBytes("q0");
  private static final int ROWS = 12;
  private static final int LARGE = 100 << 10;
  private static final int THRESHOLD = 1000;

  private static MiniCluster cluster;
  private static ProxiedDaemons daemons;

  private interface Read {
    void run() throws IOException;
  }

  /**
   * What a read costs.
   *
   * @param bytes that daemons sent
   * @param here large objects that the region server looked up in MOB files
   */
  private record Cost(long requests, long bytes, long here) {}

  @BeforeAll
  static void start() throws Exception {
    cluster =
        MiniCluster.start(
            conf -> {
              conf.setInt("hbase.client.retries.number", 3);
              conf.setBoolean("hbase.table.sanity.checks", false);
              conf.setInt("ishbase.rpc.timeout", 20_000);
              conf.set(
                  HConstants.CRYPTO_KEYPROVIDER_CONF_KEY, KeyProviderForTesting.class.getName());
              conf.set(HConstants.CRYPTO_MASTERKEY_NAME_CONF_KEY, "hbase");
            });
    daemons = ProxiedDaemons.start(cluster);
  }

  @AfterAll
  static void stop() throws Exception {
    daemons.close();
    cluster.close();
  }

  @AfterEach
  void drop() throws IOException {
    cluster.dropTables();
  }

  private static ColumnFamilyDescriptorBuilder family() {
    return ColumnFamilyDescriptorBuilder.newBuilder(FAMILY)
        .setMobEnabled(true)
        .setMobThreshold(THRESHOLD)
        .setMaxVersions(3);
  }

  private static TableName create(String name, ColumnFamilyDescriptor family) throws IOException {
    return create(name, family, "true");
  }

  private static TableName create(String name, ColumnFamilyDescriptor family, String placement)
      throws IOException {
    cluster
        .util
        .getAdmin()
        .createTable(
            TableDescriptorBuilder.newBuilder(TableName.valueOf(name))
                .setColumnFamily(family)
                .setCompactionEnabled(false)
                .setValue(Setting.PLACEMENT.key(), placement)
                .build());
    return TableName.valueOf(name);
  }

  private static byte[] row(int row) {
    return Bytes.toBytes(String.format("row%03d", row));
  }

  private static byte[] qualifier(int column) {
    return Bytes.toBytes("q" + column);
  }

  /** Gives each row such a value, and flushes. */
  private static void fill(TableName name, int bytes, Random random) throws IOException {
    try (Table table = cluster.connection().getTable(name)) {
      for (int row = 0; row < ROWS; row++) {
        byte[] value = new byte[bytes];
        random.nextBytes(value);
        table.put(new Put(row(row)).addColumn(FAMILY, QUALIFIER, value));
      }
    }
    cluster.util.flush(name);
  }

  private static HRegion region(TableName name) {
    return cluster.regions(name).get(0);
  }

  private static Cost costOf(TableName name, Read read) throws IOException {
    long requests = InStorageMetrics.get().requests();
    long bytes = daemons.bytesToClient();
    long here = region(name).getMobFileCache().getAccessCount();
    read.run();
    return new Cost(
        InStorageMetrics.get().requests() - requests,
        daemons.bytesToClient() - bytes,
        region(name).getMobFileCache().getAccessCount() - here);
  }

  /** Opens connections and learns where files lie. */
  private static void connect(Table table) {
    MiniCluster.await(
        "an answer from a daemon",
        () -> {
          try {
            long before = InStorageMetrics.get().cells();
            table.get(inStorage(new Get(row(0))));
            return InStorageMetrics.get().cells() > before;
          } catch (IOException e) {
            throw new AssertionError(e);
          }
        });
  }

  private static Get inStorage(Get get) {
    return MiniCluster.in(MiniCluster.IN_STORAGE, get);
  }

  private static Scan inStorage(Scan scan) {
    return MiniCluster.in(MiniCluster.IN_STORAGE, scan);
  }

  @Test
  void aGetCostsOneRequestAndTheValue() throws Exception {
    TableName name = create("one", family().build());
    Random random = new Random(Seed.get());
    fill(name, LARGE, random);
    fill(name, LARGE, random);
    try (Table table = cluster.connection().getTable(name)) {
      connect(table);
      for (int row = 0; row < ROWS; row++) {
        byte[] key = row(row);
        byte[] stock = table.get(MiniCluster.in(MiniCluster.STOCK, new Get(key))).value();
        Cost cost =
            costOf(
                name,
                () -> assertThat(table.get(inStorage(new Get(key))).value()).isEqualTo(stock));
        assertThat(cost.requests).isEqualTo(1);
        assertThat(cost.bytes).isBetween((long) LARGE, LARGE * 105L / 100);
        assertThat(cost.here).isZero();
      }
    }
  }

  @Test
  void theyLieAtTheRegionsHome() throws Exception {
    // The test says itself where.
    TableName name = create("home", family().build(), "false");
    HMobStore store = (HMobStore) region(name).getStore(FAMILY);
    for (int node = 0; node < 2; node++) {
      cluster.setHome(name, node);
      fill(name, 2 * THRESHOLD, new Random(Seed.get()));
      String home =
          "127.0.0.1:" + cluster.util.getDFSCluster().getDataNodes().get(node).getXferPort();
      FileSystem fs = store.getFileSystem();
      assertThat(fs.listStatus(store.getPath())).hasSize(1);
      for (FileStatus file : fs.listStatus(store.getPath())) {
        for (BlockLocation block : fs.getFileBlockLocations(file, 0, file.getLen())) {
          assertThat(block.getNames()).containsExactly(home);
        }
      }
      assertThat(fs.delete(store.getPath(), true)).isTrue();
    }
  }

  @Test
  void getsOfACallShareRequests() throws Exception {
    TableName name = create("call", family().build());
    fill(name, LARGE, new Random(Seed.get()));
    try (Table table = cluster.connection().getTable(name)) {
      connect(table);
      List<Get> gets = new ArrayList<>();
      for (int row = 0; row < ROWS; row++) {
        gets.add(inStorage(new Get(row(row))));
      }
      Cost cost = costOf(name, () -> assertThat(table.get(gets)).hasSize(ROWS));
      // Answers of about a megabyte.
      assertThat(cost.requests).isEqualTo(2);
      assertThat(cost.bytes).isLessThan(ROWS * LARGE * 105L / 100);
      assertThat(cost.here).isZero();
    }
  }

  @Test
  void aScanFetchesEachValueOnce() throws Exception {
    TableName name = create("scan", family().build());
    fill(name, LARGE, new Random(Seed.get()));
    try (Table table = cluster.connection().getTable(name)) {
      connect(table);
      for (boolean reversed : new boolean[] {false, true}) {
        Cost cost =
            costOf(name, () -> assertThat(rows(table, reversed, Integer.MAX_VALUE)).hasSize(ROWS));
        assertThat(cost.requests).isLessThanOrEqualTo(6);
        assertThat(cost.bytes).isLessThan(ROWS * LARGE * 105L / 100);
        assertThat(cost.here).isZero();
      }
    }
  }

  private static List<String> rows(Table table, boolean reversed, int count) throws IOException {
    List<String> rows = new ArrayList<>();
    try (ResultScanner scanner = table.getScanner(inStorage(new Scan().setReversed(reversed)))) {
      for (Result result = scanner.next();
          result != null && rows.size() < count;
          result = scanner.next()) {
        assertThat(result.value()).hasSize(LARGE);
        rows.add(Bytes.toString(result.getRow()));
      }
    }
    return rows;
  }

  @Test
  void aValueLargerThanAnyAnswerComesWhole() throws Exception {
    TableName name = create("large", family().build());
    byte[] value = new byte[7 << 20];
    new Random(Seed.get()).nextBytes(value);
    try (Table table = cluster.connection().getTable(name)) {
      table.put(
          new Put(row(0))
              .addColumn(FAMILY, qualifier(0), value)
              .addColumn(FAMILY, qualifier(1), Bytes.toBytes("small")));
      cluster.util.flush(name);
      connect(table);
      Cost cost =
          costOf(
              name,
              () -> {
                Result result = table.get(inStorage(new Get(row(0))));
                assertThat(result.getValue(FAMILY, qualifier(0))).isEqualTo(value);
                assertThat(result.getValue(FAMILY, qualifier(1))).asString().isEqualTo("small");
              });
      assertThat(cost.requests).isEqualTo(1);
      assertThat(cost.here).isZero();
    }
  }

  @Test
  void whatNobodyReturnsStaysWhereItIs() throws Exception {
    TableName name = create("hidden", family().build());
    fill(name, LARGE, new Random(Seed.get()));
    try (Table table = cluster.connection().getTable(name)) {
      for (int row = 0; row < ROWS; row++) {
        table.delete(
            row % 2 == 0
                ? new Delete(row(row)).addFamily(FAMILY)
                : new Delete(row(row)).addColumns(FAMILY, QUALIFIER));
      }
      cluster.util.flush(name);
      connect(table);
      for (Query query :
          List.<Query>of(
              new Scan(),
              new Scan().setAttribute(MobConstants.MOB_SCAN_RAW, Bytes.toBytes(true)).setRaw(true),
              new Scan().setFilter(new KeyOnlyFilter(true)),
              new Scan().setFilter(new KeyOnlyFilter()),
              new Scan()
                  .setFilter(
                      new ValueFilter(
                          CompareOperator.EQUAL, new BinaryComparator(new byte[10]))))) {
        Cost cost = costOf(name, () -> drain(table, inStorage((Scan) query)));
        assertThat(cost.requests).as(query.toString()).isPositive();
        assertThat(cost.bytes).as(query.toString()).isLessThan(LARGE);
        assertThat(cost.here).as(query.toString()).isZero();
      }
    }
  }

  private static void drain(Table table, Scan scan) throws IOException {
    try (ResultScanner scanner = table.getScanner(scan)) {
      while (scanner.next() != null) {
        // On.
      }
    }
  }

  /** Values on both sides of the threshold, deletes, flushes, compactions with and without MOB. */
  @Test
  void readsEqualStock() throws Exception {
    Random random = new Random(Seed.get());
    TableName name =
        create(
            "equal",
            family()
                .setMobThreshold(20)
                .setBlocksize(256)
                .setConfiguration("ishbase.batch.first.bytes", "256")
                .setConfiguration("ishbase.batch.max.bytes", "2048")
                .build());
    Comparison comparison = new Comparison(random, List::of);
    try (Table table = cluster.connection().getTable(name)) {
      fill(name, 50, random);
      connect(table);
      for (int round = 0; round < 6; round++) {
        change(table, random);
        if (round % 3 < 2) {
          cluster.util.flush(name);
        }
        if (round == 2) {
          cluster.util.getAdmin().compactionSwitch(true, List.of());
          region(name).compact(false);
        } else if (round == 4) {
          // As HBase's chore asks for it: large objects are written anew.
          region(name).getStore(FAMILY).triggerMajorCompaction();
          region(name).compact(true);
        }
        for (int query = 0; query < 40; query++) {
          if (random.nextBoolean()) {
            comparison.of(table, scan(random));
          } else if (random.nextBoolean()) {
            comparison.of(table, get(random));
          } else {
            comparison.of(table, List.of(get(random), get(random), get(random)));
          }
        }
      }
    }
  }

  private static void change(Table table, Random random) throws IOException {
    for (int i = 0; i < 30; i++) {
      byte[] row = row(random.nextInt(ROWS));
      byte[] qualifier = qualifier(random.nextInt(3));
      long time = System.currentTimeMillis() - random.nextInt(20);
      switch (random.nextInt(8)) {
        case 0 -> table.delete(new Delete(row).addColumn(FAMILY, qualifier, time));
        case 1 -> table.delete(new Delete(row).addColumns(FAMILY, qualifier, time));
        case 2 -> table.delete(new Delete(row).addFamily(FAMILY, time));
        default -> {
          byte[] value = Bytes.toBytes("v".repeat(random.nextInt(60)) + random.nextInt(10));
          table.put(new Put(row).addColumn(FAMILY, qualifier, time, value));
        }
      }
    }
  }

  private static Get get(Random random) throws IOException {
    Get get = new Get(row(random.nextInt(ROWS))).readVersions(1 + random.nextInt(4));
    if (random.nextBoolean()) {
      get.addColumn(FAMILY, qualifier(random.nextInt(3)));
    }
    vary(get, random);
    return get;
  }

  private static Scan scan(Random random) throws IOException {
    Scan scan =
        new Scan()
            .setReversed(random.nextInt(4) == 0)
            .readVersions(1 + random.nextInt(4))
            .setRaw(random.nextInt(6) == 0)
            .setCaching(1 + random.nextInt(20));
    if (random.nextBoolean() && !scan.isRaw()) {
      scan.addColumn(FAMILY, qualifier(random.nextInt(3)));
    }
    if (random.nextInt(4) == 0) {
      scan.setLimit(1 + random.nextInt(5));
    }
    if (random.nextInt(4) == 0) {
      scan.setMaxResultsPerColumnFamily(1 + random.nextInt(2));
    }
    vary(scan, random);
    return scan;
  }

  private static void vary(Query query, Random random) {
    Filter filter = filter(random);
    if (filter != null) {
      query.setFilter(filter);
      if (query instanceof Scan scan) {
        // Else HBase ends a call within a row to go on as a stream, and a filter loses the row.
        scan.setReadType(Scan.ReadType.PREAD);
      }
    }
    for (String attribute :
        List.of(
            MobConstants.MOB_SCAN_RAW,
            MobConstants.MOB_SCAN_REF_ONLY,
            MobConstants.MOB_CACHE_BLOCKS)) {
      if (random.nextInt(6) == 0) {
        query.setAttribute(attribute, Bytes.toBytes(true));
      }
    }
  }

  private static Filter filter(Random random) {
    return switch (random.nextInt(14)) {
      case 0 -> new ValueFilter(CompareOperator.EQUAL, new SubstringComparator("v"));
      case 1 -> new ValueFilter(CompareOperator.EQUAL, new SubstringComparator("_"));
      case 2 ->
          new SingleColumnValueFilter(
              FAMILY, qualifier(1), CompareOperator.GREATER, Bytes.toBytes("v"));
      case 3 -> new RowFilter(CompareOperator.LESS, new BinaryComparator(row(ROWS / 2)));
      case 4 -> new QualifierFilter(CompareOperator.EQUAL, new BinaryComparator(qualifier(1)));
      case 5 -> new PageFilter(3);
      case 6 -> new FirstKeyOnlyFilter();
      case 7 -> new KeyOnlyFilter();
      case 8 -> new KeyOnlyFilter(true);
      case 9 -> new FilterList(new PageFilter(4), new PrefixFilter(Bytes.toBytes("row00")));
      default -> null;
    };
  }

  /** Stock's exception, or an empty value for who asks for that. */
  @Test
  void lostFiles() throws Exception {
    Random random = new Random(Seed.get());
    TableName name = create("lost", family().build());
    fill(name, 2 * THRESHOLD, random);
    HMobStore store = (HMobStore) region(name).getStore(FAMILY);
    FileSystem fs = store.getFileSystem();
    assertThat(fs.delete(store.getPath(), true)).isTrue();
    cluster.util.getAdmin().disableTable(name);
    cluster.util.getAdmin().enableTable(name);
    try (Table table = cluster.connection().getTable(name)) {
      for (String attribute : List.of("", MobConstants.EMPTY_VALUE_ON_MOBCELL_MISS)) {
        Get get = new Get(row(0)).setAttribute(attribute, Bytes.toBytes(true));
        String stock = answer(table, MiniCluster.in(MiniCluster.STOCK, new Get(get)));
        assertThat(stock).contains(attribute.isEmpty() ? "FileNotFoundException" : "row000");
        long requests = InStorageMetrics.get().requests();
        assertThat(answer(table, inStorage(new Get(get)))).isEqualTo(stock);
        assertThat(InStorageMetrics.get().requests()).isGreaterThan(requests);
      }
    }
  }

  private static String answer(Table table, Get get) {
    Answer answer = Comparison.answer(found -> found.add(Comparison.text(table.get(get))));
    return answer.isRefused()
        ? answer.thrown() + answer.message().lines().findFirst().orElse("")
        : String.join("", answer.results());
  }

  /** The MOB files of a clone are in the archive of the original. */
  @Test
  void clones() throws Exception {
    Random random = new Random(Seed.get());
    Admin admin = cluster.util.getAdmin();
    TableName original = create("original", family().build());
    fill(original, 3 * THRESHOLD, random);
    admin.snapshot("snapshot", original);
    TableName clone = TableName.valueOf("clone");
    admin.cloneSnapshot("snapshot", clone);
    admin.disableTable(original);
    admin.deleteTable(original);
    // Where its HFiles are now it looks when it opens.
    admin.disableTable(clone);
    admin.enableTable(clone);
    try (Table table = cluster.connection().getTable(clone)) {
      connect(table);
      List<String> stock =
          ReadCheck.scan(
              cluster.connection(), clone, MiniCluster.in(MiniCluster.STOCK, new Scan()));
      assertThat(stock).hasSize(ROWS);
      Cost cost =
          costOf(
              clone,
              () ->
                  assertThat(ReadCheck.scan(cluster.connection(), clone, inStorage(new Scan())))
                      .isEqualTo(stock));
      assertThat(cost.bytes).isGreaterThan(3L * THRESHOLD * ROWS);
      assertThat(cost.here).isZero();
    }
    admin.deleteSnapshot("snapshot");
  }

  /** The HFile is not encrypted any more, but the MOB file is: the line is open. */
  @Test
  void encryptedFiles() throws Exception {
    TableName name = create("secret", family().setEncryptionType("AES").build());
    Random random = new Random(Seed.get());
    fill(name, 2 * THRESHOLD, random);
    Admin admin = cluster.util.getAdmin();
    admin.modifyColumnFamily(name, family().build());
    fill(name, THRESHOLD / 2, random);
    admin.compactionSwitch(true, List.of());
    // One that nobody asked for: references stay what they are.
    region(name).compact(true);
    assertThat(region(name).getStore(FAMILY).getStorefilesCount()).isEqualTo(1);
    try (Table table = cluster.connection().getTable(name)) {
      connect(table);
      Scan all = new Scan().readAllVersions();
      List<String> stock =
          ReadCheck.scan(
              cluster.connection(), name, MiniCluster.in(MiniCluster.STOCK, new Scan(all)));
      assertThat(stock).hasSize(2 * ROWS);
      Cost cost =
          costOf(
              name,
              () ->
                  assertThat(ReadCheck.scan(cluster.connection(), name, inStorage(new Scan(all))))
                      .isEqualTo(stock));
      assertThat(cost.requests).isPositive();
      assertThat(cost.here).isEqualTo(ROWS);
      assertThat(cost.bytes).isLessThan(2L * THRESHOLD * ROWS);
    }
  }

  @Test
  void aDaemonDiesInTheMiddle() throws Exception {
    TableName name = create("dying", family().build());
    fill(name, LARGE, new Random(Seed.get()));
    try (Table table = cluster.connection().getTable(name)) {
      connect(table);
      Scan scan = inStorage(new Scan().setCaching(1));
      try (ResultScanner scanner = table.getScanner(scan)) {
        for (int row = 0; row < ROWS; row++) {
          if (row == 2) {
            daemons.set(FaultyProxy.Mode.CUT);
          }
          Result result = scanner.next();
          assertThat(result.getRow()).isEqualTo(row(row));
          assertThat(result.value()).hasSize(LARGE);
        }
        assertThat(scanner.next()).isNull();
      } finally {
        daemons.set(FaultyProxy.Mode.PASS);
        NodesBean.forgetFailures();
      }
    }
  }
}
