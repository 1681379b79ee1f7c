package io.ishbase.daemon.compaction;

import java.util.List;
import java.util.function.LongSupplier;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FileSystem.Statistics.StatisticsData;

/** What a thread reads of file systems, by Hadoop's statistics of each thread. */
final class ThreadReads {
  private ThreadReads() {}

  /** The bytes that the calling thread has read; any thread may ask. */
  static LongSupplier ofCallingThread() {
    List<StatisticsData> counters =
        FileSystem.getAllStatistics().stream()
            .map(FileSystem.Statistics::getThreadStatistics)
            .toList();
    return () -> counters.stream().mapToLong(StatisticsData::getBytesRead).sum();
  }
}
