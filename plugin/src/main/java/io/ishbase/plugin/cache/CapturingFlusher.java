package io.ishbase.plugin.cache;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.ExtendedCell;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.NoTagsKeyValue;
import org.apache.hadoop.hbase.monitoring.MonitoredTask;
import org.apache.hadoop.hbase.regionserver.CellSink;
import org.apache.hadoop.hbase.regionserver.DefaultStoreFlusher;
import org.apache.hadoop.hbase.regionserver.FlushLifeCycleTracker;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.InternalScanner;
import org.apache.hadoop.hbase.regionserver.MemStoreSnapshot;
import org.apache.hadoop.hbase.regionserver.throttle.ThroughputController;
import org.jspecify.annotations.Nullable;

/**
 * HBase's flusher, which remembers what it wrote until the file takes the snapshot's place. The
 * cells are the snapshot's own: they stay in memory until then in any case.
 *
 * <p>Relies on HBase 2.6: {@code DefaultStoreFlusher.performFlush} writes every cell of a flush
 * once, in order, and its tags if the snapshot says that it has any; a flush commits the files that
 * {@code flushSnapshot} returned under their names. One flush of a store runs at a time.
 */
final class CapturingFlusher extends DefaultStoreFlusher {
  /**
   * What a flush wrote.
   *
   * @param cells in order
   * @param newest sequence id of these. A snapshot is taken while nothing is written, so the
   *     memstore holds no cell any longer that is not newer. The flush's own id does not say so: it
   *     may write the snapshot of one that failed, before which cells came that stay
   */
  record Written(List<ExtendedCell> cells, long newest) {}

  /** Of a flattened memstore each is an object that lives until the flush is committed. */
  private static final int MOST_CELLS = 1 << 20;

  private final BooleanSupplier isWanted;

  /**
   * Whether the file holds tags. That of a memstore that compacts itself may hold none though a
   * cell has them: one that filled its segment, if no other of the segment has any.
   */
  private boolean writesTags;

  /** Null: nobody wants them. */
  private @Nullable List<ExtendedCell> cells;

  private long newest;

  private @Nullable Written written;
  private @Nullable String fileName;

  /**
   * @param isWanted asked when a flush begins
   */
  CapturingFlusher(Configuration conf, HStore store, BooleanSupplier isWanted) {
    super(conf, store);
    this.isWanted = isWanted;
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
    written = null;
    writesTags = snapshot.isTagsPresent();
    List<Path> files =
        super.flushSnapshot(
            snapshot, cacheFlushId, status, throughputController, tracker, writerCreationTracker);
    if (files.size() == 1 && cells != null) {
      fileName = files.get(0).getName();
      written = new Written(cells, newest);
    }
    cells = null;
    return files;
  }

  @Override
  protected void performFlush(
      InternalScanner scanner, CellSink sink, ThroughputController throughputController)
      throws IOException {
    if (!isWanted.getAsBoolean()) {
      cells = null;
      super.performFlush(scanner, sink, throughputController);
      return;
    }
    cells = new ArrayList<>();
    newest = 0;
    CellSink capturing =
        cell -> {
          sink.append(cell);
          List<ExtendedCell> captured = cells;
          if (captured != null) {
            if (captured.size() < MOST_CELLS && cell instanceof ExtendedCell own) {
              captured.add(asWritten(own));
              newest = Math.max(newest, own.getSequenceId());
            } else {
              cells = null;
            }
          }
        };
    super.performFlush(scanner, capturing, throughputController);
  }

  private ExtendedCell asWritten(ExtendedCell cell) throws IOException {
    if (writesTags || cell.getTagsLength() == 0) {
      return cell;
    }
    ByteArrayOutputStream withoutTags = new ByteArrayOutputStream(cell.getSerializedSize(false));
    cell.write(withoutTags, false);
    KeyValue written = new NoTagsKeyValue(withoutTags.toByteArray(), 0, withoutTags.size());
    written.setSequenceId(cell.getSequenceId());
    return written;
  }

  /** What the last flush wrote if it was captured and is all that {@code files} hold; else null. */
  @Nullable Written takeWritten(Collection<HStoreFile> files) {
    if (files.size() != 1 || !files.iterator().next().getPath().getName().equals(fileName)) {
      return null;
    }
    Written taken = written;
    written = null;
    fileName = null;
    return taken;
  }
}
