package org.apache.hadoop.hbase.io.hfile;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
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
 * Says where the data blocks of an HFile are without reading one. In this package because of
 * HBase's {@code CellBasedKeyBlockIndexReader}, which is package-private: it searches the index and
 * ends by reading the data block that it has found, for which an empty one stands in here.
 *
 * <p>Used by one thread.
 */
@NullMarked
public final class DataBlockIndex {
  /** More than an index has levels. */
  private static final int KEPT = 4;

  private final HFile.Reader reader;
  private final IndexBlockReader indexBlocks;
  private final HFileBlock standIn;
  private long foundOffset;
  private long foundBytes;

  /** Reads a block of the index, which the search releases. */
  @FunctionalInterface
  private interface IndexBlockReader {
    HFileBlock read(long offset, long onDiskBytes, BlockType type) throws IOException;
  }

  /** Of a file whose index blocks are read as always, through the block cache. */
  public DataBlockIndex(HFile.Reader reader) {
    this(
        reader,
        (offset, onDiskBytes, type) ->
            reader.readBlock(offset, onDiskBytes, true, true, false, false, type, null, false));
  }

  /**
   * Of a file that is walked over past the block cache: the last index blocks are kept, so that
   * each is read once.
   */
  public static DataBlockIndex walking(HFile.Reader reader) {
    return new DataBlockIndex(reader, keeping(reader));
  }

  private static IndexBlockReader keeping(HFile.Reader reader) {
    // Those that were used last: the upper levels are, for each block below them.
    Map<Long, HFileBlock> kept = new LinkedHashMap<>(2 * KEPT, 0.75f, true);
    return (offset, onDiskBytes, type) -> {
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
      block.retain();
      return block;
    };
  }

  private DataBlockIndex(HFile.Reader reader, IndexBlockReader indexBlocks) {
    this.reader = reader;
    this.indexBlocks = indexBlocks;
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

  /**
   * The keys in the root of the index, which is in memory: of each data block, or of as many as a
   * block of the next level has.
   */
  public static List<Cell> rootKeys(HFile.Reader reader) {
    HFileBlockIndex.CellBasedKeyBlockIndexReader index = reader.getDataBlockIndexReader();
    List<Cell> keys = new ArrayList<>(index.getRootBlockCount());
    for (int i = 0; i < index.getRootBlockCount(); i++) {
      keys.add(index.getRootBlockKey(i));
    }
    return keys;
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
        return indexBlocks.read(offset, onDiskBytes, expectedType);
      }
      foundOffset = offset;
      foundBytes = onDiskBytes;
      return standIn;
    }
  }
}
