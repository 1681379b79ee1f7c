package io.ishbase.plugin.regionserver.warmup;

import java.io.IOException;
import java.util.function.IntConsumer;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.PrivateCellUtil;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.KeyValueScanner;

/**
 * A store file's scanner that shows only the rows on one side of a row: nothing on the other side
 * is read, or seen. Like every scanner of a store it is used by one thread at a time.
 */
final class RowBoundedScanner implements KeyValueScanner {
  private final KeyValueScanner file;
  private final CellComparator comparator;
  private final byte[] row;
  private final boolean isBelow;

  /** A seek went beyond the bound: nothing is there, and the file's scanner was not asked. */
  private boolean isBeyond;

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
  public Cell peek() {
    Cell cell = isBeyond ? null : file.peek();
    return cell != null && shows(cell) ? cell : null;
  }

  @Override
  public Cell next() throws IOException {
    Cell cell = peek();
    if (cell != null) {
      file.next();
    }
    return cell;
  }

  @Override
  public boolean seek(Cell key) throws IOException {
    return shows(key) ? at(file.seek(key)) : !isBelow ? at(file.seek(firstOfRow())) : beyond();
  }

  @Override
  public boolean reseek(Cell key) throws IOException {
    return shows(key) ? at(file.reseek(key)) : !isBelow ? at(file.reseek(firstOfRow())) : beyond();
  }

  @Override
  public boolean requestSeek(Cell key, boolean forward, boolean useBloom) throws IOException {
    return shows(key)
        ? at(file.requestSeek(key, forward, useBloom))
        : forward ? reseek(key) : seek(key);
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

  private boolean at(boolean found) {
    isBeyond = !found;
    return peek() != null;
  }

  private boolean beyond() {
    isBeyond = true;
    return false;
  }

  @Override
  public boolean realSeekDone() {
    return isBeyond || file.realSeekDone();
  }

  @Override
  public void enforceSeek() throws IOException {
    if (!isBeyond) {
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
