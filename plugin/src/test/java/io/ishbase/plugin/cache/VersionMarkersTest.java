package io.ishbase.plugin.cache;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.apache.hadoop.hbase.KeyValue;
import org.junit.jupiter.api.Test;

/** Which cells are noted, of any type that can be sent. */
class VersionMarkersTest {
  private static final Set<Integer> MARKERS_OF_ONE = Set.of(8, 9, 10, 11, 13);

  @Test
  void aMarkerOfOneVersionIsNoted() {
    byte[] row = {'r'};
    for (int type = 0; type <= 255; type++) {
      KeyValue cell = new KeyValue(row, row, row, 1, row);
      cell.setSequenceId(7);
      int typeAt = cell.getOffset() + KeyValue.ROW_OFFSET + cell.getKeyLength() - 1;
      cell.getBuffer()[typeAt] = (byte) type;
      VersionMarkers markers = new VersionMarkers();
      boolean isOne = MARKERS_OF_ONE.contains(type);
      assertThat(markers.add(cell)).as("type %d", type).isEqualTo(isOne);
      assertThat(markers.mayBeInMemstore(6)).isEqualTo(isOne);
      assertThat(markers.mayBeInMemstore(7)).isFalse();
    }
  }
}
