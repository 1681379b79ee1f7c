package io.ishbase.core;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says in the log which settings are wrong and what is used in their place, each once in a process,
 * however many regions of a table are opened, and however often.
 */
public final class SettingFaults {
  private static final Logger LOG = LoggerFactory.getLogger(SettingFaults.class);

  /** More are said again. */
  private static final int MAX_REMEMBERED = 10_000;

  private static final Set<String> SAID = ConcurrentHashMap.newKeySet();

  private SettingFaults() {}

  /**
   * Says what is wrong with the settings of a scope.
   *
   * @param where whose configuration it is
   * @param lookup gives the configured text of a key, or null
   */
  public static void log(String where, SettingScope scope, UnaryOperator<String> lookup) {
    unsaid(where, scope, lookup).forEach(LOG::warn);
  }

  /** Lines that have not been said before; from now on they count as said. */
  static List<String> unsaid(String where, SettingScope scope, UnaryOperator<String> lookup) {
    List<String> lines = new ArrayList<>();
    for (Setting setting : Setting.values()) {
      String fault = setting.scopes().contains(scope) ? setting.fault(lookup) : null;
      if (fault != null) {
        lines.add(where + ": " + fault + "; " + inPlace(setting) + " is used");
      }
    }
    if (SAID.size() > MAX_REMEMBERED) {
      SAID.clear();
    }
    return lines.stream().filter(SAID::add).toList();
  }

  private static String inPlace(Setting setting) {
    if (setting.key().startsWith(Setting.MEMORY.key() + ".")) {
      // Memory that stays does less harm than a bound that was meant otherwise.
      return Setting.MEMORY.key() + " = " + Setting.MEMORY.defaultValue();
    }
    return setting.defaultValue().isEmpty() ? "nothing" : setting.defaultValue();
  }
}
