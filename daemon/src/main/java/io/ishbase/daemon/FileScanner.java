package io.ishbase.daemon;

import java.io.IOException;
import java.util.function.IntConsumer;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.io.encoding.DataBlockEncoding;
import org.apache.hadoop.hbase.regionserver.StoreFileReader;
import org.apache.hadoop.hbase.regionserver.StoreFileScanner;

/**
 * HBase's scanner of one file of a request, whose failures say which file it is: the others of the
 * request are not to blame.
 *
 * <p>Relies on HBase 2.6: made as {@code StoreFileReader.getStoreFileScanner} makes it, and the
 * methods below are all that reads.
 */
final class FileScanner extends StoreFileScanner {
  private final int file;
  private final IntConsumer counter = this::setBlockBytes;

  /** Of the block where it stood when it was asked last. */
  private int blockBytes;

  /** Whether that block counts although it did before. */
  private boolean countsAgain;

  /**
   * @param file its index in the request, which is the scanner's order
   */
  @SuppressWarnings("deprecation") // there is no other way to a scanner
  FileScanner(StoreFileReader reader, boolean cacheBlocks, long readPoint, int file) {
    super(
        reader,
        reader.getScanner(cacheBlocks, true, false),
        true,
        reader.getHFileReader().hasMVCCInfo(),
        readPoint,
        file,
        false,
        reader.getHFileReader().getDataBlockEncoding() == DataBlockEncoding.ROW_INDEX_V1);
    this.file = file;
  }

  /** It is to be read for another range of the request: as HBase counts it, from another file. */
  void beginRange() {
    countsAgain = true;
  }

  private void setBlockBytes(int bytes) {
    blockBytes = bytes;
    countsAgain = true;
  }

  @Override
  public void recordBlockSize(IntConsumer blockSizeConsumer) {
    super.recordBlockSize(counter);
    if (countsAgain) {
      countsAgain = false;
      blockSizeConsumer.accept(blockBytes);
    }
  }

  @Override
  public Cell next() throws IOException {
    try {
      return super.next();
    } catch (IOException | RuntimeException | LinkageError e) {
      throw fault(e);
    }
  }

  @Override
  public boolean seek(Cell key) throws IOException {
    try {
      return super.seek(key);
    } catch (IOException | RuntimeException | LinkageError e) {
      throw fault(e);
    }
  }

  @Override
  public boolean reseek(Cell key) throws IOException {
    try {
      return super.reseek(key);
    } catch (IOException | RuntimeException | LinkageError e) {
      throw fault(e);
    }
  }

  @Override
  public boolean seekToLastRow() throws IOException {
    try {
      return super.seekToLastRow();
    } catch (IOException | RuntimeException | LinkageError e) {
      throw fault(e);
    }
  }

  @Override
  public boolean seekToPreviousRow(Cell key) throws IOException {
    try {
      return super.seekToPreviousRow(key);
    } catch (IOException | RuntimeException | LinkageError e) {
      throw fault(e);
    }
  }

  @Override
  public boolean backwardSeek(Cell key) throws IOException {
    try {
      return super.backwardSeek(key);
    } catch (IOException | RuntimeException | LinkageError e) {
      throw fault(e);
    }
  }

  private FileFault fault(Throwable failure) {
    return failure instanceof FileFault known ? known : new FileFault(file, failure);
  }
}
