package io.ishbase.core.sizing;

import io.ishbase.core.Setting;
import io.ishbase.core.cache.file.FileCache;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * What a region server's configuration takes of the direct memory of its JVM. A value that HBase
 * would not understand counts as none: HBase says so itself.
 *
 * @param blockCacheBytes of a BucketCache off the heap
 * @param memstoreBytes of chunks off the heap
 * @param reservoirBytes of RPC buffers
 * @param fileBytes of a file behind the segment cache; -1: there is none; 0: by the cache's size
 */
public record DirectMemory(
    long blockCacheBytes, long memstoreBytes, long reservoirBytes, long fileBytes) {
  private static final long MB = 1L << 20;

  /** The least that connections and HDFS's client need. */
  private static final long SPARE_BYTES = 64 * MB;

  private static final String ON_DEMAND = "hbase.server.allocator.pool.enabled";
  private static final String BUFFER_BYTES = "hbase.server.allocator.buffer.size";
  private static final String HANDLERS = "hbase.regionserver.handler.count";
  private static final String MSLAB = "hbase.hregion.memstore.mslab.enabled";

  /**
   * What a configuration takes.
   *
   * @param lookup gives the configured text of a key, or null
   */
  public static DirectMemory of(UnaryOperator<String> lookup) {
    boolean offHeap = "offheap".equals(text(lookup, MemoryPlan.IO_ENGINE, ""));
    boolean inChunks = !"false".equals(text(lookup, MSLAB, "true"));
    boolean pooled = !"false".equals(text(lookup, ON_DEMAND, "true"));
    return new DirectMemory(
        offHeap ? megabytes(lookup, MemoryPlan.BUCKET_CACHE_MB) : 0,
        inChunks ? megabytes(lookup, MemoryPlan.MEMSTORE_MB) : 0,
        pooled ? reservoir(lookup) : 0,
        Setting.CACHE_FILE.text(lookup).isEmpty()
            ? -1
            : Setting.CACHE_FILE_BYTES.longInteger(lookup));
  }

  private static long reservoir(UnaryOperator<String> lookup) {
    long buffer = (long) number(lookup, BUFFER_BYTES, MemoryPlan.BUFFER_BYTES);
    if (buffer <= 0) {
      return 0;
    }
    double handlers = number(lookup, HANDLERS, MemoryPlan.HANDLERS);
    long buffersOfAnswer = MemoryPlan.ANSWER_BYTES / buffer;
    double usual = handlers * MemoryPlan.ANSWERS * buffersOfAnswer;
    return (long) (number(lookup, MemoryPlan.RESERVOIR_COUNT, usual) * buffer);
  }

  private static long megabytes(UnaryOperator<String> lookup, String key) {
    return (long) (number(lookup, key, 0) * MB);
  }

  private static String text(UnaryOperator<String> lookup, String key, String otherwise) {
    String text = lookup.apply(key);
    return text == null ? otherwise : text.trim();
  }

  /** Not negative; 0 for what is no number. */
  private static double number(UnaryOperator<String> lookup, String key, double otherwise) {
    String text = text(lookup, key, "");
    if (text.isEmpty()) {
      return otherwise;
    }
    try {
      double number = Double.parseDouble(text);
      return number > 0 ? number : 0;
    } catch (NumberFormatException e) {
      return 0;
    }
  }

  /**
   * The segment cache's size where none is configured: a quarter of the direct memory, and no more
   * than half of what the block cache and the memstores leave.
   */
  public long usualSegmentCache(long directBytes) {
    long left = directBytes - blockCacheBytes - memstoreBytes;
    return Math.max(0, Math.min(directBytes / 4, left / 2));
  }

  /** What all of it needs with a segment cache of so many bytes, with the least for connections. */
  public long neededBytes(long segmentCacheBytes) {
    return blockCacheBytes
        + memstoreBytes
        + reservoirBytes
        + segmentCacheBytes
        + fileIndexBytes(segmentCacheBytes)
        + SPARE_BYTES;
  }

  /** What the file behind a segment cache of so many bytes takes. */
  public long fileIndexBytes(long segmentCacheBytes) {
    if (fileBytes < 0 || segmentCacheBytes == 0) {
      return 0;
    }
    return FileCache.memoryBytes(
        fileBytes > 0 ? fileBytes : FileCache.usualBytes(segmentCacheBytes));
  }

  /**
   * What is wrong, one line, if all that is configured does not fit into the direct memory.
   *
   * @param directBytes what the JVM has of it
   * @param segmentCacheBytes the segment cache's size
   */
  public Optional<String> shortage(long directBytes, long segmentCacheBytes) {
    long needed = neededBytes(segmentCacheBytes);
    if (needed <= directBytes) {
      return Optional.empty();
    }
    List<String> parts = new ArrayList<>();
    add(parts, blockCacheBytes, "block cache");
    add(parts, memstoreBytes, "memstores");
    add(parts, segmentCacheBytes, "segment cache");
    add(parts, fileIndexBytes(segmentCacheBytes), "index of the file behind it");
    add(parts, reservoirBytes, "RPC buffers");
    add(parts, SPARE_BYTES, "connections");
    return Optional.of(
        "The JVM has "
            + directBytes / MB
            + " MB of direct memory, too little for "
            + String.join(" + ", parts)
            + ": set -XX:MaxDirectMemorySize="
            + roundedUp(needed)
            + "m, or make some of them smaller"
            // Which knows of no file.
            + (fileBytes < 0 ? " (./ishbase memory writes sizes that fit)" : ""));
  }

  private static void add(List<String> parts, long bytes, String name) {
    if (bytes > 0) {
      parts.add(roundedUp(bytes) + " MB " + name);
    }
  }

  private static long roundedUp(long bytes) {
    return (bytes + MB - 1) / MB;
  }
}
