package io.ishbase.dist.doctor;

import io.ishbase.core.sizing.DirectMemory;
import io.ishbase.dist.doctor.ClusterFacts.Memory;
import io.ishbase.dist.doctor.ClusterFacts.RegionServer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Whether what lies off the heap fits into the direct memory of the region servers' JVMs. */
final class DirectMemoryFits implements Check {
  private static final String ABOUT = "direct memory";

  @Override
  public List<Finding> check(ClusterFacts facts) {
    List<Finding> findings = new ArrayList<>();
    int fine = 0;
    for (RegionServer server : facts.withPlugIn()) {
      Optional<Memory> memory = server.memory().value();
      Optional<Map<String, String>> settings = server.settings().value();
      if (memory.isEmpty() || settings.isEmpty()) {
        continue;
      }
      Optional<String> shortage =
          DirectMemory.of(settings.get()::get)
              .shortage(memory.get().directBytes(), memory.get().segmentCacheBytes().orElse(0));
      if (shortage.isPresent()) {
        findings.add(
            Finding.warn(ABOUT, server.name() + ": " + shortage.get(), "as it says; a restart"));
      } else {
        fine++;
      }
    }
    if (fine > 0) {
      findings.add(0, Finding.ok(ABOUT, "fits at " + fine + " region servers"));
    }
    return findings;
  }
}
