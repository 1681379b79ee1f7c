package org.apache.hadoop.hbase.io.hfile;

import static org.apache.hadoop.hbase.io.hfile.BlockCompressedSizePredicator.BLOCK_COMPRESSED_SIZE_PREDICATOR;
import static org.apache.hadoop.hbase.io.hfile.BlockCompressedSizePredicator.MAX_BLOCK_SIZE_UNCOMPRESSED;

import java.io.IOException;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.io.crypto.Encryption;
import org.apache.hadoop.hbase.io.encoding.DataBlockEncoding;
import org.apache.hadoop.hbase.io.hfile.HFileBlock.Header;
import org.apache.hadoop.hbase.regionserver.CellSink;
import org.apache.hadoop.hbase.util.Bytes;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;

/**
 * Puts data blocks of other HFiles into one that is being written, as they lie. HBase's writer is
 * given their cells all the same, so that Bloom filters, index, counts and file info are its own;
 * but what it writes of them is the block.
 *
 * <p>In this package because of HBase 2.6's {@code HFileWriterImpl.blockWriter} and {@code
 * checkBlockBoundary}, {@code HFileBlock.Writer}, and, in 2.6.1, {@code HFileBlock.FSReader}.
 */
@NullMarked
public final class BlockCopier {
  private final HFileWriterImpl writer;
  private final CopyingBlockWriter blocks;

  private BlockCopier(HFileWriterImpl writer, Configuration conf) {
    this.writer = writer;
    this.blocks =
        new CopyingBlockWriter(
            writer.blockWriter,
            conf,
            writer.blockEncoder,
            writer.hFileContext,
            writer.cacheConf.getByteBuffAllocator(),
            conf.getInt(MAX_BLOCK_SIZE_UNCOMPRESSED, writer.hFileContext.getBlocksize() * 10));
    writer.blockWriter = blocks;
  }

  /**
   * Makes a writer ready for blocks.
   *
   * @param conf the writer's
   * @return null if none can be put into it: it has begun, encrypts, caches what it writes, or ends
   *     blocks by rules of its own
   */
  public static @Nullable BlockCopier into(HFile.Writer writer, Configuration conf) {
    return writer instanceof HFileWriterImpl file
            && file.getClass() == HFileWriterImpl.class
            && file.entryCount == 0
            && file.cacheConf.getBlockCache().isEmpty()
            && file.hFileContext.getEncryptionContext() == Encryption.Context.NONE
            && conf.get(BLOCK_COMPRESSED_SIZE_PREDICATOR) == null
            && conf.getFloat(HFileWriterImpl.UNIFIED_ENCODED_BLOCKSIZE_RATIO, 0) == 0
        ? new BlockCopier(file, conf)
        : null;
  }

  /**
   * Reads a block as it lies, past the block cache, and compares its checksums.
   *
   * @return on the heap; the caller's
   * @throws IOException if it cannot be read
   */
  public static HFileBlock read(HFile.Reader reader, long offset, long onDiskBytes)
      throws IOException {
    return reader.getUncachedBlockReader().readBlockData(offset, onDiskBytes, false, false, true);
  }

  /** The block as it was before compression; itself, if there was none. */
  public static HFileBlock unpack(HFile.Reader reader, HFileBlock block) throws IOException {
    return block.unpack(reader.getFileContext(), reader.getUncachedBlockReader());
  }

  /** Whether blocks of that file look as this writer would write them. */
  public boolean takesFrom(HFile.Reader reader) {
    HFileContext theirs = reader.getFileContext();
    HFileContext ours = writer.hFileContext;
    return reader.getTrailer().getMajorVersion() == writer.getMajorVersion()
        && reader.getTrailer().getMinorVersion() == writer.getMinorVersion()
        && theirs.getEncryptionContext() == Encryption.Context.NONE
        && theirs.getCompression() == ours.getCompression()
        && reader.getDataBlockEncoding() == ours.getDataBlockEncoding()
        && theirs.isIncludesMvcc() == ours.isIncludesMvcc()
        && theirs.isIncludesTags() == ours.isIncludesTags()
        && (!ours.isIncludesTags()
            || ours.getDataBlockEncoding() == DataBlockEncoding.NONE
            || theirs.isCompressTags() == ours.isCompressTags())
        && theirs.isUseHBaseChecksum()
        && ours.isUseHBaseChecksum()
        && theirs.getCellComparator().getClass() == ours.getCellComparator().getClass();
  }

  /** Whether that block, as on disk, looks as this writer would write it. */
  public boolean takes(HFileBlock block) {
    byte[] bytes = block.getBufferReadOnly().array();
    int from = block.getBufferReadOnly().arrayOffset();
    HFileContext ours = writer.hFileContext;
    BlockType type =
        ours.getDataBlockEncoding() == DataBlockEncoding.NONE
            ? BlockType.DATA
            : BlockType.ENCODED_DATA;
    return block.getBlockType() == type
        && bytes[from + Header.CHECKSUM_TYPE_INDEX] == ours.getChecksumType().getCode()
        && Bytes.toInt(bytes, from + Header.BYTES_PER_CHECKSUM_INDEX) == ours.getBytesPerChecksum();
  }

  /** What a block of the file is to hold before it is ended, as cells that are not encoded. */
  public int blockBytes() {
    return writer.hFileContext.getBlocksize();
  }

  /**
   * Ends the block that is being written, if it has cells, and writes this one behind it.
   *
   * @param block as on disk, on the heap; it is changed
   * @param cells all that are in it
   * @param file passes what it is given on to the writer
   */
  public void copy(HFileBlock block, List<Cell> cells, CellSink file) throws IOException {
    if (blocks.isWriting() && blocks.blockSizeWritten() > 0) {
      endBlock();
    }
    blocks.copy(block);
    file.appendAll(cells);
    endBlock();
  }

  private void endBlock() throws IOException {
    blocks.full(true);
    try {
      writer.checkBlockBoundary();
    } finally {
      blocks.full(false);
    }
  }
}
