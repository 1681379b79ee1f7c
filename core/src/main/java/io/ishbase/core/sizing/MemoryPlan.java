package io.ishbase.core.sizing;

import io.ishbase.core.ReadMode;
import io.ishbase.core.Setting;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * How a region server's memory is divided: what is long-lived and large goes off the Java heap, so
 * that the collector has neither to copy nor to mark it. All sizes are whole megabytes.
 *
 * <pre>
 *  all ─┬─ heap ─┬─ 40 % at most: index of the memstores
 *       │        ├─ 20 % index and Bloom blocks
 *       │        └─ the rest: requests, index of the caches
 *       ├─ JVM: code, classes, stacks, the collector's tables
 *       └─ direct ─┬─ spare, RPC buffers
 *                  ├─ memstores
 *                  └─ block cache, segment cache
 * </pre>
 *
 * @param heapBytes the Java heap
 * @param jvmBytes what the JVM takes beside heap and direct memory
 * @param blockCacheBytes data blocks, in HBase's BucketCache
 * @param memstoreBytes chunks of cells that are not flushed yet
 * @param segmentCacheBytes rows that were read in-storage
 * @param reservoirBytes HBase's pool of buffers for requests, answers and blocks on their way
 * @param spareBytes direct memory for all else: connections, HDFS's client
 */
public record MemoryPlan(
    long heapBytes,
    long jvmBytes,
    long blockCacheBytes,
    long memstoreBytes,
    long segmentCacheBytes,
    long reservoirBytes,
    long spareBytes) {
  /** The JVM's flag for direct memory, to be followed by a size. */
  public static final String DIRECT_FLAG = "-XX:MaxDirectMemorySize=";

  /** Keys of HBase. */
  static final String IO_ENGINE = "hbase.bucketcache.ioengine";

  static final String BUCKET_CACHE_MB = "hbase.bucketcache.size";
  static final String BLOCK_CACHE_SHARE = "hfile.block.cache.size";
  static final String MEMSTORE_MB = "hbase.regionserver.offheap.global.memstore.size";
  static final String MEMSTORE_SHARE = "hbase.regionserver.global.memstore.size";
  static final String RESERVOIR_COUNT = "hbase.server.allocator.max.buffer.count";

  private static final long MB = 1L << 20;
  private static final long GB = 1L << 30;

  static final long LEAST_HEAP = 512 * MB;

  /** From 32 GB on, references take eight bytes in place of four. */
  static final long MOST_HEAP = 31 * GB;

  private static final double HEAP_SHARE = 0.3;

  static final long LEAST_MEMSTORE = 64 * MB;

  /** What is in the memstores is read from the WAL when a region server dies. */
  static final long MOST_MEMSTORE = 16 * GB;

  /** HBase refuses less than 14 buckets of 2 MB, one for each size of block. */
  static final long LEAST_BLOCK_CACHE = 64 * MB;

  static final long LEAST_SEGMENT_CACHE = 16 * MB;

  /** Size of one buffer, HBase's default: a block of 64 KB and what is beside it. */
  static final long BUFFER_BYTES = 65 << 10;

  /** HBase's default. */
  static final int HANDLERS = 30;

  /** HBase's default is room for two answers of 2 MB for each handler, in whole buffers. */
  static final int ANSWERS = 2;

  static final long ANSWER_BYTES = 2 * MB;

  private static final long USUAL_BUFFERS = HANDLERS * ANSWERS * (ANSWER_BYTES / BUFFER_BYTES);

  /** Of the heap, and what HBase uses in that way at most. */
  private static final double MEMSTORE_INDEX = 0.4;

  private static final double FIRST_LEVEL = 0.2;

  /** Heap that the index of the segment cache may take is an eighth: 6 % of twice the heap. */
  private static final long SEGMENT_CACHE_TO_HEAP = 2;

  /** A block of 64 KB in the BucketCache costs some 250 bytes of heap: an eighth for 32 times. */
  private static final long BLOCK_CACHE_TO_HEAP = 32;

  /**
   * The plan for a region server.
   *
   * @param serverBytes what it may have in all
   * @param processors of the machine
   * @param read how most of its tables are read
   * @return empty if that is too little to put anything off the heap
   */
  public static Optional<MemoryPlan> of(long serverBytes, int processors, ReadMode read) {
    if (serverBytes < leastBytes(processors)) {
      return Optional.empty();
    }
    long heap =
        Math.max(LEAST_HEAP, Math.min(MOST_HEAP, wholeMb((long) (serverBytes * HEAP_SHARE))));
    long jvm = jvmBytes(heap);
    long spare = spareBytes(processors);
    long pooled = wholeMb(serverBytes) - heap - jvm - spare;
    long reservoir = wholeMb(Math.min(USUAL_BUFFERS * BUFFER_BYTES, pooled / 8));
    long memstore =
        Math.max(LEAST_MEMSTORE, Math.min(MOST_MEMSTORE, wholeMb((pooled - reservoir) / 4)));
    long caches = pooled - reservoir - memstore;
    long segments =
        Math.max(
            LEAST_SEGMENT_CACHE,
            Math.min(
                SEGMENT_CACHE_TO_HEAP * heap,
                Math.min(
                    wholeMb((long) (caches * segmentShare(read))), caches - LEAST_BLOCK_CACHE)));
    long blocks = Math.min(BLOCK_CACHE_TO_HEAP * heap, caches - segments);
    return Optional.of(new MemoryPlan(heap, jvm, blocks, memstore, segments, reservoir, spare));
  }

  /** The least for which there is a plan. */
  public static long leastBytes(int processors) {
    long caches = 2 * LEAST_BLOCK_CACHE;
    // An eighth more for the reservoir, rounded up.
    return LEAST_HEAP
        + jvmBytes(LEAST_HEAP)
        + spareBytes(processors)
        + (LEAST_MEMSTORE + caches) * 8 / 7
        + MB;
  }

  private static long jvmBytes(long heap) {
    return 256 * MB + wholeMb(heap / 16);
  }

  /** Netty has two arenas for each processor, of chunks of 4 MB. */
  private static long spareBytes(int processors) {
    return 64 * MB + 8 * MB * Math.min(processors, 64);
  }

  private static double segmentShare(ReadMode read) {
    return switch (read) {
      case IN_STORAGE -> 0.75;
      case AUTO -> 0.5;
      case STOCK -> 0.125;
    };
  }

  private static long wholeMb(long bytes) {
    return bytes & -MB;
  }

  /** The limit of direct memory, which is all that is not heap and not the JVM's. */
  public long directBytes() {
    return blockCacheBytes + memstoreBytes + segmentCacheBytes + reservoirBytes + spareBytes;
  }

  /** All that the process may grow to. */
  public long totalBytes() {
    return heapBytes + jvmBytes + directBytes();
  }

  /** The parts with the argument for each, in megabytes. */
  public List<Choice> parts() {
    return List.of(
        new Choice(
            "heap",
            mb(heapBytes),
            "30 %, 0.5 to 31 GB: requests, index of memstores and caches; from 32 GB on references"
                + " are twice as long"),
        new Choice(
            "block cache",
            mb(blockCacheBytes),
            "off the heap: what memstores leave is shared with the segment cache as tables are"
                + " read"),
        new Choice(
            "segment cache",
            mb(segmentCacheBytes),
            "off the heap: as that, twice the heap at most, since its index lies there"),
        new Choice(
            "memstores",
            mb(memstoreBytes),
            "off the heap: a quarter of the direct memory, 16 GB at most, since a crash reads as"
                + " much from the WAL"),
        new Choice(
            "RPC buffers",
            mb(reservoirBytes),
            "off the heap: two answers of 2 MB for each of 30 handlers, an eighth at most"),
        new Choice(
            "spare",
            mb(spareBytes),
            "off the heap: connections, 8 MB for each processor, and HDFS's client"),
        new Choice(
            "JVM",
            mb(jvmBytes),
            "code, classes, stacks; the collector's tables, 1/16 of the heap"));
  }

  /** The properties of {@code hbase-site.xml}. */
  public List<Choice> properties() {
    return List.of(
        new Choice(
            IO_ENGINE, "offheap", "Data blocks lie off the heap, where no collector sees them."),
        new Choice(
            BUCKET_CACHE_MB,
            Long.toString(blockCacheBytes / MB),
            "MB for data blocks, allocated when the server starts."),
        new Choice(
            BLOCK_CACHE_SHARE,
            share(FIRST_LEVEL),
            "Share of the heap for index and Bloom blocks, which HBase keeps there."),
        new Choice(
            MEMSTORE_MB,
            Long.toString(memstoreBytes / MB),
            "MB for the cells of all memstores, in chunks off the heap; more than that is flushed."),
        new Choice(
            MEMSTORE_SHARE,
            share(MEMSTORE_INDEX),
            "Share of the heap for the index of the memstores, some 120 bytes a cell; more than that"
                + " is flushed, too."),
        new Choice(
            RESERVOIR_COUNT,
            Long.toString(reservoirBytes / BUFFER_BYTES),
            "Buffers of 65 KB for requests, answers and blocks on their way; beyond them HBase takes"
                + " heap. Written down so that more handlers do not take more direct memory."),
        new Choice(
            Setting.CACHE_BYTES.key(),
            Long.toString(segmentCacheBytes),
            "Bytes for the segment cache: rows that were read in-storage."));
  }

  /** The flags of the JVM that have to do with sizes. */
  public List<Choice> flags() {
    return List.of(
        new Choice(
            "-Xmx",
            heapBytes / MB + "m",
            "Java heap: requests, index of memstores and caches, index and Bloom blocks."),
        new Choice(
            DIRECT_FLAG,
            directBytes() / MB + "m",
            String.format(
                Locale.ROOT,
                "Direct memory: %s block cache, %s memstores, %s segment cache, %s RPC buffers,"
                    + " %s spare.",
                mb(blockCacheBytes),
                mb(memstoreBytes),
                mb(segmentCacheBytes),
                mb(reservoirBytes),
                mb(spareBytes))));
  }

  private static String share(double of) {
    return String.format(Locale.ROOT, "%.1f", of);
  }

  private static String mb(long bytes) {
    return bytes / MB + " MB";
  }
}
