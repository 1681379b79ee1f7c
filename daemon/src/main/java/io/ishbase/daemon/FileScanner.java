package io.ishbase.daemon;

import io.ishbase.daemon.rpc.RequestException;
import io.ishbase.protocol.ReleaseAdapter;
import io.ishbase.protocol.generated.IssnProtos.Code;
import java.io.IOException;
import java.util.function.IntConsumer;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.regionserver.NonLazyKeyValueScanner;
import org.apache.hadoop.hbase.regionserver.StoreFileReader;
import org.apache.hadoop.hbase.regionserver.StoreFileScanner;
import org.jspecify.annotations.Nullable;

/**
 * HBase's scanner of one file of a request, whose failures say which file it is: the others of the
 * request are not to blame.
 */
final class FileScanner extends NonLazyKeyValueScanner {
  private final StoreFileScanner scanner;
  private final int file;
  private final IntConsumer counter = this::setBlockBytes;

  /** Of the block where it stood when it was asked last. */
  private int blockBytes;

  /** Where that block ends, if HBase does not say how large it is. */
  private @Nullable Cell blockEnd;

  /** Whether that block counts although it did before. */
  private boolean countsAgain;

  /**
   * @param file its index in the request, which is the scanner's order
   */
  FileScanner(StoreFileReader reader, boolean cacheBlocks, long readPoint, int file) {
    this.scanner = reader.getStoreFileScanner(cacheBlocks, true, false, readPoint, file, false);
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

  /** Says the size of the current block, unless it was said before for this range. */
  void recordBlock(IntConsumer blockSizeConsumer) {
    if (!isRecorded()) {
      countsAgain = false;
      blockSizeConsumer.accept(blockBytes);
    }
  }

  /**
   * Whether the size of the current block was said. HBase 2.5 does not know it: there a block is
   * taken to be as large as blocks usually are.
   */
  boolean isRecorded() {
    if (ReleaseAdapter.IS_2_6) {
      ReleaseAdapter.recordBlockSize(scanner, counter);
    } else if (scanner.getNextIndexedKey() != blockEnd) {
      blockEnd = scanner.getNextIndexedKey();
      setBlockBytes(HConstants.DEFAULT_BLOCKSIZE);
    }
    return !countsAgain;
  }

  @Override
  public @Nullable Cell peek() {
    return scanner.peek();
  }

  @Override
  public long getScannerOrder() {
    return file;
  }

  @Override
  public @Nullable Cell getNextIndexedKey() {
    return scanner.getNextIndexedKey();
  }

  @Override
  public void shipped() throws IOException {
    scanner.shipped();
  }

  @Override
  public void close() {
    scanner.close();
  }

  @Override
  public @Nullable Cell next() throws IOException {
    try {
      return scanner.next();
    } catch (IOException | RuntimeException | LinkageError | InternalError e) {
      throw fault(e);
    }
  }

  @Override
  public boolean seek(Cell key) throws IOException {
    try {
      return scanner.seek(key);
    } catch (IOException | RuntimeException | LinkageError | InternalError e) {
      throw fault(e);
    }
  }

  @Override
  public boolean reseek(Cell key) throws IOException {
    try {
      return scanner.reseek(key);
    } catch (IOException | RuntimeException | LinkageError | InternalError e) {
      throw fault(e);
    }
  }

  @Override
  public boolean seekToLastRow() throws IOException {
    try {
      return scanner.seekToLastRow();
    } catch (IOException | RuntimeException | LinkageError | InternalError e) {
      throw fault(e);
    }
  }

  @Override
  public boolean seekToPreviousRow(Cell key) throws IOException {
    try {
      return scanner.seekToPreviousRow(key);
    } catch (IOException | RuntimeException | LinkageError | InternalError e) {
      throw fault(e);
    }
  }

  @Override
  public boolean backwardSeek(Cell key) throws IOException {
    try {
      return scanner.backwardSeek(key);
    } catch (IOException | RuntimeException | LinkageError | InternalError e) {
      throw fault(e);
    }
  }

  private FileFault fault(Throwable failure) {
    if (failure instanceof FileFault known) {
      return known;
    }
    return new FileFault(
        file,
        failure instanceof BlockBuffers.NoRoomException
            ? new RequestException(Code.FAILED, String.valueOf(failure.getMessage()), failure)
            : failure);
  }
}
