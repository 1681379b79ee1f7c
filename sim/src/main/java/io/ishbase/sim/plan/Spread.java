package io.ishbase.sim.plan;

import io.ishbase.core.Homes;
import io.ishbase.core.Replicas;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** How unevenly the homes that ship spread a cluster's reads over storage nodes. */
final class Spread {
  /** More regions spread so well that it need not be counted. */
  private static final int MOST_REGIONS = 20_000;

  private static final int PARTS = 1_000_000;

  private Spread() {}

  /** Reads at the busiest of so many storage nodes, as a multiple of the mean. */
  static double of(Inputs inputs, Values values, int storageNodes) {
    List<String> names =
        IntStream.range(0, storageNodes).mapToObj(node -> "node" + node + ":9866").toList();
    Map<String, Integer> idle = new HashMap<>();
    Map<String, Integer> numbers = new HashMap<>();
    for (int node = 0; node < storageNodes; node++) {
      idle.put(names.get(node), 0);
      numbers.put(names.get(node), node);
    }
    Homes homes = new Homes();
    homes.observe(idle, 0);
    int replicas = (int) values.of("replication");
    double[] reads = new double[storageNodes];
    double all = 0;
    int placed = 0;
    for (Inputs.Table table : inputs.tables()) {
      int regions = (int) values.of(table, "regions");
      double ofTable = values.of(table, "gets") + values.of(table, "scans");
      for (int region = 0; region < regions && placed < MOST_REGIONS; region++, placed++) {
        double scale = PARTS / Math.max(1e-9, all);
        List<String> holders = homes.choose(table.name() + ',' + region, replicas);
        String asked =
            Replicas.choose(
                holders,
                List.of(),
                holder -> false,
                holder -> (int) (scale * reads[numbers.getOrDefault(holder, 0)]));
        if (asked != null) {
          reads[numbers.getOrDefault(asked, 0)] += ofTable / regions;
        }
        all += ofTable / regions;
      }
    }
    double mean = all / storageNodes;
    return mean == 0 || placed == MOST_REGIONS
        ? 1
        : Math.max(1, Arrays.stream(reads).max().orElse(mean) / mean);
  }
}
