package io.ishbase.it.conformance;

import static java.util.Map.entry;

import java.util.Map;

/**
 * Tests of HBase that look at how the region server reads its own files, not at what a client gets:
 * they cannot pass when it does not read them. By class, or class and method, without {@code
 * org.apache.hadoop.hbase}.
 */
final class KnownDifferences {
  private static final String BLOCKS = "counts blocks in the region server's own cache";
  private static final String SIZES = "expects the sizes of blocks; in-storage reads count batches";

  private static final Map<String, String> REASONS =
      Map.ofEntries(
          entry("regionserver.TestBlocksRead", BLOCKS),
          entry("regionserver.TestBlocksScanned", BLOCKS),
          entry("client.TestBlockEvictionFromClient", BLOCKS),
          entry("client.TestFromClientSide5.testCacheOnWriteEvictOnClose", BLOCKS),
          entry("client.TestFromClientSideWithCoprocessor5.testCacheOnWriteEvictOnClose", BLOCKS),
          entry(
              "client.TestAvoidCellReferencesIntoShippedBlocks",
              "waits for blocks to leave the region server's own cache"),
          entry("regionserver.TestScanWithBloomError", "casts store scanners to StoreFileScanner"),
          entry("regionserver.TestScannerBlockSizeLimits", SIZES),
          entry(
              "filter.TestFilter.testFilterListWithPrefixFilter",
              "counts how often the scanner says that there may be more; it knows sooner that there is"
                  + " not"),
          entry(
              "regionserver.TestTimestampFilterSeekHint",
              "counts seeks of the region server's own file scanners"),
          entry(
              "TestServerSideScanMetricsFromClientSide.testFsReadTimeMetric",
              "expects the region server to spend time on reading files"));

  private KnownDifferences() {}

  /** Why {@code method} of {@code testClass} differs, or null if it should not. */
  static String reason(String testClass, String method) {
    String name = testClass.replace("org.apache.hadoop.hbase.", "");
    String withoutParameters = method.replaceAll("\\[.*", "");
    return REASONS.getOrDefault(name, REASONS.get(name + "." + withoutParameters));
  }
}
