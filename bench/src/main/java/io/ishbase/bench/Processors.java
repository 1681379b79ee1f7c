package io.ishbase.bench;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What operations cost in processor time, of all processes together and by kind of process. It is
 * what the kernel counted in a window, of everything that a process did: garbage collection and
 * compilation, too.
 */
final class Processors {
  /** What is neither named here nor there belongs to the others. */
  private static final String OTHERS = "others";

  /** Kinds of processes, as {@link BenchCluster#processors} and as a table names them. */
  private static final Map<String, String> NAMES = new LinkedHashMap<>();

  static {
    NAMES.put("client", "client");
    NAMES.put("regionserver", "region server");
    NAMES.put("issn", "daemon");
    NAMES.put("datanode", "DataNode");
  }

  private static final double MICROS = 1e6;

  private Processors() {}

  /** Whether somebody counted processor time in it, and there were operations. */
  static boolean areKnown(Sample sample) {
    return seconds(sample) > 0 && sample.operations() > 0;
  }

  /** Operations for each second of a processor; 0 if nobody counted. */
  static double operationsPerSecond(Sample sample) {
    return areKnown(sample) ? sample.operations() / seconds(sample) : 0;
  }

  /**
   * Microseconds for each operation by kind of process, what is off the path of the data as one;
   * empty if nobody counted.
   */
  static Map<String, Double> microsPerOperation(Sample sample) {
    Map<String, Double> micros = new LinkedHashMap<>();
    if (areKnown(sample)) {
      NAMES.values().forEach(name -> micros.put(name, 0.0));
      micros.put(OTHERS, 0.0);
      sample
          .counters()
          .forEach(
              (name, seconds) -> {
                if (name.startsWith(Counters.PROCESSOR)) {
                  String kind = name.substring(Counters.PROCESSOR.length());
                  micros.merge(
                      NAMES.getOrDefault(kind, OTHERS),
                      seconds * MICROS / sample.operations(),
                      Double::sum);
                }
              });
    }
    return micros;
  }

  private static double seconds(Sample sample) {
    return sample.counters().entrySet().stream()
        .filter(counter -> counter.getKey().startsWith(Counters.PROCESSOR))
        .mapToDouble(Map.Entry::getValue)
        .sum();
  }
}
