package io.ishbase.bench.scenario;

import io.ishbase.bench.Alternation;
import io.ishbase.bench.BenchOptions;
import io.ishbase.bench.Keys;
import io.ishbase.bench.Load;
import io.ishbase.bench.Point;
import io.ishbase.bench.Scenario;
import io.ishbase.bench.ScenarioContext;
import io.ishbase.bench.Variant;
import io.ishbase.bench.YcsbTable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;

/**
 * What it costs to record operations for the simulator: a table of which a hundredth is recorded,
 * beside one of which nothing is.
 */
final class Recording implements Scenario {
  private static final String SETTING = "ishbase.trace";
  private static final List<String> PER_MILLE = List.of("0", "10");
  private static final int LOADS = 3;

  @Override
  public String name() {
    return "recording";
  }

  @Override
  public String description() {
    return "Reads and puts of a table of which a hundredth is recorded for the simulator";
  }

  @Override
  public String seedFigures() {
    return "";
  }

  @Override
  public double estimatedSeconds(BenchOptions options) {
    return 20
        + options.rowsOrPreset() * 2e-4
        + LOADS * PER_MILLE.size() * (double) options.firstWarmUp().toSeconds()
        + options.secondsOf(PER_MILLE.size() * LOADS * options.roundsOrPreset());
  }

  @Override
  public void run(ScenarioContext context) throws IOException {
    BenchOptions options = context.options();
    long rows = options.usualTable().rows();
    Keys keys = Keys.uniform(rows);
    List<YcsbTable> tables = new ArrayList<>();
    for (String perMille : PER_MILLE) {
      YcsbTable table =
          YcsbTable.shared(
              context, new YcsbTable.Shape("recorded" + perMille, rows, options.table()));
      set(context, table, perMille);
      tables.add(table);
    }
    for (Map.Entry<String, Function<YcsbTable, Load>> load :
        PluginOff.loads(options, keys).entrySet()) {
      List<Variant> variants = new ArrayList<>();
      for (int i = 0; i < tables.size(); i++) {
        variants.add(
            Variant.of(SETTING + " = " + PER_MILLE.get(i), load.getValue().apply(tables.get(i))));
      }
      Alternation alternation = context.alternation(context.driver());
      context.warmUp(load.getKey(), alternation, variants);
      Point point = Point.uncapped().with("load", load.getKey()).target("ratio 0.99");
      context.measure(alternation, point, variants);
    }
  }

  /** The regions are opened anew, and look at their files. */
  private static void set(ScenarioContext context, YcsbTable table, String perMille)
      throws IOException {
    try (Admin admin = context.connection().getAdmin()) {
      admin.modifyTable(
          TableDescriptorBuilder.newBuilder(admin.getDescriptor(table.name()))
              .setValue(SETTING, perMille)
              .build());
    }
  }
}
