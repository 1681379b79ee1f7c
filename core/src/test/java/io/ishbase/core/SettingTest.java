package io.ishbase.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class SettingTest {
  @Test
  void defaultsAreSound() {
    for (Setting setting : Setting.values()) {
      assertThat(setting.fault(key -> setting.defaultValue())).as("%s", setting).isNull();
    }
  }

  @Test
  void allAreDescribed() {
    assertThat(Setting.values())
        .noneMatch(setting -> setting.scopes().isEmpty())
        .noneMatch(setting -> setting.description().isEmpty());
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
    assertThat(Setting.faults(SettingScope.SITE, conf::get))
        .containsExactlyInAnyOrder(
            "ishbase.read = 'fast': must be one of stock | auto | in-storage",
            "ishbase.rpc.timeout = 'soon': must be a whole number from 10 to 600000");
    assertThat(Setting.faults(SettingScope.DAEMON, conf::get))
        .containsExactly("ishbase.issn.port = '70000': must be a whole number from 0 to 65535");
  }

  /** Hadoop's configuration throws at a value whose variables refer to one another. */
  @Test
  void soIsOneThatCannotBeRead() {
    for (Setting setting : Setting.values()) {
      UnaryOperator<String> lookup =
          key -> {
            throw new IllegalStateException("Variable substitution depth too large: 20 ${a}");
          };
      assertThat(setting.text(lookup)).isEqualTo(setting.defaultValue());
      assertThat(setting.fault(lookup)).startsWith(setting.key() + " cannot be read: ");
    }
  }

  @Test
  void aWrongValueIsReplacedByTheDefault() {
    for (Setting setting : Setting.values()) {
      for (String wrong : List.of("-2", "10", "99999999999999999999", "ofload", "")) {
        if (setting.fault(key -> wrong) != null) {
          assertThat(setting.text(key -> wrong)).isEqualTo(setting.defaultValue());
        }
      }
    }
    assertThat(Setting.BATCH_FIRST.integer(key -> "10")).isEqualTo(16 << 10);
    assertThat(Setting.CACHE.isTrue(key -> "maybe")).isTrue();
    assertThat(Setting.COMPACTION.text(key -> "ofload")).isEqualTo("stock");
  }

  @Test
  void wordsAndNumbersMayHaveSpacesAround() {
    assertThat(Setting.BATCH_FIRST.integer(key -> " 4096 ")).isEqualTo(4096);
    assertThat(Setting.READ.text(key -> " auto\n")).isEqualTo("auto");
  }

  /**
   * {@code docs/settings.md} is made from the table: {@code -Dishbase.docs.write=true} makes it.
   */
  @Test
  void documentationIsInStep() throws IOException {
    StringBuilder text = new StringBuilder("# Settings\n\n");
    text.append(
        """
        Made from `io.ishbase.core.Setting`.
        Where: `site` is `hbase-site.xml` of region servers and masters, `daemon` that of storage daemons; a
        column family's value stands before its table's, that before the site's, an operation's attribute
        before all, as far as the table allows it.
        Run time: a new value in `hbase-site.xml` takes effect with `update_config`, others with a restart; those
        of tables and families do with the `alter` that sets them.
        A wrong value stops nothing but the daemon whose it is: the default is used, and the log says so.

        | key | default | unit or choice | where | run time | since | meaning |
        | --- | --- | --- | --- | --- | --- | --- |
        """);
    for (Setting setting : Setting.values()) {
      text.append(
          String.format(
              "| `%s` | %s | %s | %s | %s | %s | %s |%n",
              setting.key(),
              setting.defaultValue().isEmpty() ? "" : "`" + setting.defaultValue() + "`",
              setting.choices().isEmpty() ? setting.unit() : String.join(" or ", setting.choices()),
              setting.scopes().stream()
                  .sorted()
                  .map(SettingScope::toString)
                  .collect(Collectors.joining(", ")),
              setting.isDynamic() ? "yes" : "",
              setting.since(),
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
