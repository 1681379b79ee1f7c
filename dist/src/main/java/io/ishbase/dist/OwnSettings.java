package io.ishbase.dist;

import io.ishbase.core.Setting;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Checks what a user gives for settings of IS-HBase. */
final class OwnSettings {
  private static final String PREFIX = "ishbase.";

  private OwnSettings() {}

  /**
   * Checks those of {@code values} that are settings of ours.
   *
   * @throws CliException that says in one line what is wrong with one
   */
  static void check(Map<String, String> values) {
    for (String key : values.keySet()) {
      if (key.startsWith(PREFIX)
          && Stream.of(Setting.values()).noneMatch(setting -> setting.key().equals(key))) {
        throw new CliException("There is no setting " + key + ": docs/settings.md has them all");
      }
    }
    List<String> faults = Setting.faults(values::get);
    if (!faults.isEmpty()) {
      throw new CliException(String.join("; ", faults));
    }
  }
}
