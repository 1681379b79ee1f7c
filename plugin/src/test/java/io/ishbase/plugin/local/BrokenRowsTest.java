package io.ishbase.plugin.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.plugin.cache.Broken;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Cached rows that cannot be made cells again: a defect of the cache is not one of the read. */
class BrokenRowsTest {
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final int ROWS = 60;
  private static final int COLUMNS = 5;
  private static final byte[] BROKEN = row(30);

  @TempDir private Path directory;
  private LocalRegion region;

  @BeforeEach
  void open() throws IOException {
    region = LocalRegion.ofOneFamily(directory, FAMILY, 8 << 20);
    for (int row = 0; row < ROWS; row++) {
      Put put = new Put(row(row));
      for (int column = 0; column < COLUMNS; column++) {
        put.addColumn(FAMILY, column(column), Bytes.toBytes("value " + column + " of row " + row));
      }
      region.region().put(put);
    }
    region.region().flush(true);
  }

  @AfterEach
  void close() throws IOException {
    region.close();
  }

  private static byte[] row(int row) {
    return Bytes.toBytes(String.format(Locale.ROOT, "%04d", row));
  }

  private static byte[] column(int column) {
    return Bytes.toBytes("q" + column);
  }

  /** What becomes of the bytes that are held of a row. */
  static Stream<Arguments> faults() {
    return Stream.of(
        fault("packed, and garbage", held -> new byte[] {1, 90, 1, 2, 3}),
        fault("folded, and garbage", held -> new byte[] {127, 90, 1, 2, 3}),
        fault("of a dictionary that is not there", held -> new byte[] {9, 90, 1, 2, 3}),
        fault("of a size that cannot be", held -> new byte[] {1, -1, -1, -1, -1, 1, 2, 3}),
        fault("of a size without an end", held -> new byte[] {1, -1, -1}),
        fault("too short to be packed", held -> new byte[] {1, 90}),
        fault("cut in its last cell", held -> Arrays.copyOf(held, held.length - 1)),
        fault("cut behind its first cell", held -> Arrays.copyOf(held, held.length / COLUMNS + 5)),
        fault("cut in its first cell", held -> Arrays.copyOf(held, 12)));
  }

  private static Arguments fault(String name, UnaryOperator<byte[]> change) {
    return Arguments.of(name, change);
  }

  private void breakRow(UnaryOperator<byte[]> change) throws IOException {
    // Fills the cache.
    assertThat(region.scan(new Scan(), LocalRegion.IN_STORAGE)).hasSize(ROWS);
    region.daemons().taken();
    assertThat(region.scan(new Scan(), LocalRegion.IN_STORAGE)).hasSize(ROWS);
    assertThat(region.daemons().taken()).as("all is cached").isEmpty();
    Broken.row(region.region().getStore(FAMILY), BROKEN, change);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("faults")
  void aScanGoesOnAtTheNode(String name, UnaryOperator<byte[]> change) throws IOException {
    breakRow(change);
    assertThat(region.faultsOfCache()).hasSize(1).first().asString().contains("cannot be read");
    seesAll(new Scan());
    assertThat(region.daemons().taken()).as("from the broken row on").hasSize(1);
    assertThat(region.faultsOfCache()).isEmpty();
    // Nobody knows any more that nothing lies before the row.
    seesAll(new Scan());
    region.daemons().taken();
    seesAll(new Scan());
    assertThat(region.daemons().taken()).as("cached again").isEmpty();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("faults")
  void soDoesOneThatSeeksInTheRow(String name, UnaryOperator<byte[]> change) throws IOException {
    breakRow(change);
    seesAll(new Scan().addColumn(FAMILY, column(0)).addColumn(FAMILY, column(3)));
    seesAll(new Scan().addColumn(FAMILY, column(COLUMNS - 1)));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("faults")
  void aGetAsksTheNode(String name, UnaryOperator<byte[]> change) throws IOException {
    breakRow(change);
    for (int i = 0; i < 2; i++) {
      Get get = new Get(BROKEN);
      assertThat(texts(region.get(get, LocalRegion.IN_STORAGE)))
          .isEqualTo(texts(region.get(get, LocalRegion.STOCK)));
    }
    assertThat(region.faultsOfCache()).isEmpty();
  }

  private void seesAll(Scan scan) throws IOException {
    List<List<String>> stock = rows(new Scan(scan), LocalRegion.STOCK);
    assertThat(stock).hasSize(ROWS);
    assertThat(rows(new Scan(scan), LocalRegion.IN_STORAGE)).isEqualTo(stock);
  }

  private List<List<String>> rows(Scan scan, String mode) throws IOException {
    return region.scan(scan, mode).stream().map(BrokenRowsTest::texts).toList();
  }

  private static List<String> texts(List<Cell> cells) {
    return cells.stream()
        .map(cell -> cell + "=" + Bytes.toString(CellUtil.cloneValue(cell)))
        .toList();
  }
}
