package io.ishbase.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
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

  @Test
  void memoryIsNotMovedWithinABoundThatWasMeantOtherwise() {
    Map<String, String> wrong = Map.of("ishbase.memory.block-cache.max", "101");
    assertThat(SettingFaults.unsaid("hbase-site.xml", SettingScope.SITE, wrong::get))
        .containsExactly(
            "hbase-site.xml: ishbase.memory.block-cache.max = '101': must be a whole number from 1"
                + " to 100; ishbase.memory = stock is used");
  }

  @Test
  void aFaultIsOneLineWhateverTheValue() {
    String log = "1\n2026-01-01 00:00:00,000 FATAL regionserver: gone\r\t\u2028\u0000";
    for (String value : List.of(log, "9".repeat(100_000))) {
      assertThat(SettingFaults.unsaid("Table v", SettingScope.TABLE, key -> value))
          .isNotEmpty()
          .allSatisfy(
              line ->
                  assertThat(line)
                      .startsWith("Table v: ishbase.")
                      .hasSizeLessThan(500)
                      .matches("[\\x20-\\x7e]+"));
    }
  }
}
