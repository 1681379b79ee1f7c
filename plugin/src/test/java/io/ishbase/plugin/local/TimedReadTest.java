package io.ishbase.plugin.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ishbase.plugin.gate.TimedRead;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.regionserver.HMobStore;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.StoreScanner;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** When a gate hears of a read, and what. */
class TimedReadTest {
  private static final byte[] FAMILY = Bytes.toBytes("f");

  @TempDir private Path directory;

  private final List<Long> ended = new ArrayList<>();
  private final TimedRead read = new TimedRead((nanos, cells) -> ended.add(cells));

  private LocalRegion open(boolean mob) throws Exception {
    TableName name = TableName.valueOf("t");
    RegionInfo info = RegionInfoBuilder.newBuilder(name).setRegionId(1).build();
    return new LocalRegion(
        directory,
        info,
        TableDescriptorBuilder.newBuilder(name)
            .setColumnFamily(
                ColumnFamilyDescriptorBuilder.newBuilder(FAMILY).setMobEnabled(mob).build())
            .build(),
        1,
        false,
        0);
  }

  @ParameterizedTest
  @CsvSource({"false, false", "false, true", "true, false", "true, true"})
  void aReadEndsOnceHoweverOftenItIsClosed(boolean mob, boolean reversed) throws Exception {
    try (LocalRegion region = open(mob)) {
      region
          .region()
          .put(
              new Put(Bytes.toBytes("a"))
                  .addColumn(FAMILY, Bytes.toBytes("q"), Bytes.toBytes("v"))
                  .addColumn(FAMILY, Bytes.toBytes("r"), Bytes.toBytes("w")));
      HStore store = region.region().getStore(FAMILY);
      assertThat(store instanceof HMobStore).isEqualTo(mob);
      StoreScanner scanner =
          (StoreScanner)
              read.scanner(
                  store,
                  store.getScanInfo(),
                  new Scan().setReversed(reversed),
                  null,
                  Long.MAX_VALUE);
      List<Cell> cells = new ArrayList<>();
      scanner.next(cells);
      assertThat(cells).hasSize(2);
      assertThat(ended).isEmpty();
      scanner.close();
      scanner.close();
      assertThat(ended).containsExactly(2L);
    }
  }

  @Test
  void aReadThatCannotBeginHasEnded() throws Exception {
    try (LocalRegion region = open(false)) {
      HStore store = region.region().getStore(FAMILY);
      assertThatThrownBy(() -> read.scanner(store, null, new Scan(), null, Long.MAX_VALUE))
          .isInstanceOf(NullPointerException.class);
      assertThat(ended).containsExactly(0L);
    }
  }
}
