package io.ishbase.protocol;

import com.github.luben.zstd.ZstdCompressCtx;
import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdException;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Single rows made small for memory: {@link PackedCells}, compressed with Zstandard into a frame
 * that says neither what it is nor how long, for who holds it knows. Thread safe.
 */
public final class RowPacking {
  /** What packing may add. */
  private static final int MAX_OVERHEAD_BYTES = 256;

  /** Larger rows are none. */
  public static final int MAX_ROW_BYTES = 1 << 20;

  // A context keeps the dictionary that it had last.
  private static final PerThread<ZstdCompressCtx> COMPRESSORS =
      new PerThread<>(RowPacking::compressor);
  private static final PerThread<ZstdCompressCtx> PLAIN_COMPRESSORS =
      new PerThread<>(RowPacking::compressor);
  private static final PerThread<ZstdDecompressCtx> DECOMPRESSORS =
      new PerThread<>(RowPacking::decompressor);
  private static final PerThread<ZstdDecompressCtx> PLAIN_DECOMPRESSORS =
      new PerThread<>(RowPacking::decompressor);

  private RowPacking() {}

  private static ZstdCompressCtx compressor() {
    return new ZstdCompressCtx()
        .setLevel(Dictionary.LEVEL)
        .setMagicless(true)
        .setContentSize(false)
        .setDictID(false);
  }

  private static ZstdDecompressCtx decompressor() {
    return new ZstdDecompressCtx().setMagicless(true);
  }

  /**
   * Compresses what {@link ColumnOrder#pack} made of a row.
   *
   * @param dictionary with which it will be opened; null: none
   * @param thoroughly whether the row is worth some ten microseconds
   */
  public static byte[] compress(
      byte[] packed, @Nullable Dictionary dictionary, boolean thoroughly) {
    return dictionary == null
        ? PLAIN_COMPRESSORS.get().compress(packed)
        : dictionary.compress(packed, COMPRESSORS.get(), thoroughly);
  }

  /**
   * The row again, as a batch of cells.
   *
   * @param held the frame begins at {@code offset} and ends with the array
   * @param size of the batch
   * @param row its key
   * @param order with which it was packed
   * @param dictionary with which it was compressed; null: none
   * @throws IOException if the bytes are not a row of that size
   */
  public static byte[] open(
      byte[] held,
      int offset,
      int size,
      byte[] row,
      ColumnOrder order,
      @Nullable Dictionary dictionary)
      throws IOException {
    if (size < 0 || size > MAX_ROW_BYTES) {
      throw new IOException("A row of " + size + " bytes");
    }
    byte[] packed = new byte[size + MAX_OVERHEAD_BYTES];
    try {
      int length =
          dictionary == null
              ? PLAIN_DECOMPRESSORS
                  .get()
                  .decompressByteArray(packed, 0, packed.length, held, offset, held.length - offset)
              : dictionary.decompress(held, offset, packed, DECOMPRESSORS.get());
      return order.unpack(packed, 0, length, size, row);
    } catch (ZstdException e) {
      throw new IOException("Not a frame of Zstandard", e);
    }
  }
}
