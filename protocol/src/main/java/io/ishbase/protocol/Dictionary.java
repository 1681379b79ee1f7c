package io.ishbase.protocol;

import com.github.luben.zstd.ZstdCompressCtx;
import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdDictCompress;
import com.github.luben.zstd.ZstdDictDecompress;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import org.jspecify.annotations.Nullable;

/**
 * What rows of a family have in common, so that one that travels alone need not repeat it: a
 * dictionary of Zstandard, known by a hash of its content. Thread safe.
 */
public final class Dictionary {
  /** No larger one is taken from anybody. */
  public static final int MAX_BYTES = 64 << 10;

  /** Levels above cost more time than the bytes that they save. */
  static final int LEVEL = 1;

  /** For rows that stay in memory: a quarter smaller, and some ten times as long in the making. */
  private static final int THOROUGH_LEVEL = 11;

  private static final PerThread<ZstdCompressCtx> COMPRESSORS =
      new PerThread<>(() -> new ZstdCompressCtx().setContentSize(true).setDictID(false));

  private static final PerThread<ZstdDecompressCtx> DECOMPRESSORS =
      new PerThread<>(ZstdDecompressCtx::new);

  private final byte[] content;
  private final long id;

  // A process needs few of them.
  private volatile @Nullable ZstdDictCompress compressing;
  private volatile @Nullable ZstdDictCompress compressingThoroughly;
  private volatile @Nullable ZstdDictDecompress decompressing;

  /** That of this content, which is not copied. */
  public Dictionary(byte[] content) {
    this.content = content;
    this.id = hash(content);
  }

  private static long hash(byte[] content) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(content);
      return ByteBuffer.wrap(digest).getLong();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every JDK has it", e);
    }
  }

  /**
   * The table and family of a store, as the path of its directory names them: stores of all regions
   * share what they have in common.
   *
   * @param directory of a store, in that of its region, in that of its table
   */
  public static String family(String directory) {
    int family = directory.lastIndexOf('/');
    int region = family < 0 ? -1 : directory.lastIndexOf('/', family - 1);
    return region < 0 ? directory : directory.substring(0, region) + directory.substring(family);
  }

  /** Names the content: a hash of it. */
  public long id() {
    return id;
  }

  public byte[] content() {
    return content;
  }

  byte[] compress(byte[] bytes) {
    return compress(bytes, COMPRESSORS.get(), false);
  }

  byte[] compress(byte[] bytes, ZstdCompressCtx context, boolean thoroughly) {
    ZstdDictCompress dictionary = thoroughly ? forRows() : forBatches();
    byte[] compressed = context.loadDict(dictionary).compress(bytes);
    Reference.reachabilityFence(dictionary);
    return compressed;
  }

  private ZstdDictCompress forBatches() {
    ZstdDictCompress dictionary = compressing;
    if (dictionary == null) {
      dictionary = new ZstdDictCompress(content, LEVEL);
      compressing = dictionary;
    }
    return dictionary;
  }

  private ZstdDictCompress forRows() {
    ZstdDictCompress dictionary = compressingThoroughly;
    if (dictionary == null) {
      dictionary = new ZstdDictCompress(content, THOROUGH_LEVEL);
      compressingThoroughly = dictionary;
    }
    return dictionary;
  }

  byte[] decompress(byte[] compressed, int size) {
    ZstdDictDecompress dictionary = decompressing();
    byte[] bytes = DECOMPRESSORS.get().loadDict(dictionary).decompress(compressed, size);
    Reference.reachabilityFence(dictionary);
    return bytes;
  }

  /** Decompresses what begins at {@code offset}. Returns its length. */
  int decompress(byte[] compressed, int offset, byte[] into, ZstdDecompressCtx context) {
    ZstdDictDecompress dictionary = decompressing();
    int size =
        context
            .loadDict(dictionary)
            .decompressByteArray(
                into, 0, into.length, compressed, offset, compressed.length - offset);
    Reference.reachabilityFence(dictionary);
    return size;
  }

  private ZstdDictDecompress decompressing() {
    ZstdDictDecompress dictionary = decompressing;
    if (dictionary == null) {
      dictionary = new ZstdDictDecompress(content);
      decompressing = dictionary;
    }
    return dictionary;
  }
}
