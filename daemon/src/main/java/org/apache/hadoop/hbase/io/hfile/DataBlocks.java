package org.apache.hadoop.hbase.io.hfile;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.io.ByteBuffAllocator;
import org.apache.hadoop.hbase.io.encoding.DataBlockEncoding;
import org.apache.hadoop.hbase.nio.ByteBuff;
import org.apache.hadoop.hbase.regionserver.KeyValueScanner;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;

/**
 * Where the data blocks of an HFile lie, by its index, without reading one. In this package because
 * HBase 2.6's index readers are searched by {@code loadDataBlockWithScanInfo} alone, which ends by
 * reading the data block that it has found: an empty one stands in here. The last index blocks are
 * kept, so that a walk over the file reads each once.
 *
 * <p>Used by one thread.
 */
@NullMarked
public final class DataBlocks {
  /** More than an index has levels. */
  private static final int KEPT = 4;

  private final HFile.Reader reader;
  private final HFileBlock standIn;
  private final Map<Long, HFileBlock> kept = new LinkedHashMap<>();
  private long foundOffset;
  private long foundBytes;

  public DataBlocks(HFile.Reader reader) {
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
   * @param end above all of its cells, and not above the first of the next data block; null if this
   *     is the last
   */
  public record Place(long offset, long onDiskBytes, @Nullable Cell end) {}

  /** The block that holds {@code key} or would; null if the file begins behind it. */
  public @Nullable Place holding(Cell key) throws IOException {
    BlockWithScanInfo found =
        reader
            .getDataBlockIndexReader()
            .loadDataBlockWithScanInfo(
                key, null, false, true, true, DataBlockEncoding.NONE, new IndexBlocks());
    if (found == null) {
      return null;
    }
    Cell next = found.getNextIndexedKey();
    return new Place(
        foundOffset, foundBytes, next == KeyValueScanner.NO_NEXT_INDEXED_KEY ? null : next);
  }

  private HFileBlock indexBlock(long offset, long onDiskBytes, BlockType type) throws IOException {
    HFileBlock block = kept.get(offset);
    if (block == null) {
      block = reader.readBlock(offset, onDiskBytes, false, true, true, false, type, null, false);
      if (kept.size() == KEPT) {
        Iterator<HFileBlock> oldest = kept.values().iterator();
        oldest.next().release();
        oldest.remove();
      }
      kept.put(offset, block);
    }
    // The search releases what it is given.
    block.retain();
    return block;
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
        return indexBlock(offset, onDiskBytes, expectedType);
      }
      foundOffset = offset;
      foundBytes = onDiskBytes;
      return standIn;
    }
  }
}
