package io.ishbase.bench;

import java.io.IOException;
import java.util.Map;

/** Further figures that only grow, by name with unit ("GC ms"): read around each window. */
@FunctionalInterface
public interface Counters {
  Counters NONE = Map::of;

  Map<String, Double> read() throws IOException;
}
