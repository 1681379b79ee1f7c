package io.ishbase.dist.doctor;

import io.ishbase.core.Setting;
import io.ishbase.core.SettingScope;
import io.ishbase.dist.doctor.ClusterFacts.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Settings of tables, region servers and daemons that are not obeyed as they stand there. */
final class WrongSettings implements Check {
  private static final String PREFIX = "ishbase.";
  private static final String REMEDY =
      "the default is used in its place: put it right, or take it away (./ishbase alter TABLE KEY=)";

  @Override
  public List<Finding> check(ClusterFacts facts) {
    List<Finding> findings = new ArrayList<>();
    for (Table table : facts.tables()) {
      String name = "table " + table.name();
      add(findings, name, ofSchema(table.values(), SettingScope.TABLE));
      table
          .families()
          .forEach(
              (family, values) ->
                  add(
                      findings,
                      name + ", family " + family,
                      ofSchema(values, SettingScope.FAMILY)));
    }
    facts
        .regionServers()
        .forEach(
            server ->
                server
                    .settings()
                    .value()
                    .ifPresent(
                        all -> add(findings, server.name(), ofServer(all, SettingScope.SITE))));
    facts
        .daemons()
        .forEach(
            daemon ->
                daemon
                    .settings()
                    .value()
                    .ifPresent(
                        all ->
                            add(
                                findings,
                                "daemon " + daemon.name(),
                                ofServer(all, SettingScope.DAEMON))));
    if (findings.isEmpty() && facts.isAttached()) {
      findings.add(Finding.ok("settings", "none that is not obeyed"));
    }
    return findings;
  }

  private static void add(List<Finding> findings, String where, List<String> faults) {
    faults.forEach(fault -> findings.add(Finding.fail(where, fault, REMEDY)));
  }

  private static List<String> faults(Map<String, String> values, SettingScope scope) {
    return Setting.faults(scope, values::get);
  }

  // Region servers and daemons share a file, so each has the other's.
  private static List<String> ofServer(Map<String, String> values, SettingScope scope) {
    List<String> faults = new ArrayList<>(faults(values, scope));
    for (String key : values.keySet()) {
      if (key.startsWith(PREFIX)
          && Stream.of(Setting.values()).noneMatch(setting -> setting.key().equals(key))) {
        faults.add(key + " is no setting: docs/settings.md has those");
      }
    }
    return faults;
  }

  private static List<String> ofSchema(Map<String, String> values, SettingScope scope) {
    List<String> faults = new ArrayList<>(faults(values, scope));
    for (String key : values.keySet()) {
      if (key.startsWith(PREFIX) && !isOf(scope, key)) {
        faults.add(key + " is no setting of a " + scope + ": docs/settings.md has those");
      }
    }
    return faults;
  }

  private static boolean isOf(SettingScope scope, String key) {
    return Stream.of(Setting.values())
        .anyMatch(setting -> setting.key().equals(key) && setting.scopes().contains(scope));
  }
}
