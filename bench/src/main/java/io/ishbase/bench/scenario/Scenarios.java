package io.ishbase.bench.scenario;

import io.ishbase.bench.Scenario;
import java.util.List;
import java.util.Optional;

/** All scenarios. Those that share a cluster stand together. */
public final class Scenarios {
  private static final List<Scenario> ALL =
      List.of(
          new GetBandwidth(),
          new GetRatio(),
          new ScanLength(),
          new ScanFilter(),
          new LargeObjects(),
          new Aggregates(),
          new Archetypes(),
          new Mixed(),
          new Ycsb(),
          new PluginOff(),
          new Tails(),
          SettingCost.recording(),
          SettingCost.shadowReads(),
          new Throttled(),
          new Traces(),
          new Locality(),
          new Loading(),
          new Memstore(),
          new Compaction(),
          new CompactionTime(),
          new Tpcc(),
          new Scale(),
          new OffHeap(),
          new Caches(),
          new CachesOnDisk(),
          new PartlyCached(),
          new RegionMove(),
          new RestartInPlace(),
          new Slices(),
          new CachePhases(),
          new Memory());

  private Scenarios() {}

  /** In the order in which they run. */
  public static List<Scenario> all() {
    return ALL;
  }

  public static List<String> names() {
    return ALL.stream().map(Scenario::name).toList();
  }

  public static Optional<Scenario> named(String name) {
    return ALL.stream().filter(scenario -> scenario.name().equals(name)).findFirst();
  }
}
