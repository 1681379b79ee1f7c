package io.ishbase.bench.scenario;

import io.ishbase.bench.Alternation;
import io.ishbase.bench.BenchOptions;
import io.ishbase.bench.GetLoad;
import io.ishbase.bench.Keys;
import io.ishbase.bench.Load;
import io.ishbase.bench.MixedLoad;
import io.ishbase.bench.Placement;
import io.ishbase.bench.Point;
import io.ishbase.bench.ScanLoad;
import io.ishbase.bench.ScenarioContext;
import io.ishbase.bench.Variant;
import io.ishbase.bench.YcsbTable;
import io.ishbase.cluster.Mode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Tables of the same rows that differ in something else, compared under the same loads.
 *
 * @param tables by the name of the variant, the baseline first
 */
record SameRows(ScenarioContext context, Map<String, YcsbTable> tables) {
  private static final int SCAN_ROWS = 100;

  /** Tables of the usual rows, each kept at the region server that has the place of its variant. */
  static SameRows atEachServer(
      ScenarioContext context, Placement placement, String tableName, List<String> variants)
      throws IOException {
    YcsbTable.Shape usual = context.options().usualTable();
    List<String> servers = context.cluster().regionServers();
    Map<String, YcsbTable> tables = new LinkedHashMap<>();
    for (int i = 0; i < variants.size(); i++) {
      YcsbTable table =
          YcsbTable.shared(
              context, new YcsbTable.Shape(tableName + i, usual.rows(), usual.format()));
      placement.place(table.name(), List.of(placement.server(servers.get(i))));
      tables.put(variants.get(i), table);
    }
    return new SameRows(context, tables);
  }

  /** Measures under each load, warmed up, at each of the bandwidths. */
  void compare(Map<String, Function<YcsbTable, Load>> loads, List<Integer> bandwidths, Point point)
      throws IOException {
    for (Map.Entry<String, Function<YcsbTable, Load>> load : loads.entrySet()) {
      List<Variant> variants = new ArrayList<>();
      tables.forEach((name, table) -> variants.add(Variant.of(name, load.getValue().apply(table))));
      Alternation alternation = context.alternation(context.driver());
      Point loaded = point.with("load", load.getKey());
      context.warmUp(loaded.toString(), alternation, variants);
      for (int mbps : bandwidths) {
        context.measure(alternation, loaded.at(mbps), variants);
      }
    }
  }

  /** {@link #reads}, over HBase's own path, and puts, which are last: they lie on top. */
  static Map<String, Function<YcsbTable, Load>> loads(BenchOptions options) {
    Map<String, Function<YcsbTable, Load>> loads = reads(options, Mode.STOCK);
    Keys keys = keys(options);
    loads.put("puts", table -> new MixedLoad(table, keys, 0, 0, 1, Mode.STOCK, options.seed()));
    return loads;
  }

  /** Uniform Gets, and scans of 100 rows unless those ask for too much at once. */
  static Map<String, Function<YcsbTable, Load>> reads(BenchOptions options, Mode mode) {
    Map<String, Function<YcsbTable, Load>> reads = new LinkedHashMap<>();
    Keys keys = keys(options);
    long seed = options.seed();
    reads.put("Gets", table -> new GetLoad(table, keys, 1, mode, seed));
    if (options.table().canReadAtOnce(SCAN_ROWS)) {
      reads.put("scans of " + SCAN_ROWS, table -> new ScanLoad(table, keys, SCAN_ROWS, mode, seed));
    }
    return reads;
  }

  private static Keys keys(BenchOptions options) {
    return Keys.uniform(options.usualTable().rows());
  }
}
