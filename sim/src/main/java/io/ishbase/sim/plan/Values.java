package io.ishbase.sim.plan;

import java.util.LinkedHashMap;
import java.util.Map;

/** A value of each input. */
public record Values(Map<String, Double> byName) {
  /**
   * The value of that name.
   *
   * @throws IllegalArgumentException if there is none
   */
  public double of(String name) {
    Double value = byName.get(name);
    if (value == null) {
      throw new IllegalArgumentException("No input '" + name + "'");
    }
    return value;
  }

  /** A table's value of that name. */
  public double of(Inputs.Table table, String name) {
    return of(Inputs.name(table.name(), name));
  }

  /** Bytes of all rows of a table as caches hold them. */
  public double openBytes(Inputs.Table table) {
    return of(table, "bytes") * of(table, "unpacked");
  }

  /** Bytes of a row of a table as caches hold it and clients get it. */
  public double openRow(Inputs.Table table) {
    return of(table, "row.bytes") * of(table, "unpacked");
  }

  /** Microseconds or milliseconds of that name, in seconds. */
  public double seconds(String name) {
    return of(name) * (name.endsWith(".us") ? 1e-6 : name.endsWith(".ms") ? 1e-3 : 1);
  }

  /** Megabits a second of that name, in bytes a second. */
  public double bytesPerSecond(String name) {
    return of(name) * 1e6 / 8;
  }

  /** These, but for one. */
  public Values with(String name, double value) {
    Map<String, Double> changed = new LinkedHashMap<>(byName);
    changed.put(name, value);
    return new Values(changed);
  }

  /** What a region server caches of rows; if nothing is said, as much as of blocks. */
  public double segmentCache() {
    return of("segment.cache") == 0 ? of("block.cache") : of("segment.cache");
  }
}
