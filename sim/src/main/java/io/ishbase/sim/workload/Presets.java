package io.ishbase.sim.workload;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/** Loads that have a name: what differs from the seed's preset. */
public final class Presets {
  private static final String[] YCSB = {
    "cell.bytes=1024", "key.bytes=24", "keys=zipf", "zipf.exponent=0.99", "zipf.place=scattered",
  };
  private static final Map<String, String[]> ALL = new LinkedHashMap<>();

  static {
    ALL.put("seed", new String[] {});
    ALL.put("uniform", new String[] {"keys=uniform"});
    ALL.put("zipf", new String[] {"zipf.exponent=0.99", "zipf.place=together"});
    ALL.put("zipf-scattered", new String[] {"zipf.exponent=0.99", "zipf.place=scattered"});
    ALL.put("latest", new String[] {"keys=latest", "write=insert", "read.share=0.95"});
    ALL.put("moving", new String[] {"keys=moving"});
    // The model "Prefix_dist" of RocksDB's wiki; values of 34.5 bytes on average behind keys of 48.
    ALL.put(
        "mixgraph",
        new String[] {
          "keys=mixgraph",
          "cell.bytes=83",
          "key.bytes=48",
          "read.share=0.86",
          "get.share=0.98837",
          "scan.lengths=pareto",
        });
    // YCSB's workloads a to f: 10 fields of 100 bytes, here one cell.
    ALL.put("ycsb-a", ycsb("read.share=0.5", "get.share=1"));
    ALL.put("ycsb-b", ycsb("read.share=0.95", "get.share=1"));
    ALL.put("ycsb-c", ycsb("read.share=1", "get.share=1"));
    ALL.put("ycsb-d", ycsb("read.share=0.95", "get.share=1", "keys=latest", "write=insert"));
    ALL.put("ycsb-e", ycsb("read.share=0.95", "get.share=0", "scan.rows=50.5", "write=insert"));
    ALL.put("ycsb-f", ycsb("read.share=0.5", "get.share=1", "write.reads.share=1"));
  }

  private Presets() {}

  private static String[] ycsb(String... more) {
    String[] all = Arrays.copyOf(YCSB, YCSB.length + more.length);
    System.arraycopy(more, 0, all, YCSB.length, more.length);
    return all;
  }

  /** All names. */
  public static Iterable<String> names() {
    return ALL.keySet();
  }

  /**
   * Parameters of a name.
   *
   * @throws IllegalArgumentException if there is none
   */
  public static Parameters of(String name) {
    String[] differences = ALL.get(name);
    if (differences == null) {
      throw new IllegalArgumentException(
          "No preset '" + name + "': there are " + String.join(", ", ALL.keySet()));
    }
    Parameters parameters = Parameters.seed();
    for (String difference : differences) {
      String[] pair = difference.split("=", 2);
      parameters = parameters.with(pair[0], pair[1]);
    }
    return parameters;
  }
}
