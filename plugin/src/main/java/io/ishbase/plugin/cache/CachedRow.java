package io.ishbase.plugin.cache;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.ExtendedCell;
import org.apache.hadoop.hbase.KeepDeletedCells;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.KeyValueUtil;
import org.apache.hadoop.hbase.PrivateCellUtil;
import org.apache.hadoop.hbase.TagType;
import org.apache.hadoop.hbase.regionserver.ScanInfo;
import org.apache.hadoop.hbase.util.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * The cells of one row as the segment cache holds them: in the order of HBase's heap, each as
 *
 * <pre>
 *   int   length n
 *   long  sequence id
 *   n bytes in KeyValue format, with tags
 * </pre>
 */
final class CachedRow {
  private static final int HEADER_BYTES = Integer.BYTES + Long.BYTES;

  private CachedRow() {}

  /** Length of the row when it is encoded. */
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

  static byte[] encode(List<? extends Cell> cells) {
    byte[] bytes = new byte[Math.toIntExact(encodedBytes(cells))];
    ByteBuffer header = ByteBuffer.wrap(bytes);
    int position = 0;
    for (Cell cell : cells) {
      ExtendedCell extended = (ExtendedCell) cell;
      header.position(position);
      header.putInt(extended.getSerializedSize(true)).putLong(extended.getSequenceId());
      position = KeyValueUtil.appendToByteArray(cell, bytes, position + HEADER_BYTES, true);
    }
    return bytes;
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
   * anew after a seek).
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
    return CellUtil.isDelete(cell) || cell.getTagsLength() > 0 || cell.getQualifierLength() == 0;
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

  /** The row after {@code more} cells, in order, joined those of an encoded one. */
  static List<ExtendedCell> merge(
      Cells present, List<ExtendedCell> more, CellComparator comparator) {
    List<ExtendedCell> merged = new ArrayList<>(more.size() + 4);
    int next = 0;
    for (ExtendedCell cell = present.next(); cell != null; cell = present.next()) {
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
  static final class Cells {
    private final byte[] row;
    private final long readPoint;
    private int position;

    /**
     * @param readPoint cells of a greater sequence id are passed over
     */
    Cells(byte[] row, long readPoint) {
      this.row = row;
      this.readPoint = readPoint;
    }

    /** The next cell; null at the end. */
    @Nullable ExtendedCell next() {
      while (position < row.length) {
        int length = Bytes.toInt(row, position);
        long sequenceId = Bytes.toLong(row, position + Integer.BYTES);
        int start = position + HEADER_BYTES;
        position = start + length;
        if (sequenceId <= readPoint) {
          KeyValue cell = new KeyValue(row, start, length);
          cell.setSequenceId(sequenceId);
          return cell;
        }
      }
      return null;
    }
  }
}
