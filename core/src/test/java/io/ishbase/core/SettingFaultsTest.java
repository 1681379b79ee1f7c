package io.ishbase.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class SettingFaultsTest {
  @Test
  void eachFaultIsSaidOnceWithWhatIsUsedInstead() {
    Map<String, String> wrong =
        Map.of("ishbase.compaction", "ofload", "ishbase.filters.cell.local", "any", "other", "x");
    assertThat(SettingFaults.unsaid("Table t", SettingScope.TABLE, wrong::get))
        .containsExactly(
            "Table t: ishbase.compaction = 'ofload': must be one of stock | offload; stock is used");
    assertThat(SettingFaults.unsaid("Table t", SettingScope.TABLE, wrong::get)).isEmpty();
    assertThat(SettingFaults.unsaid("Table u", SettingScope.TABLE, wrong::get)).hasSize(1);
    assertThat(SettingFaults.unsaid("Table t", SettingScope.TABLE, key -> "-7"))
        .contains(
            "Table t: ishbase.compaction = '-7': must be one of stock | offload; stock is used")
        .contains(
            "Table t: ishbase.batch.first.bytes = '-7': must be a whole number from 256 to"
                + " 16777216; 16384 is used");
  }
}
