package io.ishbase.bench.scenario;

import io.ishbase.bench.BenchOptions;
import io.ishbase.bench.Load;
import io.ishbase.bench.Point;
import io.ishbase.bench.Scenario;
import io.ishbase.bench.ScenarioContext;
import io.ishbase.bench.YcsbTable;
import io.ishbase.cluster.Mode;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;

/**
 * What a setting of a table costs: tables of the same rows, one for each of its values.
 *
 * @param values the one that costs nothing first
 * @param loadsOf the loads by name, in the order in which they run
 */
record SettingCost(
    String name,
    String description,
    String setting,
    List<String> values,
    Function<BenchOptions, Map<String, Function<YcsbTable, Load>>> loadsOf)
    implements Scenario {
  private static final int MOST_LOADS = 3;

  /** One in a hundred operations is recorded for the simulator, or none. */
  static Scenario recording() {
    return new SettingCost(
        "recording",
        "Reads and puts of a table of which a hundredth is recorded for the simulator",
        "ishbase.trace",
        List.of("0", "10"),
        SameRows::loads);
  }

  /** One in a thousand in-storage reads is compared with HBase's answer, or none. */
  static Scenario shadowReads() {
    return new SettingCost(
        "shadow-reads",
        "In-storage reads of which one in a thousand is compared with HBase's answer",
        "ishbase.verify.share",
        List.of("0", "1000"),
        options -> SameRows.reads(options, Mode.IN_STORAGE));
  }

  @Override
  public String seedFigures() {
    return "";
  }

  @Override
  public double estimatedSeconds(BenchOptions options) {
    return 20
        + options.rowsOrPreset() * 2e-4
        + MOST_LOADS * values.size() * (double) options.firstWarmUp().toSeconds()
        + options.secondsOf(values.size() * MOST_LOADS * options.roundsOrPreset());
  }

  @Override
  public void run(ScenarioContext context) throws IOException {
    BenchOptions options = context.options();
    long rows = options.usualTable().rows();
    Map<String, YcsbTable> tables = new LinkedHashMap<>();
    for (String value : values) {
      YcsbTable table =
          YcsbTable.shared(context, new YcsbTable.Shape(name + value, rows, options.table()));
      set(context, table, value);
      tables.put(setting + " = " + value, table);
    }
    new SameRows(context, tables)
        .compare(loadsOf.apply(options), List.of(0), Point.uncapped().target("ratio 0.99"));
  }

  /** The regions are opened anew, and look at their files. */
  private void set(ScenarioContext context, YcsbTable table, String value) throws IOException {
    try (Admin admin = context.connection().getAdmin()) {
      admin.modifyTable(
          TableDescriptorBuilder.newBuilder(admin.getDescriptor(table.name()))
              .setValue(setting, value)
              .build());
    }
  }
}
