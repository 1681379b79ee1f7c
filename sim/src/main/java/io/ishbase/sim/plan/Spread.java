package io.ishbase.sim.plan;

import io.ishbase.core.Homes;
import io.ishbase.core.Replicas;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** How unevenly the homes that ship spread a cluster's reads over storage nodes. */
final class Spread {
  /** Of those that are asked most; more spread so well that it need not be counted. */
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
    double spreadEvenly = 0;
    Map<Inputs.Table, Integer> counted = counted(inputs, values);
    for (Inputs.Table table : inputs.tables()) {
      int regions = (int) values.of(table, "regions");
      double ofTable = values.of(table, "gets") + values.of(table, "scans");
      int placed = counted.getOrDefault(table, 0);
      spreadEvenly += ofTable * (regions - placed) / regions;
      for (int region = 0; region < placed; region++) {
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
    double mean = (all + spreadEvenly) / storageNodes;
    double most = Arrays.stream(reads).max().orElse(0) + spreadEvenly / storageNodes;
    return mean == 0 ? 1 : Math.max(1, most / mean);
  }

  /** How many regions of each table are placed: a hot table has often few of them. */
  private static Map<Inputs.Table, Integer> counted(Inputs inputs, Values values) {
    Map<Inputs.Table, Integer> counted = new HashMap<>();
    int left = MOST_REGIONS;
    List<Inputs.Table> hottest =
        inputs.tables().stream()
            .sorted(Comparator.comparingDouble(table -> -readsOfRegion(values, table)))
            .toList();
    for (Inputs.Table table : hottest) {
      int regions = (int) Math.min(left, values.of(table, "regions"));
      counted.put(table, regions);
      left -= regions;
    }
    return counted;
  }

  private static double readsOfRegion(Values values, Inputs.Table table) {
    return (values.of(table, "gets") + values.of(table, "scans")) / values.of(table, "regions");
  }
}
