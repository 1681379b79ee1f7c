package io.ishbase.sim.plan;

import java.util.ArrayList;
import java.util.List;

/**
 * The compactions of a cluster: a region's memstore is flushed once it is full; so many files of
 * one size make one of the next, up to the region's own; and all of it is compacted now and then.
 *
 * @param kinds of each table and size
 * @param bytesPerSecond that all of them read, and write again
 * @param flushSeconds the shortest time between two flushes of a region; none: infinite
 */
record Compactions(List<Kind> kinds, double bytesPerSecond, double flushSeconds) {
  /**
   * Compactions of a size.
   *
   * @param bytes that one reads
   * @param aSecond how often, of the cluster
   */
  record Kind(double bytes, double aSecond) {}

  static Compactions of(Inputs inputs, Values values) {
    List<Kind> kinds = new ArrayList<>();
    double flushSeconds = Double.POSITIVE_INFINITY;
    double flush = values.of("flush.bytes");
    double files = values.of("compaction.files");
    for (Inputs.Table table : inputs.tables()) {
      double regions = values.of(table, "regions");
      double ofRegion = values.of(table, "bytes") / regions;
      double written = values.of(table, "puts") * values.of(table, "row.bytes");
      if (written > 0) {
        flushSeconds = Math.min(flushSeconds, flush / (written / regions));
        for (double size = flush * files; size < ofRegion; size *= files) {
          kinds.add(new Kind(size, written / size));
        }
      }
      kinds.add(new Kind(ofRegion, regions / (values.of("major.days") * 86_400)));
    }
    double bytes = kinds.stream().mapToDouble(kind -> kind.bytes() * kind.aSecond()).sum();
    return new Compactions(kinds, bytes, flushSeconds);
  }

  /** Of these bytes a second, those of compactions that come with time and not with writes. */
  static double majorBytesPerSecond(Inputs inputs, Values values) {
    double bytes = inputs.tables().stream().mapToDouble(table -> values.of(table, "bytes")).sum();
    return bytes / (values.of("major.days") * 86_400);
  }

  double aSecond() {
    return kinds.stream().mapToDouble(Kind::aSecond).sum();
  }

  double meanBytes() {
    return bytesPerSecond / aSecond();
  }
}
