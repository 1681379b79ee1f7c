package org.apache.hadoop.hbase.io.hfile;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.io.ByteBuffAllocator;
import org.apache.hadoop.hbase.io.encoding.DataBlockEncoding;
import org.apache.hadoop.hbase.nio.ByteBuff;
import org.apache.hadoop.hbase.regionserver.KeyValueScanner;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;

/**
 * Says where the data blocks of an HFile are without reading one. In this package because of
 * HBase's {@code CellBasedKeyBlockIndexReader}, which is package-private: it searches the index and
 * ends by reading the data block that it has found, for which an empty one stands in here. Index
 * blocks are read as always, through the block cache.
 *
 * <p>Used by one thread.
 */
@NullMarked
public final class DataBlockIndex {
  private final HFile.Reader reader;
  private final HFileBlock standIn;
  private long foundOffset;
  private long foundBytes;

  public DataBlockIndex(HFile.Reader reader) {
    this.reader = reader;
    this.standIn =
        new HFileBlock(
            BlockType.DATA,
            0,
            0,
            -1,
            ByteBuff.wrap(ByteBuffer.allocate(HConstants.HFILEBLOCK_HEADER_SIZE)),
            false,
            -1,
            -1,
            HConstants.HFILEBLOCK_HEADER_SIZE,
            new HFileContextBuilder().build(),
            ByteBuffAllocator.HEAP);
  }

  /**
   * A data block.
   *
   * @param onDiskBytes its size in the file, with header and checksums
   * @param nextKey not above the first key of the next data block, and above all of this one; null
   *     if this is the last
   */
  public record Entry(long offset, long onDiskBytes, @Nullable Cell nextKey) {
    /** Where the next block of the file, of whatever kind, begins. */
    public long end() {
      return offset + onDiskBytes;
    }
  }

  /** The block that holds {@code key} or would; null if the file begins behind it. */
  public @Nullable Entry find(Cell key) throws IOException {
    BlockWithScanInfo found =
        reader
            .getDataBlockIndexReader()
            .loadDataBlockWithScanInfo(
                key, null, true, true, false, DataBlockEncoding.NONE, new IndexBlocks());
    if (found == null) {
      return null;
    }
    Cell next = found.getNextIndexedKey();
    return new Entry(
        foundOffset, foundBytes, next == KeyValueScanner.NO_NEXT_INDEXED_KEY ? null : next);
  }

  private final class IndexBlocks implements HFile.CachingBlockReader {
    @Override
    public HFileBlock readBlock(
        long offset,
        long onDiskBytes,
        boolean cacheBlock,
        boolean pread,
        boolean isCompaction,
        boolean updateCacheMetrics,
        BlockType expectedType,
        DataBlockEncoding expectedEncoding)
        throws IOException {
      return readBlock(
          offset,
          onDiskBytes,
          cacheBlock,
          pread,
          isCompaction,
          updateCacheMetrics,
          expectedType,
          expectedEncoding,
          false);
    }

    @Override
    public HFileBlock readBlock(
        long offset,
        long onDiskBytes,
        boolean cacheBlock,
        boolean pread,
        boolean isCompaction,
        boolean updateCacheMetrics,
        BlockType expectedType,
        DataBlockEncoding expectedEncoding,
        boolean cacheOnly)
        throws IOException {
      if (!expectedType.isData()) {
        return reader.readBlock(
            offset, onDiskBytes, true, true, false, false, expectedType, null, false);
      }
      foundOffset = offset;
      foundBytes = onDiskBytes;
      return standIn;
    }
  }
}
