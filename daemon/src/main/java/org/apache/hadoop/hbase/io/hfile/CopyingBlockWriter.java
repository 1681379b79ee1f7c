package org.apache.hadoop.hbase.io.hfile;

import java.io.DataOutputStream;
import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.io.ByteArrayOutputStream;
import org.apache.hadoop.hbase.io.ByteBuffAllocator;
import org.apache.hadoop.hbase.io.hfile.HFileBlock.Header;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.ChecksumType;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;

/**
 * HBase's writer of blocks, which can be given a data block as it lies in another file. While it
 * has one, cells that are written are taken to be that block's: they are not encoded. A block says
 * in its header where the previous data block lies; that, and the checksums over it, are made anew
 * in blocks that are copied and in those behind one.
 *
 * <p>Relies on HBase 2.6: {@code HFileWriterImpl} asks its block writer whether a block is full
 * before each cell, ends it by {@code writeHeaderAndData}, and begins the next by {@code
 * startWriting}.
 */
@NullMarked
final class CopyingBlockWriter extends HFileBlock.Writer {
  private static final long NONE = -1;

  private final HFileBlock.Writer original;
  private @Nullable BlockType type;
  private @Nullable HFileBlock copied;
  private boolean copiedAny;
  private boolean full;
  private long previousData = NONE;

  /**
   * Takes the place of another.
   *
   * @param original has written nothing yet; is released with this one
   */
  CopyingBlockWriter(
      HFileBlock.Writer original,
      Configuration conf,
      HFileDataBlockEncoder encoder,
      HFileContext context,
      ByteBuffAllocator allocator,
      int maxUncompressedBytes) {
    super(conf, encoder, context, allocator, maxUncompressedBytes);
    this.original = original;
  }

  /** Whether the file's writer shall end the block now, however small it is. */
  void full(boolean isFull) {
    full = isFull;
  }

  /**
   * The next block is this one.
   *
   * @param block as on disk, on the heap; it is changed
   */
  void copy(HFileBlock block) {
    copied = block;
  }

  @Override
  DataOutputStream startWriting(BlockType newType) throws IOException {
    copied = null;
    type = newType;
    return super.startWriting(newType);
  }

  @Override
  void write(Cell cell) throws IOException {
    if (copied == null) {
      super.write(cell);
    }
  }

  @Override
  boolean isWriting() {
    return copied != null || super.isWriting();
  }

  @Override
  public int encodedBlockSizeWritten() {
    return copied == null ? super.encodedBlockSizeWritten() : 0;
  }

  @Override
  public int blockSizeWritten() {
    if (full) {
      return Integer.MAX_VALUE;
    }
    return copied == null ? super.blockSizeWritten() : 0;
  }

  @Override
  public boolean checkBoundariesWithPredicate() {
    return full || copied == null && super.checkBoundariesWithPredicate();
  }

  @Override
  void writeHeaderAndData(FSDataOutputStream out) throws IOException {
    long offset = out.getPos();
    boolean isData = copied != null || type == BlockType.DATA;
    if (copied != null) {
      write(copied, out);
      copiedAny = true;
    } else if (isData && copiedAny) {
      writeBehindCopied(out);
    } else {
      super.writeHeaderAndData(out);
    }
    if (isData) {
      previousData = offset;
    }
  }

  private void write(HFileBlock block, FSDataOutputStream out) throws IOException {
    byte[] bytes = block.getBufferReadOnly().array();
    int from = block.getBufferReadOnly().arrayOffset();
    int dataBytes = block.getOnDiskDataSizeWithHeader();
    // Behind its data lie the old checksums. All are made anew: HBase reads a block in spite of a
    // wrong one, and would do so in the new file for ever.
    relocate(bytes, from, dataBytes, dataBytes);
    out.write(bytes, from, block.getOnDiskSizeWithHeader());
  }

  private void writeBehindCopied(FSDataOutputStream out) throws IOException {
    ByteArrayOutputStream block = new ByteArrayOutputStream();
    super.writeHeaderAndData(new FSDataOutputStream(block, null, out.getPos()));
    byte[] bytes = block.getBuffer();
    // The header is within the first chunk; those behind it keep the sums that they have.
    relocate(
        bytes,
        0,
        Bytes.toInt(bytes, Header.ON_DISK_DATA_SIZE_WITH_HEADER_INDEX),
        Bytes.toInt(bytes, Header.BYTES_PER_CHECKSUM_INDEX));
    out.write(bytes, 0, block.size());
  }

  /**
   * Says where the previous data block is.
   *
   * @param dataBytes of the block with its header; behind them lie its checksums
   * @param summedBytes of these whose checksums are made anew
   */
  private void relocate(byte[] bytes, int from, int dataBytes, int summedBytes) throws IOException {
    Bytes.putLong(bytes, from + Header.PREV_BLOCK_OFFSET_INDEX, previousData);
    int checksumBytes = Bytes.toInt(bytes, from + Header.BYTES_PER_CHECKSUM_INDEX);
    ChecksumType checksum = ChecksumType.codeToType(bytes[from + Header.CHECKSUM_TYPE_INDEX]);
    ChecksumUtil.generateChecksums(
        bytes,
        from,
        from + Math.min(dataBytes, summedBytes),
        bytes,
        from + dataBytes,
        checksum,
        checksumBytes);
  }

  @Override
  int getOnDiskSizeWithHeader() {
    return copied == null ? super.getOnDiskSizeWithHeader() : copied.getOnDiskSizeWithHeader();
  }

  @Override
  public int getUncompressedSizeWithHeader() {
    return copied == null
        ? super.getUncompressedSizeWithHeader()
        : copied.getUncompressedSizeWithoutHeader() + copied.headerSize();
  }

  @Override
  void release() {
    super.release();
    original.release();
  }
}
