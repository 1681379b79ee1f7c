package io.ishbase.plugin.trace;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.core.trace.Neighbourhoods;
import io.ishbase.plugin.node.StorageNodes;
import io.ishbase.plugin.regionserver.InStorageRegion;
import io.ishbase.testing.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.Key;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.crypto.spec.SecretKeySpec;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.client.RowMutations;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.filter.BinaryComparator;
import org.apache.hadoop.hbase.filter.PageFilter;
import org.apache.hadoop.hbase.filter.QualifierFilter;
import org.apache.hadoop.hbase.io.crypto.KeyProvider;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.CommonFSUtils;
import org.apache.hadoop.hbase.wal.WALFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is recorded of which operation, by a region on the local file system. */
class RegionRecorderTest {
  private static final byte[] F = Bytes.toBytes("f");
  private static final byte[] G = Bytes.toBytes("g");
  private static final byte[] Q = Bytes.toBytes("q");
  private static final String TABLE = " ns:t ";

  @TempDir private Path dir;
  private @Nullable HRegion opened;
  private long ends;

  /** A key for every name. */
  public static final class Keys implements KeyProvider {
    @Override
    public void init(String params) {}

    @Override
    public Key getKey(String alias) {
      return new SecretKeySpec(new byte[16], "AES");
    }

    @Override
    public Key[] getKeys(String[] aliases) {
      return Arrays.stream(aliases).map(this::getKey).toArray(Key[]::new);
    }
  }

  private HRegion open(String perMille) throws IOException {
    return open(perMille, null);
  }

  private HRegion open(String perMille, @Nullable String encryption) throws IOException {
    Configuration conf = HBaseConfiguration.create();
    conf.set("fs.defaultFS", "file:///");
    conf.set("fs.file.impl", RawLocalFileSystem.class.getName());
    conf.setBoolean("fs.file.impl.disable.cache", true);
    conf.setBoolean(CommonFSUtils.UNSAFE_STREAM_CAPABILITY_ENFORCE, false);
    conf.set("hbase.rootdir", dir.toUri().toString());
    conf.set(HConstants.REGION_IMPL, InStorageRegion.class.getName());
    conf.set(HConstants.CRYPTO_KEYPROVIDER_CONF_KEY, Keys.class.getName());
    conf.set(HConstants.CRYPTO_MASTERKEY_NAME_CONF_KEY, "master");
    conf.setBoolean("hbase.regionserver.hlog.enabled", false);
    conf.setBoolean("hbase.hregion.memstore.mslab.enabled", false);
    StorageNodes.useFixed(List.of());
    TableName name = TableName.valueOf(TABLE.trim());
    RegionInfo info = RegionInfoBuilder.newBuilder(name).setRegionId(1).build();
    TableDescriptorBuilder table =
        TableDescriptorBuilder.newBuilder(name)
            .setColumnFamily(
                ColumnFamilyDescriptorBuilder.newBuilder(F)
                    .setMaxVersions(3)
                    .setBlocksize(64)
                    .build())
            .setColumnFamily(
                ColumnFamilyDescriptorBuilder.newBuilder(G).setEncryptionType(encryption).build());
    if (!perMille.isEmpty()) {
      table.setValue("ishbase.trace", perMille);
    }
    opened =
        HRegion.createHRegion(
            info,
            CommonFSUtils.getRootDir(conf),
            conf,
            table.build(),
            new WALFactory(conf, "local").getWAL(info));
    return opened;
  }

  @AfterEach
  void close() throws IOException {
    if (opened != null) {
      opened.close();
    }
  }

  private List<String> lines() {
    List<String> lines = new ArrayList<>();
    try (Stream<Path> files = Files.list(dir.resolve(TraceOutput.DIRECTORY))) {
      for (Path file : files.toList()) {
        Files.readAllLines(file).stream()
            .filter(line -> !line.startsWith("#"))
            .map(line -> line.substring(line.indexOf('\t') + 1).replace('\t', ' '))
            .forEach(lines::add);
      }
    } catch (NoSuchFileException e) {
      return List.of();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return lines;
  }

  /** What was recorded up to now, without times. */
  private List<String> recorded(HRegion region, Neighbourhoods chosen) throws IOException {
    byte[] end =
        IntStream.range(0, 1000)
            .mapToObj(i -> Bytes.toBytes("end" + i * 10))
            .filter(row -> chosen.has(row, row.length))
            .findFirst()
            .orElseThrow();
    String last = "delete" + TABLE + Bytes.toString(end) + " ";
    ends++;
    region.delete(new Delete(end));
    Await.until(last, () -> lines().stream().filter(line -> line.startsWith(last)).count() == ends);
    return lines().stream().filter(line -> !line.contains(TABLE + "end")).toList();
  }

  private List<String> recorded(HRegion region) throws IOException {
    return recorded(region, Neighbourhoods.unknown(Neighbourhoods.ALL));
  }

  private static byte[] row(int number) {
    return Bytes.toBytes(String.format("r%03d", number));
  }

  private static Put put(int number) {
    return new Put(row(number)).addColumn(F, Q, Bytes.toBytes("12345")).addColumn(G, Q, Q);
  }

  private static void read(RegionScanner scanner) throws IOException {
    boolean hasMore = true;
    while (hasMore) {
      hasMore = scanner.next(new ArrayList<Cell>());
    }
    scanner.close();
    // HBase may close one again.
    scanner.close();
  }

  @Test
  void eachOperationIsALine() throws IOException {
    HRegion region = open("1000");
    region.put(put(1));
    region.batchMutate(new Mutation[] {put(2), put(3)});
    region.get(new Get(row(1)));
    region.get(new Get(row(1)).addFamily(G));
    region.get(new Get(row(9)));
    region.delete(new Delete(row(2)).addColumns(F, Q));
    region.increment(new Increment(Bytes.toBytes("n\0")).addColumn(F, Q, 7));
    region.mutateRow(RowMutations.of(List.of(put(4), new Delete(row(4)).addFamily(G, 1))));
    region.checkAndMutate(
        CheckAndMutate.newBuilder(row(3))
            .ifMatches(G, Q, CompareOperator.EQUAL, Q)
            .build(new Put(row(3)).addColumn(G, Q, F)));
    assertThat(recorded(region))
        .containsExactly(
            "put ns:t r001 1 2 18",
            "put ns:t r002 1 2 18",
            "put ns:t r003 1 2 18",
            "get ns:t r001 1 2 18",
            "get ns:t r001 1 1 7",
            "get ns:t r009 1 0 0",
            "delete ns:t r002 1 1 6",
            "get ns:t n\\x00 1 0 0",
            "put ns:t n\\x00 1 1 12",
            "put ns:t r004 1 2 18",
            "delete ns:t r004 1 1 5",
            "get ns:t r003 1 1 7",
            "put ns:t r003 1 1 7");
  }

  /** In whatever parts its rows come, and in whatever order. */
  @Test
  void aScanIsItsRows() throws IOException {
    HRegion region = open("1000");
    for (int i = 0; i < 10; i++) {
      region.put(put(i));
    }
    read(region.getScanner(new Scan().withStartRow(row(2)).withStopRow(row(5))));
    read(region.getScanner(new Scan().setBatch(1).withStartRow(row(7))));
    read(region.getScanner(new Scan().setReversed(true).withStartRow(row(5)).withStopRow(row(3))));
    read(region.getScanner(new Scan().setFilter(new PageFilter(4))));
    read(region.getScanner(new Scan().withStartRow(Bytes.toBytes("s"))));
    read(
        region.getScanner(
            new Scan()
                .setReversed(true)
                .setFilter(new QualifierFilter(CompareOperator.EQUAL, new BinaryComparator(F)))));
    assertThat(recorded(region).stream().filter(line -> line.startsWith("scan")))
        .containsExactly(
            "scan ns:t r002 3 6 54",
            "scan ns:t r007 3 6 54",
            "scan ns:t r004 2 4 36",
            "scan ns:t r000 4 8 72",
            "scan ns:t s 0 0 0",
            "scan ns:t  0 0 0");
  }

  /** Before the region has files, and when it has learned from them. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void ofAShareAllIsRecordedAndOfTheRestNothing(boolean isFlushed) throws IOException {
    int rows = 400;
    HRegion region = open("500");
    for (int i = 0; i < rows; i++) {
      region.put(put(i));
    }
    Neighbourhoods chosen = Neighbourhoods.unknown(500);
    if (isFlushed) {
      region.flush(true);
      chosen =
          Neighbourhoods.of(
              BlockStarts.runs(
                  region
                      .getStore(F)
                      .getStorefiles()
                      .iterator()
                      .next()
                      .getReader()
                      .getHFileReader()),
              500);
      assertThat(chosen.isUnknown()).isFalse();
    }
    // It looks at its files in the background.
    byte[] probe = probe(chosen, isFlushed);
    Await.until(
        "neighbourhoods",
        () -> {
          try {
            region.get(new Get(probe));
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
          return lines().stream().anyMatch(line -> line.contains(TABLE + Bytes.toString(probe)));
        });
    int before = recorded(region, chosen).size();
    for (int i = 0; i < rows; i++) {
      region.get(new Get(row(i)));
    }
    read(region.getScanner(new Scan().withStopRow(row(rows))));
    read(region.getScanner(new Scan().setReversed(true).withStartRow(row(rows - 1))));
    List<String> expected = new ArrayList<>();
    List<String> stretches = new ArrayList<>();
    int first = -1;
    for (int i = 0; i <= rows; i++) {
      boolean isIn = i < rows && chosen.has(row(i), row(i).length);
      if (isIn) {
        expected.add("get ns:t " + Bytes.toString(row(i)) + " 1 2 18");
        first = first < 0 ? i : first;
      } else if (first >= 0) {
        int length = i - first;
        stretches.add(
            String.format(
                "scan ns:t %s %d %d %d",
                Bytes.toString(row(first)), length, 2 * length, 18 * length));
        first = -1;
      }
    }
    assertThat(expected).hasSizeBetween(rows / 5, rows * 4 / 5);
    expected.addAll(stretches);
    for (int i = stretches.size() - 1; i >= 0; i--) {
      expected.add(stretches.get(i));
    }
    List<String> recorded = recorded(region, chosen);
    assertThat(recorded.subList(before, recorded.size())).isEqualTo(expected);
  }

  /** A row that is recorded, when the region has learned only then if it has to. */
  private static byte[] probe(Neighbourhoods chosen, boolean hasToLearn) {
    return IntStream.range(0, 1000)
        .mapToObj(i -> Bytes.toBytes("end-" + i * 10))
        .filter(row -> chosen.has(row, row.length))
        .filter(row -> !hasToLearn || !Neighbourhoods.unknown(500).has(row, row.length))
        .findFirst()
        .orElseThrow();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "0", "-1", "1001", "all"})
  void nothingIsRecordedUnlessItIsAskedFor(String perMille) throws IOException {
    nothingIsRecorded(open(perMille));
  }

  /** Its row keys would stand in the clear. */
  @Test
  void nothingIsRecordedOfWhatIsEncrypted() throws IOException {
    nothingIsRecorded(open("1000", "AES"));
  }

  private void nothingIsRecorded(HRegion region) throws IOException {
    region.put(put(1));
    assertThat(region.get(new Get(row(1))).size()).isEqualTo(2);
    read(region.getScanner(new Scan()));
    try (RegionScanner scanner = region.getScanner(new Scan())) {
      assertThat(scanner.getClass().getSimpleName()).isEqualTo("RegionScannerImpl");
    }
    assertThat(dir.resolve(TraceOutput.DIRECTORY)).doesNotExist();
  }
}
