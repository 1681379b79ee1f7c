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
  private static final int LEAST_BYTES = 256;

  /** Answers larger than what was asked for by more than that are sent as they are. */
  private static final int MAX_EXCESS_BYTES = 1 << 20;

  private static final int LEVEL = 1;

  private static final ThreadLocal<ZstdCompressCtx> COMPRESSORS =
      ThreadLocal.withInitial(() -> new ZstdCompressCtx().setLevel(LEVEL).setContentSize(true));

  private static final ThreadLocal<ZstdDecompressCtx> DECOMPRESSORS =
      ThreadLocal.withInitial(ZstdDecompressCtx::new);

  private static final boolean AVAILABLE = loads();

  private Packing() {}

  private static boolean loads() {
    try {
      return Zstd.maxCompressionLevel() >= LEVEL;
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
   * Packs the batch of the first {@code size} bytes.
   *
   * @param wanted bytes that were asked for
   * @return null if it is better sent as it is
   */
  public static byte @Nullable [] pack(byte[] batch, int size, int wanted) {
    if (!AVAILABLE || size < LEAST_BYTES || size - wanted > MAX_EXCESS_BYTES) {
      return null;
    }
    try {
      byte @Nullable [] packed = PackedCells.pack(batch, size);
      if (packed == null) {
        return null;
      }
      byte[] compressed = COMPRESSORS.get().compress(packed);
      return compressed.length < size ? compressed : null;
    } catch (IOException e) {
      throw new IllegalStateException("A batch of this process", e);
    }
  }

  /**
   * The batch again.
   *
   * @param size as announced
   * @param wanted bytes that were asked for: much more is not believed
   * @throws IOException if that is not what it is
   */
  public static byte[] unpack(byte[] compressed, long size, int wanted) throws IOException {
    if (size < 0 || size - wanted > MAX_EXCESS_BYTES) {
      throw new IOException(size + " bytes are announced, " + wanted + " were asked for");
    }
    // A batch is larger than what is packed of it, but for a few bytes.
    long packedSize = Zstd.getFrameContentSize(compressed);
    if (packedSize < 0 || packedSize > size + LEAST_BYTES) {
      throw new IOException("A frame of " + packedSize + " bytes for a batch of " + size);
    }
    try {
      byte[] packed = DECOMPRESSORS.get().decompress(compressed, (int) packedSize);
      return PackedCells.unpack(packed, packed.length, (int) size);
    } catch (ZstdException e) {
      throw new IOException("Not a frame of Zstandard", e);
    }
  }
}
