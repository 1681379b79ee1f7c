package io.ishbase.plugin.blockwarmup;

import java.io.IOException;
import java.util.function.IntConsumer;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.PrivateCellUtil;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.KeyValueScanner;
import org.jspecify.annotations.Nullable;

/**
 * A store file's scanner that shows only the rows on one side of a row: nothing on the other side
 * is read, or seen. A seek to before the first row that it shows waits until a reader comes there,
 * as HBase's lazy seeks do: a short scan that begins far before it costs nothing. Like every
 * scanner of a store it is used by one thread at a time.
 */
final class RowBoundedScanner implements KeyValueScanner {
  private final KeyValueScanner file;
  private final CellComparator comparator;
  private final byte[] row;
  private final boolean isBelow;

  /** A seek went beyond the bound: nothing is there, and the file's scanner was not asked. */
  private boolean isBeyond;

  /** It should stand at the first cell from {@code row} on, and the seek is still to be done. */
  private boolean isWaiting;

  /** The file's scanner stands where the last seek sent it. */
  private boolean isPlaced;

  /**
   * Bounds a scanner.
   *
   * @param isBelow whether it shows the rows before {@code row}; else {@code row} and those after
   */
  RowBoundedScanner(KeyValueScanner file, CellComparator comparator, byte[] row, boolean isBelow) {
    this.file = file;
    this.comparator = comparator;
    this.row = row;
    this.isBelow = isBelow;
  }

  private boolean shows(Cell cell) {
    return comparator.compareRows(cell, row, 0, row.length) < 0 == isBelow;
  }

  private Cell firstOfRow() {
    return PrivateCellUtil.createFirstOnRow(row);
  }

  @Override
  public @Nullable Cell peek() {
    if (isWaiting) {
      return firstOfRow();
    }
    Cell cell = isBeyond ? null : file.peek();
    return cell != null && shows(cell) ? cell : null;
  }

  @Override
  public @Nullable Cell next() throws IOException {
    Cell cell = peek();
    if (cell != null) {
      file.next();
    }
    return cell;
  }

  @Override
  public boolean seek(Cell key) throws IOException {
    return shows(key) ? at(file.seek(key)) : isBelow ? beyond() : awaitReader();
  }

  @Override
  public boolean reseek(Cell key) throws IOException {
    if (!isPlaced) {
      return seek(key);
    }
    // What it shows from its first row on is not before a key before that.
    return shows(key) ? at(file.reseek(key)) : isBelow ? beyond() : peek() != null;
  }

  @Override
  public boolean requestSeek(Cell key, boolean forward, boolean useBloom) throws IOException {
    boolean isReseek = forward && isPlaced;
    return shows(key)
        ? at(file.requestSeek(key, isReseek, useBloom))
        : isReseek ? reseek(key) : seek(key);
  }

  @Override
  public boolean backwardSeek(Cell key) throws IOException {
    return shows(key) ? at(file.backwardSeek(key)) : isBelow ? lastBelow() : beyond();
  }

  @Override
  public boolean seekToPreviousRow(Cell key) throws IOException {
    return shows(key) ? at(file.seekToPreviousRow(key)) : isBelow ? lastBelow() : beyond();
  }

  @Override
  public boolean seekToLastRow() throws IOException {
    return isBelow ? lastBelow() : at(file.seekToLastRow());
  }

  private boolean lastBelow() throws IOException {
    return at(file.seekToPreviousRow(firstOfRow()));
  }

  private boolean awaitReader() {
    isWaiting = true;
    isPlaced = false;
    return true;
  }

  private boolean at(boolean found) {
    isWaiting = false;
    isPlaced = true;
    isBeyond = !found;
    return peek() != null;
  }

  private boolean beyond() {
    isWaiting = false;
    isBeyond = true;
    return false;
  }

  @Override
  public boolean realSeekDone() {
    return !isWaiting && (isBeyond || file.realSeekDone());
  }

  @Override
  public void enforceSeek() throws IOException {
    if (isWaiting) {
      at(file.seek(firstOfRow()));
    } else if (!isBeyond) {
      file.enforceSeek();
    }
  }

  @Override
  public long getScannerOrder() {
    return file.getScannerOrder();
  }

  @Override
  public boolean shouldUseScanner(Scan scan, HStore store, long oldestUnexpiredTs) {
    return file.shouldUseScanner(scan, store, oldestUnexpiredTs);
  }

  @Override
  public boolean isFileScanner() {
    return true;
  }

  @Override
  public void recordBlockSize(IntConsumer blockSizeConsumer) {
    file.recordBlockSize(blockSizeConsumer);
  }

  @Override
  public Path getFilePath() {
    return file.getFilePath();
  }

  @Override
  public Cell getNextIndexedKey() {
    return file.getNextIndexedKey();
  }

  @Override
  public void shipped() throws IOException {
    file.shipped();
  }

  @Override
  public void close() {
    file.close();
  }
}
