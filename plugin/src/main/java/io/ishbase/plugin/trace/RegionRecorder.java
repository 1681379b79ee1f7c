package io.ishbase.plugin.trace;

import io.ishbase.core.Setting;
import io.ishbase.core.trace.Neighbourhoods;
import io.ishbase.core.trace.TraceEntry;
import io.ishbase.core.trace.TraceEntry.Operation;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.OperationStatus;
import org.apache.hadoop.hbase.regionserver.StoreFileReader;
import org.apache.hadoop.hbase.regionserver.WatchedRegionScanners.Watch;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which operations of a region are recorded, and as what: those of some neighbourhoods of rows,
 * with their row and with the number of their cells and bytes, but without a value. Thread safe.
 */
public final class RegionRecorder {
  private static final Logger LOG = LoggerFactory.getLogger(RegionRecorder.class);

  private final AccessRecorder recorder;
  private final HRegion region;
  private final String table;
  private final int perMille;
  private final AtomicBoolean hasBegun = new AtomicBoolean();
  private volatile boolean isClosed;

  /** What was looked at last, by the one thread that does; null: no file. */
  private @Nullable HStoreFile lookedAt;

  /** Null: it is not known yet. */
  private volatile @Nullable Neighbourhoods rows;

  private RegionRecorder(AccessRecorder recorder, HRegion region, int perMille) {
    this.recorder = recorder;
    this.region = region;
    this.table = region.getTableDescriptor().getTableName().getNameAsString();
    this.perMille = perMille;
    if (perMille == Neighbourhoods.ALL) {
      rows = Neighbourhoods.unknown(perMille);
    }
  }

  /**
   * That of a region.
   *
   * @param perMille what its table wants to have recorded
   * @return null if nothing is recorded of it
   */
  public static @Nullable RegionRecorder of(AccessRecorder recorder, HRegion region, int perMille) {
    TableDescriptor table = region.getTableDescriptor();
    for (ColumnFamilyDescriptor family : table.getColumnFamilies()) {
      if (family.getEncryptionType() != null) {
        LOG.warn(
            "Region {} is not recorded ({}): family {} is encrypted, and its row keys would stand"
                + " in the clear",
            region,
            Setting.TRACE.key(),
            family.getNameAsString());
        return null;
      }
    }
    return new RegionRecorder(recorder, region, perMille);
  }

  /** What watches the scanner of a read; null if the read is not recorded. */
  public @Nullable Watch watch(Scan scan) {
    Neighbourhoods known = known();
    if (known == null) {
      return null;
    }
    if (!scan.isGetScan()) {
      return new ScanWatch(this, known, scan.isReversed(), start(scan));
    }
    byte[] row = scan.getStartRow();
    return known.has(row, row.length) ? new GetWatch(this, row) : null;
  }

  private byte[] start(Scan scan) {
    byte[] start = scan.getStartRow();
    if (start.length > 0) {
      return start;
    }
    RegionInfo info = region.getRegionInfo();
    return scan.isReversed() ? info.getEndKey() : info.getStartKey();
  }

  /** Takes note of what was written. */
  public void wrote(Mutation[] mutations, OperationStatus[] results) {
    Neighbourhoods known = known();
    if (known == null) {
      return;
    }
    for (int i = 0; i < mutations.length; i++) {
      Mutation mutation = mutations[i];
      byte[] row = mutation.getRow();
      if (results[i].getOperationStatusCode() != HConstants.OperationStatusCode.SUCCESS
          || !known.has(row, row.length)) {
        continue;
      }
      long cells = 0;
      long bytes = 0;
      for (List<? extends Cell> ofFamily : mutation.getFamilyCellMap().values()) {
        cells += ofFamily.size();
        bytes += bytes(ofFamily);
      }
      add(
          mutation instanceof Delete ? Operation.DELETE : Operation.PUT,
          row,
          row.length,
          1,
          cells,
          bytes);
    }
  }

  /** Bytes of rows, names and values. */
  static long bytes(List<? extends Cell> cells) {
    long bytes = 0;
    for (int i = 0; i < cells.size(); i++) {
      Cell cell = cells.get(i);
      bytes +=
          (long) cell.getRowLength()
              + cell.getFamilyLength()
              + cell.getQualifierLength()
              + cell.getValueLength();
    }
    return bytes;
  }

  /** Adds an operation on {@code row}, its first {@code rowLength} bytes, that has just ended. */
  void add(Operation operation, byte[] row, int rowLength, long length, long cells, long bytes) {
    Instant now = Instant.now();
    recorder.add(
        new TraceEntry(
            now.getEpochSecond() * 1_000_000 + now.getNano() / 1000,
            operation,
            table,
            new String(row, 0, rowLength, StandardCharsets.ISO_8859_1),
            length,
            cells,
            bytes));
  }

  private @Nullable Neighbourhoods known() {
    if (!hasBegun.get() && !isClosed && hasBegun.compareAndSet(false, true)) {
      recorder.begin(this);
      if (isClosed) {
        recorder.end(this);
      }
    }
    return rows;
  }

  /** Learns how the rows lie, where that is not known. Called by one thread, once a second. */
  void look() {
    Neighbourhoods known = rows;
    if (known != null && (perMille == Neighbourhoods.ALL || !known.isUnknown())) {
      return;
    }
    Neighbourhoods learned;
    try {
      HStoreFile largest = largestFile();
      if (known != null && Objects.equals(largest, lookedAt)) {
        return;
      }
      lookedAt = largest;
      learned = Neighbourhoods.of(blocks(largest), perMille);
    } catch (IOException | RuntimeException e) {
      // A compaction has replaced a file and closed it meanwhile: the next look is at another.
      LOG.debug("The files of {} cannot be looked at", region, e);
      return;
    }
    if (known == null || !learned.isUnknown()) {
      LOG.info("Recorded of region {}: {}", region, learned);
      rows = learned;
    }
  }

  private @Nullable HStoreFile largestFile() {
    HStoreFile largest = null;
    long most = -1;
    for (HStore store : region.getStores()) {
      for (HStoreFile file : store.getStorefiles()) {
        StoreFileReader reader = file.getReader();
        if (reader != null && reader.getTotalUncompressedBytes() > most) {
          most = reader.getTotalUncompressedBytes();
          largest = file;
        }
      }
    }
    return largest;
  }

  private static List<List<byte[]>> blocks(@Nullable HStoreFile file) throws IOException {
    StoreFileReader reader = file == null ? null : file.getReader();
    return reader == null ? List.of() : BlockStarts.runs(reader.getHFileReader());
  }

  /** The region is closed. */
  public void close() {
    isClosed = true;
    recorder.end(this);
  }
}
