package io.ishbase.plugin.regionserver;

import java.lang.reflect.Method;
import java.util.Set;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessor;
import org.apache.hadoop.hbase.coprocessor.RegionObserver;
import org.apache.hadoop.hbase.regionserver.RegionCoprocessorHost;

/** Whether coprocessors have a say in what a compaction writes. */
final class CompactionHooks {
  private static final Set<String> NAMES = Set.of("preCompact", "preCompactScannerOpen");

  private CompactionHooks() {}

  /**
   * @param host null: there are no coprocessors
   */
  static boolean mayChangeCells(RegionCoprocessorHost host) {
    if (host == null) {
      return false;
    }
    for (String name : host.getCoprocessors()) {
      RegionCoprocessor coprocessor = host.findCoprocessor(name);
      if (coprocessor != null
          && coprocessor.getRegionObserver().map(CompactionHooks::overrides).orElse(false)) {
        return true;
      }
    }
    return false;
  }

  private static boolean overrides(RegionObserver observer) {
    // HBase's own look at permissions only.
    if (observer.getClass().getName().startsWith("org.apache.hadoop.hbase.security.")) {
      return false;
    }
    for (Method method : observer.getClass().getMethods()) {
      if (NAMES.contains(method.getName()) && method.getDeclaringClass() != RegionObserver.class) {
        return true;
      }
    }
    return false;
  }
}
