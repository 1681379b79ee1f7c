package io.ishbase.daemon.compaction;

import java.util.List;
import java.util.function.LongSupplier;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FileSystem.Statistics.StatisticsData;

/** What a thread reads of file systems, by Hadoop's statistics of each thread. */
final class ThreadReads {
  private ThreadReads() {}

  /** The bytes that the calling thread reads from now on; any thread may ask. */
  static LongSupplier ofCallingThread() {
    List<StatisticsData> counters =
        FileSystem.getAllStatistics().stream()
            .map(FileSystem.Statistics::getThreadStatistics)
            .toList();
    long before = bytes(counters);
    return () -> bytes(counters) - before;
  }

  private static long bytes(List<StatisticsData> counters) {
    return counters.stream().mapToLong(StatisticsData::getBytesRead).sum();
  }
}
