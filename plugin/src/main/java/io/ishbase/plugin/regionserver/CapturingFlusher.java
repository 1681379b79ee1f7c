package io.ishbase.plugin.regionserver;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.ExtendedCell;
import org.apache.hadoop.hbase.monitoring.MonitoredTask;
import org.apache.hadoop.hbase.regionserver.CellSink;
import org.apache.hadoop.hbase.regionserver.DefaultStoreFlusher;
import org.apache.hadoop.hbase.regionserver.FlushLifeCycleTracker;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.InternalScanner;
import org.apache.hadoop.hbase.regionserver.MemStoreSnapshot;
import org.apache.hadoop.hbase.regionserver.throttle.ThroughputController;

/**
 * HBase's flusher, which remembers what it wrote until the file takes the snapshot's place. The
 * cells are the snapshot's own: they stay in memory until then in any case.
 *
 * <p>Relies on HBase 2.6: {@code DefaultStoreFlusher.performFlush} writes every cell of a flush
 * once, in order; a flush commits the files that {@code flushSnapshot} returned under their names.
 * One flush of a store runs at a time.
 */
final class CapturingFlusher extends DefaultStoreFlusher {
  private List<ExtendedCell> written = List.of();
  private String fileName;

  CapturingFlusher(Configuration conf, HStore store) {
    super(conf, store);
  }

  @Override
  public List<Path> flushSnapshot(
      MemStoreSnapshot snapshot,
      long cacheFlushId,
      MonitoredTask status,
      ThroughputController throughputController,
      FlushLifeCycleTracker tracker,
      Consumer<Path> writerCreationTracker)
      throws IOException {
    fileName = null;
    written = List.of();
    List<Path> files =
        super.flushSnapshot(
            snapshot, cacheFlushId, status, throughputController, tracker, writerCreationTracker);
    fileName = files.size() == 1 ? files.get(0).getName() : null;
    return files;
  }

  @Override
  protected void performFlush(
      InternalScanner scanner, CellSink sink, ThroughputController throughputController)
      throws IOException {
    List<ExtendedCell> cells = new ArrayList<>();
    CellSink capturing =
        cell -> {
          sink.append(cell);
          cells.add((ExtendedCell) cell);
        };
    super.performFlush(scanner, capturing, throughputController);
    written = cells;
  }

  /** What the last flush wrote, in order, if that is all that {@code files} hold; else null. */
  List<ExtendedCell> takeWritten(Collection<HStoreFile> files) {
    if (files.size() != 1 || !files.iterator().next().getPath().getName().equals(fileName)) {
      return null;
    }
    List<ExtendedCell> cells = written;
    written = List.of();
    fileName = null;
    return cells;
  }
}
