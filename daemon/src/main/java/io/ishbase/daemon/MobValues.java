package io.ishbase.daemon;

import io.ishbase.daemon.rpc.RequestException;
import io.ishbase.protocol.CellBatch;
import io.ishbase.protocol.CellBatch.Gap;
import io.ishbase.protocol.generated.IssnProtos.Code;
import io.ishbase.protocol.generated.IssnProtos.MobWish;
import io.ishbase.protocol.generated.IssnProtos.ReadRequest;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.ExtendedCell;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.PrivateCellUtil;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.Tag;
import org.apache.hadoop.hbase.TagType;
import org.apache.hadoop.hbase.mob.MobUtils;
import org.apache.hadoop.hbase.regionserver.StoreFileScanner;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The large objects of one answer: behind a cell that refers to a MOB file the cell that it refers
 * to there. Those that a delete marker of the answer hides, and versions that nobody asked for,
 * stay references. So does what is not found, or not as HBase's {@code HMobStore} would find it:
 * then the region server looks for itself, and fails as HBase does.
 *
 * <p>Where a MOB file lies follows from the reference, the family and the HBase root alone: the
 * directory of the table that wrote it, or that directory's archive. For use by one thread, once.
 */
final class MobValues implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(MobValues.class);

  /** Hash of a region's first row, day, one of a kind, and since HBase 2.6 the region. */
  private static final Pattern FILE_NAME = Pattern.compile("[0-9a-f]+(_[0-9a-f]+)?");

  private final MobWish wish;
  private final long readPoint;
  private final HFileReaders readers;
  private final MobDirectories directories;
  private final LargeCells.Share largeCells;
  private final String family;

  /** By table and name; empty: it is not read. */
  private final Map<String, Optional<HFileReaders.Lease>> files = new HashMap<>();

  /** Paths of those that failed. */
  private final Set<String> failed = new HashSet<>();

  private final CellBatch.Encoder batch = new CellBatch.Encoder(2048);
  private final List<Integer> values = new ArrayList<>();

  // Of the column and the row that the pass has come to.
  private @Nullable Cell before;
  private int puts;
  private boolean isColumnDeleted;
  private long familyDeletedUpTo;

  /**
   * @param request that has a wish for them
   */
  MobValues(
      ReadRequest request,
      HFileReaders readers,
      MobDirectories directories,
      LargeCells.Share largeCells) {
    this.largeCells = largeCells;
    this.wish = request.getMob();
    this.readPoint = request.getReadPoint();
    this.readers = readers;
    this.directories = directories;
    this.family = new Path(request.getDirectory()).getName();
  }

  /**
   * Takes the cells, with values behind those that refer to them, until they have the size that was
   * asked for: the reference whose value would be one too many is the first that is left. What is
   * looked for in vain takes time, too.
   *
   * @param isTimeOver whether to end before the next value is looked for, unless that is the first
   * @return how many of the cells it took; one at least, if there is one
   */
  int take(CellBatch.Encoder cells, int maxBytes, BooleanSupplier isTimeOver) throws IOException {
    CellBatch.Decoder decoder = cells.decoder(0);
    boolean hasLooked = false;
    for (int taken = 0; taken < cells.count(); taken++) {
      KeyValue cell = decoder.next();
      boolean isWanted = isWanted(cell);
      if (isWanted && hasLooked && (batch.size() >= maxBytes || isTimeOver.getAsBoolean())) {
        return taken;
      }
      batch.add(decoder.file(), cell);
      if (decoder.gap() != Gap.NONE) {
        batch.markGap(decoder.gap());
      }
      if (isWanted) {
        hasLooked = true;
        if (addValue(decoder.file(), cell)) {
          values.add(batch.count() - 1);
        }
      }
    }
    return cells.count();
  }

  /** The length of the value that {@code cell} refers to, as it says; 0 if it refers to none. */
  static long announcedBytes(Cell cell) {
    return MobUtils.isMobReferenceCell(cell) && MobUtils.hasValidMobRefCellValue(cell)
        ? Math.max(0, MobUtils.getMobValueLength(cell))
        : 0;
  }

  /** The cells taken, and their values. */
  CellBatch.Encoder batch() {
    return batch;
  }

  /** The indices of the values in the batch. */
  List<Integer> values() {
    return values;
  }

  /** Whether the reader is likely to return the cell, and needs its value from elsewhere. */
  private boolean isWanted(Cell cell) {
    Cell previous = before;
    before = cell;
    if (previous == null || !CellUtil.matchingRows(cell, previous)) {
      familyDeletedUpTo = Long.MIN_VALUE;
      startColumn();
    } else if (!CellUtil.matchingQualifier(cell, previous)) {
      startColumn();
    }
    if (PrivateCellUtil.isDeleteFamily(cell)) {
      familyDeletedUpTo = Math.max(familyDeletedUpTo, cell.getTimestamp());
    }
    isColumnDeleted |= PrivateCellUtil.isDeleteColumns(cell);
    return !PrivateCellUtil.isDelete(cell.getTypeByte())
        && puts++ < wish.getVersions()
        && !isColumnDeleted
        && cell.getTimestamp() > familyDeletedUpTo
        && MobUtils.isMobReferenceCell(cell)
        && MobUtils.hasValidMobRefCellValue(cell);
  }

  private void startColumn() {
    puts = 0;
    isColumnDeleted = false;
  }

  private boolean addValue(int file, Cell reference) {
    HFileReaders.Lease lease = lease(reference);
    // What its read point hides from this reader, another who shares the answer may see.
    if (lease == null || failed.contains(lease.path()) || lease.maxSequenceId() > readPoint) {
      return false;
    }
    // As HBase's MobFile.readCell.
    try (StoreFileScanner scanner = lease.scanner(wish.getCacheBlocks(), readPoint)) {
      boolean isFound =
          scanner.seek(reference)
              && PrivateCellUtil.compareKeyIgnoresMvcc(
                      ReadService.COMPARATOR, reference, scanner.peek())
                  == 0;
      if (isFound) {
        ExtendedCell value = (ExtendedCell) scanner.peek();
        largeCells.take(file, value);
        batch.add(file, value);
      }
      return isFound;
    } catch (FileFault e) {
      LOG.debug("{}: {}", lease.path(), e.fault().getMessage());
      return false;
    } catch (BlockBuffers.NoRoomException e) {
      LOG.debug("{}: {}", lease.path(), e.getMessage());
      return false;
    } catch (IOException | RuntimeException | LinkageError | InternalError e) {
      LOG.warn("Cannot read {}", lease.path(), e);
      failed.add(lease.path());
      readers.drop(lease.path());
      return false;
    }
  }

  private HFileReaders.@Nullable Lease lease(Cell reference) {
    TableName table = table(reference);
    String name = MobUtils.getMobFileName(reference);
    if (table == null || !FILE_NAME.matcher(name).matches()) {
      return null;
    }
    return files
        .computeIfAbsent(table + "/" + name, file -> Optional.ofNullable(open(table, name)))
        .orElse(null);
  }

  /**
   * The table that wrote what is referred to; null: the cell does not say.
   *
   * <p>Not by {@code MobUtils.getTableName}: in HBase 2.6 that looks for the colon behind a
   * namespace in the whole array, in which other cells have theirs.
   */
  private static @Nullable TableName table(Cell reference) {
    try {
      return PrivateCellUtil.getTag(reference, TagType.MOB_TABLE_NAME_TAG_TYPE)
          .map(tag -> TableName.valueOf(Tag.cloneValue(tag)))
          .orElse(null);
    } catch (IllegalArgumentException e) {
      LOG.debug("{} names no table", reference, e);
      return null;
    }
  }

  private HFileReaders.@Nullable Lease open(TableName table, String name) {
    for (String directory : directories.of(table, family)) {
      try {
        return readers.acquire(directory + "/" + name, wish.getEncrypted());
      } catch (RequestException e) {
        LOG.debug("{}: {}", e.code(), e.getMessage(), e);
        if (e.code() != Code.NO_FILE) {
          return null;
        }
      }
    }
    return null;
  }

  @Override
  public void close() {
    files.values().forEach(lease -> lease.ifPresent(HFileReaders.Lease::release));
  }
}
