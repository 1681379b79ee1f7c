package io.ishbase.bench;

import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;

/** Further figures that only grow, by name with unit ("GC ms"): read around each window. */
@FunctionalInterface
public interface Counters {
  Counters NONE = Map::of;

  /** Begins the name of the processor time, in seconds, of all processes of one kind. */
  String PROCESSOR = "processor s, ";

  Map<String, Double> read() throws IOException;

  /** These and others; what both count under one name adds up. */
  default Counters and(Counters others) {
    return () -> {
      Map<String, Double> all = new TreeMap<>(read());
      others.read().forEach((name, value) -> all.merge(name, value, Double::sum));
      return all;
    };
  }
}
