package io.ishbase.bench.scenario;

import io.ishbase.bench.CompactionMode;
import io.ishbase.bench.report.Results;
import io.ishbase.bench.report.Row;
import io.ishbase.bench.scenario.IdleCompaction.Run;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * A table and caps under which it is compacted, with nothing else to do.
 *
 * @param words what is special about the table
 * @param computeMbps cap of the compute node's interface; 0: none
 * @param storageMbps cap of each storage node's interface; 0: none
 * @param target what is to be reached, in words
 * @param seed what the seed document says, in words; empty if nothing
 * @param fresh whether the table is written anew before each compaction, so that there are several
 *     files to compact and not the one that the compaction before left
 */
record CompactionCase(
    NumberedTable table,
    String words,
    int regions,
    int computeMbps,
    int storageMbps,
    String target,
    String seed,
    boolean fresh) {

  /** Of a table that is compacted again and again. */
  CompactionCase(
      NumberedTable table,
      String words,
      int regions,
      int computeMbps,
      int storageMbps,
      String target,
      String seed) {
    this(table, words, regions, computeMbps, storageMbps, target, seed, false);
  }

  Map<String, String> parameters() {
    Map<String, String> parameters = new LinkedHashMap<>();
    parameters.put("table", words);
    parameters.put("compute", cap(computeMbps));
    parameters.put("storage", cap(storageMbps));
    return parameters;
  }

  private static String cap(int mbps) {
    return mbps == 0 ? "uncapped" : mbps + " Mbps";
  }

  /** Adds a row for each mode, stock first. */
  void addTo(Results results, Map<CompactionMode, List<Run>> runs) {
    // Both compact the same files; what offloading counts of them is exact.
    double bytes = median(runs.get(CompactionMode.OFFLOAD), Run::bytes);
    double stock = seconds(runs.get(CompactionMode.STOCK));
    Map<String, Object> all = new LinkedHashMap<>(parameters());
    List<Row> rows = new ArrayList<>();
    runs.forEach(
        (mode, each) -> {
          boolean first = rows.isEmpty();
          Map<String, Double> figures = new LinkedHashMap<>();
          figures.put("compaction s", seconds(each));
          figures.put("least s", Collections.min(figuresOf(each, Run::seconds)));
          figures.put("most s", Collections.max(figuresOf(each, Run::seconds)));
          figures.put("of stock %", 100 * seconds(each) / stock);
          figures.put("MB compacted", bytes / 1e6);
          if (bytes > 0) {
            figures.put("crossed %", 100 * median(each, Run::crossedBytes) / bytes);
          }
          if (bytes > 0 && !first) {
            figures.put("net of idle %", 100 * median(each, Run::netBytes) / bytes);
            figures.put("messages %", 100 * median(each, Run::messageBytes) / bytes);
            figures.put("held back s", median(each, Run::heldBackSeconds));
          }
          rows.add(
              new Row(
                  parameters(),
                  mode.toString(),
                  figures,
                  first ? "" : target,
                  first ? seed : "",
                  each.stream().allMatch(Run::asMeant) ? "" : "not all were offloaded"));
          all.put(mode.toString(), each.stream().map(Run::forMachines).toList());
        });
    results.add(all, rows);
  }

  /** Median time of some runs. */
  static double seconds(List<Run> runs) {
    return median(runs, Run::seconds);
  }

  private static double median(List<Run> runs, ToDoubleFunction<Run> figure) {
    return Medians.of(figuresOf(runs, figure));
  }

  private static List<Double> figuresOf(List<Run> runs, ToDoubleFunction<Run> figure) {
    return runs.stream().map(figure::applyAsDouble).toList();
  }
}
