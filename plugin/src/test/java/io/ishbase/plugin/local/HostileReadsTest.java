package io.ishbase.plugin.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Reads and settings that HBase bears, and what is put upon it has to bear, too. */
class HostileReadsTest {
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final byte[] ROW = Bytes.toBytes("r");

  @TempDir private Path directory;

  private LocalRegion region(long cacheBytes) throws IOException {
    TableName name = TableName.valueOf("t");
    LocalRegion region =
        new LocalRegion(
            directory,
            RegionInfoBuilder.newBuilder(name).build(),
            TableDescriptorBuilder.newBuilder(name)
                .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
                .build(),
            1,
            false,
            cacheBytes);
    region.region().put(new Put(ROW).addColumn(FAMILY, FAMILY, ROW));
    region.region().flush(true);
    return region;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void aCallOfManyKindsOfGetsTakesNoTimeOfItsOwn(int rowsOfAKind) throws IOException {
    try (LocalRegion region = region(0)) {
      List<Get> gets = new ArrayList<>();
      for (int i = 0; i < 20_000; i++) {
        byte[] qualifier = Bytes.toBytes(i / rowsOfAKind);
        gets.add(new Get(Bytes.toBytes("r" + i)).addColumn(FAMILY, qualifier));
      }
      List<List<Cell>> rows =
          Assertions.assertTimeoutPreemptively(
              Duration.ofMinutes(1), () -> region.multiGet(gets, LocalRegion.IN_STORAGE));
      assertThat(rows).hasSize(gets.size());
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1L << 46, 1L << 51, 1L << 62, Long.MAX_VALUE})
  void aCacheBeyondAllMemoryClosesNoRegion(long cacheBytes) throws IOException {
    try (LocalRegion region = region(cacheBytes)) {
      for (int read = 0; read < 3; read++) {
        assertThat(region.get(new Get(ROW), LocalRegion.IN_STORAGE)).hasSize(1);
        assertThat(region.scan(new Scan(), LocalRegion.IN_STORAGE)).hasSize(1);
      }
      assertThat(region.faultsOfCache()).isEmpty();
    }
  }
}
