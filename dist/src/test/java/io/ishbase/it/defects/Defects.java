package io.ishbase.it.defects;

import static io.ishbase.it.defects.Edit.in;

import io.ishbase.it.defects.Defect.TestClass;
import io.ishbase.protocol.CellBatch.Gap;
import java.util.ArrayList;
import java.util.List;

/** The defects that tests are to catch: where a mistake is likely and what comes of it is wrong. */
final class Defects {
  private static final TestClass STORE_CACHE = core("cache.StoreCacheTest");
  private static final TestClass CACHE_MODEL = core("cache.ModelTest");
  private static final TestClass BATCHES = protocol("CellBatchTest");
  private static final TestClass READS = daemon("ReadServiceTest");
  private static final TestClass AGGREGATED_FILES = daemon("AggregatedFilesTest");
  private static final TestClass GOLDEN = plugin("local.GoldenReadsTest");
  private static final TestClass HEDGED = plugin("scan.HedgedReadTest");

  private static final List<Defect> ALL = new ArrayList<>();

  static {
    ofCache();
    ofNodes();
    ofMessages();
    ofDaemon();
    ofCompactions();
    ofReads();
    ofCachedReads();
  }

  private Defects() {}

  /** All, in the order of the page. */
  static List<Defect> all() {
    return List.copyOf(ALL);
  }

  private static void ofCache() {
    String store = "core.cache.StoreCache";
    add(
        "fill-of-old-files",
        "a fill lands although its files have changed since they were read",
        store,
        in("canLand").call("isGood").gives(true),
        STORE_CACHE);
    add(
        "fill-during-change",
        "a fill lands while files are being switched",
        store,
        in("canLand").field("openChanges").gives(0),
        STORE_CACHE);
    add(
        "rewrite-unnoticed",
        "who chose old files goes on with rows that a compaction has rewritten",
        store,
        in("isRewrittenSince").returns(false),
        STORE_CACHE,
        plugin("cache.CacheVisibilityTest"));
    add(
        "evicted-row-is-none",
        "what lies before the next row is still known to be empty when a row is evicted",
        "core.cache.StoreIndex",
        in("remove").call("Segment.address", 2, 2).leftOut(),
        CACHE_MODEL);
    add(
        "some-columns-are-all",
        "a row of which some columns are cached answers for others",
        "core.cache.memory.Entries",
        in("covers").call("areIn").gives(true),
        STORE_CACHE);
    add(
        "stop-row-read",
        "a cursor shows the row at which it was to stop",
        "core.cache.Cursor",
        in("isBeyondStop").field("stopInclusive").gives(true),
        CACHE_MODEL);
  }

  private static void ofNodes() {
    add(
        "nobody-in-quarantine",
        "a failure closes nothing",
        "core.Quarantine",
        in("failed").returns(true),
        core("QuarantineTest"),
        GOLDEN);
    add(
        "all-try-at-once",
        "when a quarantine is over every caller is let through, not one",
        "core.Quarantine",
        in("admits").call("ConcurrentHashMap.replace").leftOutAndGives(true),
        core("QuarantineTest"));
    add(
        "waiting-reads-forgotten",
        "the end of a request does not send those that wait for it",
        "core.Sharing",
        in("ended").call("sendWaiting").leftOut(),
        core("SharingTest"));
    add(
        "put-off-read-lost",
        "a read that a daemon has put off is not sent again",
        "plugin.node.SharedRequest",
        in("answered(PendingRead,ReadRequest,ReadResponse,BiConsumer,Consumer,Consumer)")
            .call("Consumer.accept", 1, 2)
            .leftOut(),
        plugin("node.SharedReadsTest"));
    add(
        "answer-to-another",
        "an answer is taken whichever read it is to",
        "plugin.node.ToldSet",
        in("isItsOwn").returns(true),
        plugin("node.SharedReadsTest"),
        plugin("node.HandlesTest"));
    add(
        "refusal-wins",
        "of two daemons that are asked, one that refuses ends the wait for the other",
        "plugin.scan.HedgedRead",
        in("isRefusal").returns(false),
        HEDGED);
    add(
        "both-are-heard",
        "when the first daemon has answered the second is not given up",
        "plugin.scan.HedgedRead",
        in("awaitAnswer(CellComparator)").call("abandonOther", 1, 2).leftOut(),
        HEDGED);
    add(
        "open-line",
        "encrypted files are read over a line that is not",
        "plugin.scan.Confidentiality",
        in("admits(FileSystem,Path,boolean,WaitBudget)").returns(true),
        plugin("scan.ConfidentialityTest"));
  }

  private static void ofMessages() {
    add(
        "place-before-its-cell",
        "a place behind a cell is taken for the cell's own: it comes twice",
        "protocol.Positions",
        in("isBefore").call("getAfter").gives(false),
        protocol("PositionsTest"));
    add(
        "checksum-of-answer",
        "nobody looks at an answer's checksum",
        "protocol.Checksums",
        in("isIntact(ReadResponse)").returns(true),
        plugin("scan.NodeBatchTest"));
    add(
        "checksum-of-request",
        "nobody looks at a request's checksum",
        "protocol.Checksums",
        in("isIntact(ReadRequest)").returns(true),
        daemon("HostileRequestsTest"),
        READS);
    add(
        "sequence-id-lost",
        "cells are sent without their sequence id",
        "protocol.CellBatch$Encoder",
        in("add").call("getSequenceId").gives(0),
        BATCHES);
    add(
        "narrower-gap",
        "of two gaps behind one cell the narrower one is sent",
        "protocol.CellBatch$Encoder",
        in("markGap").call("Math.max").calls("min"),
        BATCHES);
    add(
        "neighbour-taken-out",
        "not the cell that a filter refuses is taken out but the one before",
        "protocol.CellBatch$Encoder",
        in("removeIf").call("IntPredicate.test").withArgumentPlus(1),
        BATCHES);
    add(
        "prefix-too-long",
        "packed keys share a byte more than they have in common",
        "protocol.PackedCells$Packer",
        in("shared").call("Arrays.mismatch").plus(1),
        protocol("PackingTest"));
    add(
        "handle-without-files",
        "reads of different files of a store have one handle",
        "protocol.ReadSet",
        in("common").call("addAllFile").leftOut(),
        protocol("ReadSetTest"));
  }

  private static void ofDaemon() {
    String selector = "daemon.CellSelector";
    add(
        "marker-forgotten",
        "delete markers are not sent",
        selector,
        in("addWanted").call("Encoder.add").leftOut(),
        READS,
        GOLDEN);
    add(
        "judged-beside-a-marker",
        "a filter's verdict holds for cells that a marker may hide",
        selector,
        in("keepWhole").returns(),
        GOLDEN);
    add(
        "expired-too-early",
        "cells expire a millisecond before their time",
        selector,
        in("add").field("oldestUnexpired").plus(1),
        READS);
    add(
        "range-without-its-first",
        "a time range begins a millisecond late",
        selector,
        in("addWanted").field("minTimestamp", 2, 2).plus(1),
        READS);
    add(
        "version-too-few",
        "a filter looks at a version less than the family keeps",
        selector,
        in("filteredByVersion").field("familyVersions").plus(-1),
        GOLDEN);
    add(
        "last-column-too-short",
        "a filter looks at a version less than the family keeps of the last column that is named",
        selector,
        in("afterLastColumn").field("familyVersions", 1, 2).plus(-1),
        daemon("CellSelectorTest"),
        GOLDEN);
    add(
        "filter-remembers-rows",
        "a filter is not reset between rows",
        selector,
        in("startRow").call("GuardedFilter.reset").leftOut(),
        GOLDEN);
    add(
        "next-column-is-next-row",
        "behind the last cell that is wanted of a column the rest of the row is skipped",
        "daemon.BatchBuilder",
        in("advance").call("createLastOnRowCol").calls("createLastOnRow"),
        READS,
        GOLDEN);
    add(
        "reverse-range-turned",
        "a reverse scan ends where a forward one would",
        "daemon.BatchBuilder",
        in("isPast").call("getReversed").gives(false),
        READS,
        GOLDEN);
    add(
        "last-row-left-out",
        "a range ends before its last row",
        "daemon.BatchBuilder",
        in("isPast").call("compareRows").comparedOtherwise(),
        READS);
    add(
        "bloom-says-no",
        "Bloom filters know no row",
        "daemon.FileScanners",
        in("heap").call("passesBloomFilter").gives(false),
        READS);
    add(
        "stands-behind",
        "a range is read on from where its scanners stand, though that lies behind it",
        "daemon.FileScanners",
        in("isBehindLast").returns(true),
        READS);
    add(
        "blocks-of-first-range",
        "of the ranges in a block only the first counts it",
        "daemon.FileScanners",
        in("seek").call("beginRange").leftOut(),
        READS);
    add(
        "deleted-counted",
        "an aggregate counts what HBase's matcher passes over",
        "daemon.AggregateBuilder",
        in("isIncluded").returns(true),
        AGGREGATED_FILES);
    add(
        "memstore-row-counted",
        "an aggregate of files counts rows that the memstore has, too",
        "daemon.AggregateBuilder",
        in("isExcepted").returns(false),
        AGGREGATED_FILES,
        plugin("local.AggregatesTest"));
  }

  private static void ofCompactions() {
    add(
        "marker-copied",
        "blocks with delete markers are copied as they lie",
        "daemon.compaction.StayingCells",
        in("stays").call("CellUtil.isPut").gives(true),
        daemon("compaction.BlockCopyTest"));
    add(
        "late-attempt-written",
        "a compaction writes although its region server has given it up",
        "daemon/org.apache.hadoop.hbase.regionserver.IssnRegionFileSystem",
        in("getTempDir").call("exists").gives(true),
        daemon("compaction.StoreCompactionTest"));
    add(
        "lost-cells-unnoticed",
        "a new file is taken whatever the number of its cells",
        "plugin.compaction.RemoteCompaction",
        in("check").call("getCells", 1, 2).foundEqual(),
        plugin("compaction.RemoteCompactionTest"));
    add(
        "wrong-cells-unnoticed",
        "cells of a new file are taken for those that HBase's rules keep, whatever they are",
        "plugin.compaction.CompactionSample",
        in("isSame").returns(true),
        plugin("compaction.CompactionSampleTest"));
    add(
        "cut-merge-kept",
        "what an in-memory merge had made when a flush cut it short takes the place of all",
        "plugin/org.apache.hadoop.hbase.regionserver.PolicyMemStoreCompactor",
        List.of(
            in("compacted").field("isCut").gives(false),
            in("replace").field("isStopped").gives(false)),
        new TestClass("plugin", "org.apache.hadoop.hbase.regionserver.AutoMemStoreTest"));
    add(
        "older-put-of-batch",
        "of two puts of one batch that lie in two segments either may win",
        "plugin/org.apache.hadoop.hbase.regionserver.AutoMemStore$Scanner",
        in("getScannerOrder").returns(0L),
        new TestClass("plugin", "org.apache.hadoop.hbase.regionserver.AutoMemStoreTest"));
  }

  private static void ofReads() {
    add(
        "way-home-begins-again",
        "after a failure HBase's own path begins with the range, not where the answer ended",
        "plugin.scan.NodeScanner",
        in("receive").call("NodeRequests.from", 1, 2).gives(null),
        GOLDEN);
    add(
        "gap-stepped-over",
        "a step into what was trimmed does not fetch it",
        "plugin.scan.NodeScanner",
        in("step").call("NodeBatch.gap").gives(Gap.NONE),
        GOLDEN);
    add(
        "rest-of-multi-lost",
        "of the Gets of a call those behind the end of the answer find nothing",
        "plugin.scan.MultiGet$Answer",
        in("endsBefore").returns(false),
        GOLDEN);
    add(
        "expired-for-all",
        "a scan takes from the cache what came without cells that expired since it began",
        "plugin.cache.CacheVisibility$Reader",
        in("seesLeftOut").returns(false),
        GOLDEN);
    add(
        "expired-from-the-cache",
        "a filter that may end a scan at a row that has expired sees what the cache has of it",
        "plugin.regionserver.StoreReads",
        in("expires").returns(false),
        GOLDEN);
    add(
        "prefix-beyond-the-row",
        "a filter that looks at what lies behind a row goes by column",
        "plugin.scan.FilterPushdown",
        in("goesByRow").returns(true),
        GOLDEN);
    add(
        "hints-behind-memory",
        "what goes by column is left out ahead of a filter that remembers cells, with hints behind",
        "plugin.scan.FilterPushdown",
        in("hintsBehindMemory").returns(false),
        GOLDEN);
    add(
        "fuzzy-behind-hints",
        "a fuzzy filter is asked in another order than HBase's where its list cannot bear it",
        "plugin.scan.FilterPushdown",
        in("mayMissHint").returns(false),
        GOLDEN);
    add(
        "deep-filters-looked-into",
        "a filter is looked into however deep it is",
        "plugin.scan.FilterPushdown",
        in("isTooDeep").returns(false),
        plugin("local.HostileReadsTest"));
    add(
        "every-put-hides",
        "of a row a flush keeps no more than its versions, whatever else has a say in what is seen",
        "plugin.cache.CachedRow",
        in("isSpecial").returns(false),
        GOLDEN);
    add(
        "told-of-own-file",
        "a scan is told of a flush whose file it has",
        "plugin.hbase.FlushObserver",
        in("isKnown").returns(false),
        GOLDEN);
    add(
        "rest-of-multi-for-all",
        "of the Gets of a call those before the rest of an answer take it for theirs",
        "plugin.scan.MultiGet$Answer",
        in("asksFor").returns(true),
        GOLDEN);
    add(
        "judged-without-the-memstore",
        "a storage node judges versions and rows of which others have cells",
        "plugin.scan.Pushdown",
        in("maxScope").parameter(0, true),
        GOLDEN);
    add(
        "shadow-sees-nothing",
        "a read that is checked never differs",
        "plugin.shadow.ShadowRead",
        in("isSame").returns(true),
        plugin("local.ShadowReadsTest"));
  }

  private static void ofCachedReads() {
    String row = "plugin.cache.CachedRow";
    add(
        "last-column-of-range",
        "a slice is cached with the column before which its range ends",
        "plugin.scan.WantedColumns",
        in("ofRange").call("getMaxColumnInclusive").gives(true),
        plugin("scan.WantedColumnsTest"),
        GOLDEN);
    add(
        "part-is-the-row",
        "a row of which the rest is still to come is cached as whole",
        "plugin.cache.RowFill",
        in("received").call("NodeBatch.next").gives(null),
        plugin("cache.RowFillTest"));
    add(
        "one-node-is-the-store",
        "of several nodes rows are cached that some have not brought yet",
        "plugin.cache.JoinedRows",
        in("join").call("Collections.min").calls("max"),
        plugin("cache.JoinedRowsTest"));
    add(
        "read-point-ignored",
        "cached cells are shown to who may not see them yet",
        row + "$Cells",
        in("next").call("getSequenceId").gives(0),
        plugin("cache.CachedRowTest"));
    add(
        "flush-not-told",
        "cached rows do not get what a flush wrote",
        "plugin.cache.CachedRows$FileChange",
        in("flushed").returns(),
        plugin("cache.CachedRowsTest"));
    add(
        "compaction-not-told",
        "cached rows keep what a compaction dropped",
        "plugin.cache.CachingStoreEngine",
        in("replaceStoreFiles").call("FileChange.compacted").leftOut(),
        GOLDEN);
    add(
        "all-rows-clean",
        "rows with delete markers and old versions outlive a compaction in the cache",
        row,
        in("isClean").returns(true),
        plugin("cache.CachedRowTest"));
    add(
        "trimmed-for-all",
        "who reads at an old read point takes rows without the versions that it shows",
        "plugin.cache.CacheVisibility$Reader",
        in("seesTrimmed").field("readPoint").gives(Long.MAX_VALUE),
        plugin("cache.CacheVisibilityTest"),
        plugin("cache.CachedRowsTest"));
    add(
        "flushed-before-the-restart",
        "what is flushed after rows were written down for a restart is not noted",
        "plugin.cache.FlushedRows",
        in("add").returns(),
        plugin("cache.SavedRowsTest"));
    add(
        "restart-shows-trimmed",
        "rows that a restart brings are seen without what they lack by who reads as before it",
        "plugin.cache.CachedRows",
        in("fillsTrimmed").returns(),
        plugin("cache.SavedRowsTest"));
    add(
        "restart-shows-expired",
        "after a restart nothing is known of what had expired when it was fetched",
        "plugin.cache.CachedRows",
        in("leftOutBefore").returns(Long.MIN_VALUE),
        plugin("cache.SavedRowsTest"));
    add(
        "memstore-left-out",
        "a Get that the segment cache answers does not look into the memstore",
        "plugin.regionserver.StoreReads",
        in("scanners").call("List.addAll").leftOut(),
        GOLDEN);
  }

  private static void add(
      String name, String says, String className, Edit edit, TestClass... tests) {
    add(name, says, className, List.of(edit), tests);
  }

  /**
   * @param className module and class below {@code io.ishbase}, or {@code module/class}
   */
  private static void add(
      String name, String says, String className, List<Edit> edits, TestClass... tests) {
    boolean isElsewhere = className.contains("/");
    String module = className.substring(0, className.indexOf(isElsewhere ? '/' : '.'));
    ALL.add(
        new Defect(
            name,
            says,
            module,
            isElsewhere ? className.substring(module.length() + 1) : "io.ishbase." + className,
            edits,
            List.of(tests)));
  }

  private static TestClass core(String name) {
    return new TestClass("core", "io.ishbase.core." + name);
  }

  private static TestClass protocol(String name) {
    return new TestClass("protocol", "io.ishbase.protocol." + name);
  }

  private static TestClass daemon(String name) {
    return new TestClass("daemon", "io.ishbase.daemon." + name);
  }

  private static TestClass plugin(String name) {
    return new TestClass("plugin", "io.ishbase.plugin." + name);
  }
}
