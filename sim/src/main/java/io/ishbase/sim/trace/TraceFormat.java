package io.ishbase.sim.trace;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Collectors;

/** The formats that are read. */
public enum TraceFormat {
  ISHBASE("ishbase", "our own, of sim convert", (file, options) -> new TraceFile(file)),
  RECORDED(
      "recorded",
      "what region servers recorded (ishbase.trace): a file, or a directory of them",
      (file, options) -> new RecordedTrace(file)),
  YCSB("ycsb", "output of YCSB's binding 'basic'", (file, options) -> new YcsbTrace(file)),
  HBASE_WAL(
      "hbase-wal",
      "output of 'hbase wal -j' (WALPrettyPrinter): all writes, no reads",
      (file, options) -> new HBaseWalTrace(file)),
  HBASE_SLOW_LOG(
      "hbase-slow-log",
      "a region server's log: only its slow and large operations",
      (file, options) -> new HBaseSlowLogTrace(file)),
  ROCKSDB(
      "rocksdb",
      "output of trace_analyzer -convert_to_human_readable_trace",
      (file, options) -> new RocksDbTrace(file)),
  TWITTER("twitter", "Twitter's cache-trace", (file, options) -> new TwitterTrace(file)),
  LIBCACHESIM(
      "libcachesim",
      "CSV of libCacheSim; its columns with --columns, as there with -t",
      LibCacheSimTrace::new);

  @FunctionalInterface
  private interface Opener {
    TraceReader open(Path file, String columns) throws IOException;
  }

  private final String label;
  private final String text;
  private final Opener opener;

  TraceFormat(String label, String text, Opener opener) {
    this.label = label;
    this.text = text;
    this.opener = opener;
  }

  /** By which it is asked for. */
  public String label() {
    return label;
  }

  /** What it is, in a line. */
  public String text() {
    return text;
  }

  /**
   * The one of a label.
   *
   * @throws IllegalArgumentException if there is none
   */
  public static TraceFormat named(String label) {
    return Arrays.stream(values())
        .filter(each -> each.label.equals(label))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "No format '"
                        + label
                        + "': there are "
                        + Arrays.stream(values())
                            .map(TraceFormat::label)
                            .collect(Collectors.joining(", "))));
  }

  /**
   * Opens a trace.
   *
   * @param columns what a format without names of its own has where; empty: as usual
   * @throws TraceException if it does not begin like one
   * @throws IllegalArgumentException if the columns are none
   */
  public TraceReader open(Path file, String columns) throws IOException {
    if (!columns.isEmpty() && this != LIBCACHESIM) {
      throw new IllegalArgumentException("Columns are named for libcachesim only, not " + label);
    }
    return opener.open(file, columns);
  }
}
