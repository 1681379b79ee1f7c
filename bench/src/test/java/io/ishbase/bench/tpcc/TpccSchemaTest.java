package io.ishbase.bench.tpcc;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;

final class TpccSchemaTest {
  @Test
  void keysSortAsTheirNumbersDo() {
    byte[][] sorted = {
      TpccSchema.key(1, 1, 1),
      TpccSchema.key(1, 1, 255),
      TpccSchema.key(1, 1, 256),
      TpccSchema.key(1, 1, 65_536),
      TpccSchema.key(1, 10, 1),
      TpccSchema.key(2, 1, 1),
      TpccSchema.key(256, 1, 1),
    };
    for (int i = 1; i < sorted.length; i++) {
      assertThat(Bytes.compareTo(sorted[i - 1], sorted[i])).isNegative();
    }
  }

  @Test
  void aCustomersNewestOrderSortsFirst() {
    assertThat(
            Bytes.compareTo(
                TpccSchema.customerOrderKey(1, 1, 7, 3001),
                TpccSchema.customerOrderKey(1, 1, 7, 3)))
        .isNegative();
  }

  @Test
  void onlyTheSameLastNameHasThePrefixOfItsKey() {
    byte[] prefix = TpccSchema.nameKey(1, 1, "BARBAR");
    assertThat(Bytes.startsWith(TpccSchema.nameKey(1, 1, "BARBAR", "ann", 5), prefix)).isTrue();
    assertThat(Bytes.startsWith(TpccSchema.nameKey(1, 1, "BARBARBAR", "ann", 5), prefix)).isFalse();
    assertThat(
            Bytes.compareTo(
                TpccSchema.nameKey(1, 1, "BARBAR", "ann", 9),
                TpccSchema.nameKey(1, 1, "BARBAR", "bob", 1)))
        .isNegative();
  }

  @Test
  void stockHasAColumnForEachDistrict() {
    assertThat(TpccSchema.Column.stockOfDistrict(1)).isEqualTo(TpccSchema.Column.S_DIST_01);
    assertThat(TpccSchema.Column.stockOfDistrict(10)).isEqualTo(TpccSchema.Column.S_DIST_10);
  }
}
