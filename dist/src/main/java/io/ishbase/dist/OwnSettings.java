package io.ishbase.dist;

import io.ishbase.core.Setting;
import io.ishbase.core.SettingScope;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Checks what a user gives for settings of IS-HBase. */
final class OwnSettings {
  private static final String PREFIX = "ishbase.";

  private OwnSettings() {}

  /**
   * Checks those of {@code values} that are settings of ours.
   *
   * @param scopes where the values are to stand
   * @throws CliException that says in one line what is wrong with one
   */
  static void check(Map<String, String> values, SettingScope... scopes) {
    for (String key : values.keySet()) {
      if (key.startsWith(PREFIX)) {
        Setting setting = named(key);
        if (Stream.of(scopes).noneMatch(setting.scopes()::contains)) {
          throw new CliException(
              key + " has no effect there, but as a setting of: " + join(setting.scopes()));
        }
      }
    }
    List<String> faults = Setting.faults(values::get);
    if (!faults.isEmpty()) {
      throw new CliException(String.join("; ", faults));
    }
  }

  private static Setting named(String key) {
    return Stream.of(Setting.values())
        .filter(setting -> setting.key().equals(key))
        .findFirst()
        .orElseThrow(
            () ->
                new CliException("There is no setting " + key + ": docs/settings.md has them all"));
  }

  private static String join(Set<SettingScope> scopes) {
    return scopes.stream().sorted().map(Object::toString).collect(Collectors.joining(", "));
  }
}
