package io.ishbase.plugin.cache;

import io.ishbase.core.cache.memory.Columns;
import io.ishbase.protocol.CellBatch;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.ExtendedCell;
import org.apache.hadoop.hbase.KeepDeletedCells;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.PrivateCellUtil;
import org.apache.hadoop.hbase.TagType;
import org.apache.hadoop.hbase.regionserver.ScanInfo;
import org.jspecify.annotations.Nullable;

/**
 * The cells of one row as the segment cache holds them: a {@link CellBatch} of one file, in the
 * order of HBase's heap, or that packed ({@link RowCodec}).
 */
final class CachedRow {
  /** Of a cell beside its bytes, at most: place, sequence id, length. */
  private static final int HEADER_BYTES = 1 + 10 + 5;

  private CachedRow() {}

  /** Length of the row when it is encoded, at most. */
  static long encodedBytes(List<? extends Cell> cells) {
    long bytes = 0;
    for (Cell cell : cells) {
      bytes += encodedBytes(cell);
    }
    return bytes;
  }

  static int encodedBytes(Cell cell) {
    return HEADER_BYTES + ((ExtendedCell) cell).getSerializedSize(true);
  }

  /** The row as it is held where it is not packed. */
  static byte[] encode(List<? extends Cell> cells) {
    CellBatch.Encoder encoder =
        new CellBatch.Encoder(Math.toIntExact(encodedBytes(cells)) + HEADER_BYTES);
    for (Cell cell : cells) {
      encoder.add(0, (ExtendedCell) cell);
    }
    return Arrays.copyOf(encoder.array(), encoder.size());
  }

  /**
   * Whether no compaction will ever drop a cell of the row: no delete marker, no version beyond the
   * maximum or written twice, nothing that expires on its own.
   */
  static boolean isClean(List<? extends Cell> cells, ScanInfo family) {
    if (family.getMinVersions() > 0 || family.getKeepDeletedCells() != KeepDeletedCells.FALSE) {
      return cells.isEmpty();
    }
    Cell previous = null;
    int versions = 0;
    for (Cell cell : cells) {
      if (CellUtil.isDelete(cell)
          || cell.getTagsLength() > 0
              && PrivateCellUtil.getTag(cell, TagType.TTL_TAG_TYPE).isPresent()) {
        return false;
      }
      Cell newer = previous != null && CellUtil.matchingColumn(previous, cell) ? previous : null;
      versions = newer == null ? 1 : versions + 1;
      if (versions > family.getMaxVersions()
          || newer != null && newer.getTimestamp() == cell.getTimestamp()) {
        return false;
      }
      previous = cell;
    }
    return true;
  }

  /**
   * The row without the versions that no reader sees who is shown what the family keeps: those
   * beyond the maximum, and those written again with the same timestamp.
   *
   * <p>Only of rows where nothing else has a say in what is seen, now or later: no delete markers,
   * no tags (a TTL of a cell, labels), no cells without a qualifier (HBase counts their versions
   * anew after a seek), none with the last timestamp that there is (it passes over them in a named
   * column), and no types beside puts (which count although a put has their timestamp).
   *
   * @param smallestReadPoint cells beyond it hide no others yet
   * @return {@code cells} itself if nothing is to go
   */
  static List<ExtendedCell> trim(
      List<ExtendedCell> cells, ScanInfo family, long smallestReadPoint) {
    if (family.getMinVersions() > 0
        || family.getKeepDeletedCells() != KeepDeletedCells.FALSE
        || cells.stream().anyMatch(CachedRow::isSpecial)) {
      return cells;
    }
    return withoutHidden(cells, family.getMaxVersions(), smallestReadPoint);
  }

  private static boolean isSpecial(ExtendedCell cell) {
    return cell.getTypeByte() != KeyValue.Type.Put.getCode()
        || cell.getTimestamp() == Long.MAX_VALUE
        || cell.getTagsLength() > 0
        || cell.getQualifierLength() == 0;
  }

  /** Cells without the puts that {@code maxVersions} newer versions of their column hide. */
  static List<ExtendedCell> withoutHidden(
      List<ExtendedCell> cells, int maxVersions, long smallestReadPoint) {
    List<ExtendedCell> rest = new ArrayList<>(cells.size());
    ExtendedCell newer = null;
    int versions = 0;
    for (ExtendedCell cell : cells) {
      if (CellUtil.isDelete(cell)) {
        rest.add(cell);
        continue;
      }
      if (newer == null || !CellUtil.matchingColumn(newer, cell)) {
        newer = null;
        versions = 0;
      }
      boolean isHidden =
          newer != null && (versions == maxVersions || newer.getTimestamp() == cell.getTimestamp());
      if (!isHidden) {
        rest.add(cell);
        if (cell.getSequenceId() <= smallestReadPoint) {
          newer = cell;
          versions++;
        }
      }
    }
    return rest.size() == cells.size() ? cells : rest;
  }

  /** Whether a read of these columns has to do with the cell. */
  static boolean isOf(Cell cell, Columns columns) {
    return isOfFamily(cell) || columns.contains(CellUtil.cloneQualifier(cell));
  }

  /** Whether it is a delete marker of the whole family, which goes with every column. */
  static boolean isOfFamily(Cell cell) {
    return PrivateCellUtil.isDeleteFamily(cell) || PrivateCellUtil.isDeleteFamilyVersion(cell);
  }

  /** The cells that are left of an encoded row. */
  static List<ExtendedCell> all(Cells cells) {
    List<ExtendedCell> all = new ArrayList<>();
    for (ExtendedCell cell = cells.next(); cell != null; cell = cells.next()) {
      all.add(cell);
    }
    return all;
  }

  /** The cells that are present, and {@code more}, both in order. */
  static List<ExtendedCell> merge(
      List<ExtendedCell> present, List<? extends ExtendedCell> more, CellComparator comparator) {
    List<ExtendedCell> merged = new ArrayList<>(present.size() + more.size());
    int next = 0;
    for (ExtendedCell cell : present) {
      while (next < more.size() && comparator.compare(more.get(next), cell) < 0) {
        merged.add(more.get(next++));
      }
      if (next < more.size() && comparator.compare(more.get(next), cell) == 0) {
        // The same cell: a fill brought it before.
        next++;
      }
      merged.add(cell);
    }
    merged.addAll(more.subList(next, more.size()));
    return merged;
  }

  /**
   * Walks over the cells of an encoded row. They are on the heap and share its bytes, so that a
   * coprocessor may keep them for as long as it likes. For use by one thread.
   */
  static final class Cells implements RowCells {
    private final CellBatch.Decoder batch;
    private final long readPoint;

    /**
     * @param row not packed
     * @param readPoint cells of a greater sequence id are passed over
     */
    Cells(byte[] row, long readPoint) {
      this.batch = new CellBatch.Decoder(row);
      this.readPoint = readPoint;
    }

    @Override
    public @Nullable ExtendedCell next() {
      try {
        while (batch.hasNext()) {
          KeyValue cell = batch.next();
          if (cell.getSequenceId() <= readPoint) {
            return cell;
          }
        }
        return null;
      } catch (IOException e) {
        throw new IllegalStateException("A row of this process's cache", e);
      }
    }
  }
}
