package io.ishbase.protocol;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdCompressCtx;
import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdException;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Batches made small for a short line: {@link PackedCells}, compressed with Zstandard. Thread safe.
 */
public final class Packing {
  /** Below that there is nothing to gain that is worth the time. */
  private static final int LEAST_BYTES = 64;

  /** What packing may add. */
  private static final int MAX_OVERHEAD_BYTES = 256;

  /** Answers larger than what was asked for by more than that are sent as they are. */
  private static final int MAX_EXCESS_BYTES = 1 << 20;

  private static final PerThread<ZstdCompressCtx> COMPRESSORS =
      new PerThread<>(() -> new ZstdCompressCtx().setLevel(Dictionary.LEVEL).setContentSize(true));

  private static final PerThread<ZstdDecompressCtx> DECOMPRESSORS =
      new PerThread<>(ZstdDecompressCtx::new);

  private static final boolean AVAILABLE = loads();

  private Packing() {}

  private static boolean loads() {
    try {
      return Zstd.maxCompressionLevel() >= Dictionary.LEVEL;
    } catch (LinkageError | RuntimeException e) {
      // No library for this machine, or nowhere to put it.
      return false;
    }
  }

  /** Whether this process can. */
  public static boolean isAvailable() {
    return AVAILABLE;
  }

  /**
   * The batch of the first {@code size} bytes as {@link PackedCells}, still to be compressed.
   *
   * @param wanted bytes that were asked for
   * @param firstRow the first row that was asked for
   * @return null if the batch is better sent as it is
   */
  public static byte @Nullable [] pack(byte[] batch, int size, int wanted, byte[] firstRow) {
    if (!AVAILABLE || size < LEAST_BYTES || size - wanted > MAX_EXCESS_BYTES) {
      return null;
    }
    try {
      return PackedCells.pack(batch, size, firstRow);
    } catch (IOException e) {
      throw new IllegalStateException("A batch of this process", e);
    }
  }

  /**
   * Compresses what was packed.
   *
   * @param dictionary that the other end has; null: none
   */
  public static byte[] compress(byte[] packed, @Nullable Dictionary dictionary) {
    return dictionary == null ? COMPRESSORS.get().compress(packed) : dictionary.compress(packed);
  }

  /**
   * The batch again.
   *
   * @param size as announced
   * @param wanted bytes that were asked for: much more is not believed
   * @param firstRow the first row that was asked for
   * @param dictionary with which they are compressed; null: with none
   * @throws IOException if that is not what it is
   */
  public static byte[] unpack(
      byte[] compressed, long size, int wanted, byte[] firstRow, @Nullable Dictionary dictionary)
      throws IOException {
    if (!AVAILABLE) {
      throw new IOException("Nobody asked for packed cells: Zstandard's library does not load");
    }
    if (size < 0 || size - wanted > MAX_EXCESS_BYTES) {
      throw new IOException(size + " bytes are announced, " + wanted + " were asked for");
    }
    // A batch is larger than what is packed of it, but for a few bytes.
    long packedSize = Zstd.getFrameContentSize(compressed);
    if (packedSize < 0 || packedSize > size + MAX_OVERHEAD_BYTES) {
      throw new IOException("A frame of " + packedSize + " bytes for a batch of " + size);
    }
    try {
      byte[] packed =
          dictionary == null
              ? DECOMPRESSORS.get().decompress(compressed, (int) packedSize)
              : dictionary.decompress(compressed, (int) packedSize);
      return PackedCells.unpack(packed, packed.length, (int) size, firstRow);
    } catch (ZstdException e) {
      throw new IOException("Not a frame of Zstandard", e);
    }
  }
}
