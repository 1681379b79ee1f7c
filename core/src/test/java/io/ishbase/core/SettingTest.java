package io.ishbase.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SettingTest {
  @Test
  void defaultsAreSound() {
    assertThat(Setting.faults(key -> null)).isEmpty();
  }

  @Test
  void keysAreUniqueAndOurs() {
    assertThat(Arrays.stream(Setting.values()).map(Setting::key))
        .doesNotHaveDuplicates()
        .allMatch(key -> key.startsWith("ishbase."));
  }

  @Test
  void reportsAllFaultsTogetherWithTheValues() {
    Map<String, String> conf =
        Map.of("ishbase.rpc.timeout", "soon", "ishbase.read", "fast", "ishbase.issn.port", "70000");
    assertThat(Setting.faults(conf::get))
        .containsExactlyInAnyOrder(
            "ishbase.read = 'fast': must be one of stock | auto | in-storage",
            "ishbase.rpc.timeout = 'soon': must be a whole number from 10 to 600000",
            "ishbase.issn.port = '70000': must be a whole number from 0 to 65535");
  }

  @Test
  void refusesAWrongNumber() {
    assertThatThrownBy(() -> Setting.RPC_TIMEOUT.integer(key -> "-1"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("ishbase.rpc.timeout = '-1'");
  }

  /**
   * {@code docs/settings.md} is made from the table: {@code -Dishbase.docs.write=true} makes it.
   */
  @Test
  void documentationIsInStep() throws IOException {
    StringBuilder text = new StringBuilder("# Settings\n\n");
    text.append(
        "Made from `io.ishbase.core.Setting`. In `hbase-site.xml`, unless the text says else.\n\n");
    text.append("| key | default | unit or choice | meaning |\n| --- | --- | --- | --- |\n");
    for (Setting setting : Setting.values()) {
      text.append(
          String.format(
              "| `%s` | %s | %s | %s |%n",
              setting.key(),
              setting.defaultValue().isEmpty() ? "" : "`" + setting.defaultValue() + "`",
              setting.unit().replace("|", "or"),
              setting.description()));
    }
    Path page = Path.of("..", "docs", "settings.md");
    if (Boolean.getBoolean("ishbase.docs.write")) {
      Files.createDirectories(page.getParent());
      Files.writeString(page, text);
    }
    assertThat(page).hasContent(text.toString());
  }
}
