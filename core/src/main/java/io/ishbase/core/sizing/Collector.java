package io.ishbase.core.sizing;

import java.util.ArrayList;
import java.util.List;

/**
 * Which garbage collector a region server gets, and with which flags.
 *
 * @param flags with the argument for each; none if the JVM's own choice stays
 * @param note what the JVM lacks, one line; empty if nothing
 */
public record Collector(List<Choice> flags, String note) {
  private static final long MB = 1L << 20;

  /** ZGC works beside the program: with fewer processors it takes them from the handlers. */
  private static final int PROCESSORS_FOR_ZGC = 4;

  /** Below, its pauses are not worth references of eight bytes. */
  private static final long HEAP_FOR_ZGC = 4096 * MB;

  /** From this release of Java on ZGC is generational, and the flag for that is gone. */
  private static final int ONLY_GENERATIONAL = 24;

  /** From this one on it is so without the flag, and the JVM complains about it. */
  private static final int USUALLY_GENERATIONAL = 23;

  /** G1 wants some hundred regions at least. */
  private static final int LEAST_REGIONS = 256;

  public Collector {
    flags = List.copyOf(flags);
  }

  /** The choice for a heap of {@code heapBytes} on a machine with {@code processors}. */
  public static Collector of(JvmFeatures jvm, long heapBytes, int processors) {
    if (processors >= PROCESSORS_FOR_ZGC && heapBytes >= HEAP_FOR_ZGC && hasGenerationalZgc(jvm)) {
      return zgc(jvm);
    }
    if (jvm.has("UseG1GC")) {
      return g1(heapBytes);
    }
    return new Collector(
        List.of(),
        "This JVM has neither generational ZGC nor G1: it keeps its own collector; HBase is usually"
            + " run with HotSpot 17 or later.");
  }

  private static boolean hasGenerationalZgc(JvmFeatures jvm) {
    return jvm.has("UseZGC") && (jvm.has("ZGenerational") || jvm.release() >= ONLY_GENERATIONAL);
  }

  private static Collector zgc(JvmFeatures jvm) {
    List<Choice> flags = new ArrayList<>();
    flags.add(
        new Choice(
            "-XX:+UseZGC",
            "",
            "Pauses below a millisecond whatever the heap; there are processors for it to work"
                + " beside the handlers."));
    if (jvm.release() < USUALLY_GENERATIONAL) {
      flags.add(
          new Choice(
              "-XX:+ZGenerational", "", "What a request allocates is collected without the rest."));
    }
    return new Collector(flags, "");
  }

  private static Collector g1(long heapBytes) {
    List<Choice> flags = new ArrayList<>();
    flags.add(
        new Choice(
            "-XX:+UseG1GC", "", "On small machines the JVM would choose the serial collector."));
    flags.add(
        new Choice(
            "-XX:MaxGCPauseMillis=",
            "100",
            "With blocks and cells off the heap little outlives a collection, so half of G1's"
                + " 200 ms costs little throughput."));
    long regionMb = Math.min(8, Long.highestOneBit(heapBytes / MB / LEAST_REGIONS));
    if (regionMb >= 2) {
      flags.add(
          new Choice(
              "-XX:G1HeapRegionSize=",
              regionMb + "m",
              "What is longer than half of a region has regions of its own, whose ends are lost:"
                  + " answers of up to 2 MB, chunks of 2 MB when those off the heap are taken."));
    }
    return new Collector(flags, "");
  }
}
