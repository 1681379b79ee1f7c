package io.ishbase.plugin.regionserver;

import io.ishbase.core.Gate;
import io.ishbase.core.Gates;
import io.ishbase.core.ReadMode;
import io.ishbase.core.Reason;
import io.ishbase.core.Setting;
import io.ishbase.plugin.aggregate.AggregateWish;
import io.ishbase.plugin.blockwarmup.WarmUps;
import io.ishbase.plugin.cache.CacheVisibility;
import io.ishbase.plugin.cache.CachedRowScanner;
import io.ishbase.plugin.cache.CachedRows;
import io.ishbase.plugin.cache.CachedScanner;
import io.ishbase.plugin.cache.FillingScanner;
import io.ishbase.plugin.cache.LeftOutRows;
import io.ishbase.plugin.cache.RowFill;
import io.ishbase.plugin.gate.TimedRead;
import io.ishbase.plugin.hbase.CompactionHooks;
import io.ishbase.plugin.hbase.FileSelection;
import io.ishbase.plugin.hbase.Handover;
import io.ishbase.plugin.hbase.RegionScan;
import io.ishbase.plugin.hbase.RowLimit;
import io.ishbase.plugin.metrics.InStorageMetrics;
import io.ishbase.plugin.prewarm.Neighbours;
import io.ishbase.plugin.regionserver.ReadSetup.Aggregated;
import io.ishbase.plugin.regionserver.ReadSetup.CachedGet;
import io.ishbase.plugin.regionserver.ReadSetup.Explained;
import io.ishbase.plugin.regionserver.ReadSetup.Filling;
import io.ishbase.plugin.regionserver.ReadSetup.InStorage;
import io.ishbase.plugin.regionserver.ReadSetup.Stock;
import io.ishbase.plugin.scan.FillSink;
import io.ishbase.plugin.scan.FilterPushdown;
import io.ishbase.plugin.scan.JoinedNodes;
import io.ishbase.plugin.scan.LocalFilter;
import io.ishbase.plugin.scan.MultiGet;
import io.ishbase.plugin.scan.NodeScanner;
import io.ishbase.plugin.scan.RangeScanner;
import io.ishbase.plugin.scan.ReadFill;
import io.ishbase.plugin.scan.ReadPlan;
import io.ishbase.plugin.scan.ReadSpec;
import io.ishbase.plugin.scan.WantedColumns;
import io.ishbase.plugin.settings.StoreSettings;
import io.ishbase.plugin.shadow.ShadowRead;
import io.ishbase.protocol.Spans;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.context.Scope;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.CompoundConfiguration;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.mob.MobUtils;
import org.apache.hadoop.hbase.regionserver.HMobStore;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.KeyValueScanner;
import org.apache.hadoop.hbase.regionserver.ScanInfo;
import org.apache.hadoop.hbase.regionserver.StoreScanner;
import org.apache.hadoop.hbase.trace.HBaseSemanticAttributes;
import org.apache.hadoop.hbase.util.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * How one store's reads are done. First {@link #scanner} settles how: by HBase, from the segment
 * cache, or by the storage nodes. Then HBase's store scanner asks for {@link #scanners} and gets
 * those that were settled. Thread safe.
 */
final class StoreReads {
  private static final Handover<ReadSetup> SETUPS = new Handover<>();

  /** A store whose reads these are. */
  interface Owner {
    StoreReads reads();
  }

  /** Makes HBase's scanner by such rules. */
  interface Maker {
    KeyValueScanner make(ScanInfo rules) throws IOException;
  }

  private static final String CELLS_PER_LOOK = "4";

  /** As the family's rules, but for the looks at the clock; null: no read has needed it. */
  private volatile @Nullable ScanInfo looksOften;

  private final HStore store;
  private final String name;
  private final RegionServerNodes nodes;
  private final Supplier<StoreSettings> settings;
  private final Gates gates;
  private final @Nullable CachedRows cache;
  private final @Nullable WarmUps warmUps;
  private final boolean isMob;

  /** Whether nothing stays in the cache of what was there when a read differed from HBase's. */
  private volatile boolean isForgotten;

  /**
   * @param settings the store's present ones
   * @param cache null: the store has none
   * @param warmUps null: the store has none
   */
  StoreReads(
      HStore store,
      RegionServerNodes nodes,
      Supplier<StoreSettings> settings,
      @Nullable CachedRows cache,
      @Nullable WarmUps warmUps) {
    this.store = store;
    this.name = store.getRegionInfo().getEncodedName() + "/" + store.getColumnFamilyName();
    this.nodes = nodes;
    this.settings = settings;
    this.gates = nodes.gates(store.getTableName(), store.getColumnFamilyName());
    this.cache = cache;
    this.warmUps = warmUps;
    this.isMob = store instanceof HMobStore;
  }

  /**
   * The scanner of a read.
   *
   * @param rules the family's, or what a coprocessor made of them for this read
   * @param columns null: all
   * @param maker makes HBase's scanner of the store
   */
  KeyValueScanner scanner(
      Scan scan,
      ScanInfo rules,
      @Nullable NavigableSet<byte[]> columns,
      long readPoint,
      Maker maker)
      throws IOException {
    ScanInfo ofScanner = looksAtTheClock(scan, rules);
    Handover.Maker stock = () -> maker.make(ofScanner);
    byte[] explain = scan.getAttribute(Explanations.ATTRIBUTE);
    if (explain == null || FilterPushdown.isTooDeep(scan.getFilter())) {
      return Span.current().isRecording() && modeOf(scan) != ReadMode.STOCK
          ? recorded(scan, rules, ofScanner, columns, readPoint, stock)
          : make(
              settle(scan, rules, columns, readPoint), scan, ofScanner, columns, readPoint, stock);
    }
    Explained setup = explained(scan, rules, columns, readPoint);
    try {
      return make(setup, scan, ofScanner, columns, readPoint, stock);
    } finally {
      nodes.explanations().add(Bytes.toString(explain), setup.lines());
    }
  }

  /**
   * HBase's scanner looks at the clock behind so many cells of a row. What a daemon's filter leaves
   * out in the time of an answer are few cells here, or only one.
   */
  private ScanInfo looksAtTheClock(Scan scan, ScanInfo rules) {
    if (!scan.hasFilter()
        || scan.isGetScan()
        || rules != store.getScanInfo()
        || modeOf(scan) == ReadMode.STOCK) {
      return rules;
    }
    ScanInfo often = looksOften;
    if (often == null) {
      Configuration conf =
          new CompoundConfiguration()
              .add(store.getReadOnlyConfiguration())
              .addStringMap(
                  Map.of(StoreScanner.HBASE_CELLS_SCANNED_PER_HEARTBEAT_CHECK, CELLS_PER_LOOK));
      often =
          new ScanInfo(
              conf,
              store.getColumnFamilyDescriptor(),
              rules.getTtl(),
              rules.getTimeToPurgeDeletes(),
              rules.getComparator());
      looksOften = often;
    }
    return often;
  }

  /** As {@link #scanner}, of a read whose trace is recorded. */
  private KeyValueScanner recorded(
      Scan scan,
      ScanInfo rules,
      ScanInfo ofScanner,
      @Nullable NavigableSet<byte[]> columns,
      long readPoint,
      Handover.Maker stock)
      throws IOException {
    Span span =
        Spans.begin("InStorage.getScanner")
            .setAttribute(HBaseSemanticAttributes.TABLE_KEY, store.getTableName().getNameAsString())
            .setAttribute(Spans.FAMILY, store.getColumnFamilyName());
    try (Scope ignored = span.makeCurrent()) {
      ReadSetup setup = settle(scan, rules, columns, readPoint);
      span.setAttribute(Spans.ROUTE, setup.route());
      return make(setup, scan, ofScanner, columns, readPoint, stock);
    } catch (IOException | RuntimeException e) {
      Spans.failed(span, e);
      throw e;
    } finally {
      span.end();
    }
  }

  private KeyValueScanner make(
      ReadSetup setup,
      Scan scan,
      ScanInfo rules,
      @Nullable NavigableSet<byte[]> columns,
      long readPoint,
      Handover.Maker stock)
      throws IOException {
    TimedRead timed = setup.timed();
    Handover.Maker maker =
        timed == null ? stock : () -> timed.scanner(store, rules, scan, columns, readPoint);
    if (setup instanceof Stock) {
      return SETUPS.makeStock(maker);
    }
    if (setup instanceof InStorage || setup instanceof CachedGet) {
      ShadowRead.isOurs(scan);
    }
    boolean made = false;
    try {
      KeyValueScanner scanner = SETUPS.make(store, scan, readPoint, setup, maker);
      made = true;
      return scanner;
    } finally {
      if (!made) {
        setup.abandon();
      }
    }
  }

  private ReadSetup settle(
      Scan scan, ScanInfo rules, @Nullable NavigableSet<byte[]> columns, long readPoint) {
    ReadMode wanted = modeOf(scan);
    // HBase gives a scan of references alone its filter later, where it makes the scanner.
    if (wanted == ReadMode.STOCK
        || store.getStorefilesCount() == 0
        || isMob && MobUtils.isRefOnlyScan(scan)
        || RegionScan.isOfStoreAlone(scan)) {
      return new Stock(null);
    }
    if (FilterPushdown.isTooDeep(scan.getFilter())) {
      InStorageMetrics.get().fellBack(Reason.BAD_REQUEST);
      return stockAfterAll(scan);
    }
    if (!nodes.shadows().admits(name)) {
      InStorageMetrics.get().fellBack(Reason.DIFFERENT);
      if (cache != null && !isForgotten) {
        isForgotten = true;
        cache.forget();
      }
      return stockAfterAll(scan);
    }
    isForgotten = false;
    // What daemons aggregate of a family with large objects would be the references to them.
    AggregateWish wish = isMob ? null : AggregateWish.of(scan);
    if (wish != null && settings.get().aggregates() && !nodes.storageNodes().live().isEmpty()) {
      return new Aggregated(
          spec(scan, rules, columns, null, readPoint, RowLimit.UNKNOWN, null, ReadSpec.UNCACHED),
          wish);
    }
    CacheVisibility.Reader reader =
        cache == null || expires(rules) && nodes.reads().filters().needsAllCells(scan)
            ? null
            : cache.reader(scan, rules, readPoint);
    CacheVisibility.Reader cached = reader != null && reader.mayUse() ? reader : null;
    boolean isCaches = reader != null && (reader.mayUse() || reader.mayFill());
    WantedColumns ofGet = isCaches ? wanted(scan, rules, columns) : null;
    CachedGet atOnce = cachedGet(cached, scan, ofGet);
    if (atOnce != null) {
      return atOnce;
    }
    if (nodes.storageNodes().live().isEmpty()) {
      InStorageMetrics.get().fellBack(Reason.NO_DAEMON);
      return stockAfterAll(scan);
    }
    RowLimit rowLimit = RowLimit.of(scan);
    MultiGet multiGet =
        scan.isGetScan()
            ? MultiGet.of(
                name,
                store.getRegionInfo(),
                scan.getStartRow(),
                row -> cached != null && ofGet != null && cached.covers(row, ofGet.columns()))
            : null;
    // The Gets of a call are judged as a whole, which also needs to know when all have ended.
    TimedRead timed =
        multiGet == null ? null : new TimedRead((nanos, cells) -> multiGet.ended(nanos));
    Runnable forget = () -> {};
    if (wanted == ReadMode.AUTO) {
      Gate gate = gates.of(kind(scan, columns, rowLimit, multiGet != null));
      Gate.Choice choice = multiGet == null ? gate.choose() : multiGet.route(gate);
      InStorageMetrics.get().took(choice.route());
      nodes.storageNodes().mightHaveBeenAsked();
      if (multiGet == null) {
        forget = () -> gate.forget(choice);
        timed = TimedRead.of(gate, choice);
      }
      if (choice.route() == Gate.Route.BLOCK) {
        boolean fills = scan.isGetScan() && columns == null && !scan.hasFilter();
        if (cache == null || reader == null || !reader.mayFill() || !fills) {
          return new Stock(timed);
        }
        RowFill fill = cache.rowFill(reader, scan.getStartRow());
        if (fill != null) {
          return new Filling(fill, reader.leaveOutExpired(), timed);
        }
        CachedGet fetched = cachedGet(cached, scan, ofGet);
        if (fetched == null) {
          return new Stock(timed);
        }
        forget.run();
        return fetched;
      }
    }
    WantedColumns slice = null;
    ReadFill fill = null;
    long cacheCutOff = ReadSpec.UNCACHED;
    if (cache != null && reader != null && reader.mayFill()) {
      cacheCutOff = reader.leaveOutExpired();
      // The Gets of a call have to ask for the same.
      boolean fetchesSlice =
          ofGet != null
              && ofGet.isSlice()
              && (multiGet != null || !cache.isTooLong(scan.getStartRow(), ofGet));
      slice = fetchesSlice ? ofGet : null;
      fill = cache.fill(reader, scan, slice, settings.get().maxBatchBytes());
      CachedGet fetched = fill == null ? cachedGet(cached, scan, ofGet) : null;
      if (fetched != null) {
        // Another Get has fetched the row meanwhile.
        forget.run();
        return fetched;
      }
    }
    return new InStorage(
        spec(scan, rules, columns, slice, readPoint, rowLimit, multiGet, cacheCutOff),
        cached,
        fill,
        timed);
  }

  /** Whether what is cached may be another part of what has expired than the files have. */
  private boolean expires(ScanInfo rules) {
    return rules.getTtl() < Long.MAX_VALUE || store.getScanInfo().getTtl() < Long.MAX_VALUE;
  }

  /** Other Gets of its call may have been read otherwise, and wait for it to end. */
  private Stock stockAfterAll(Scan scan) {
    if (scan.isGetScan()) {
      MultiGet.served(name, scan.getStartRow());
    }
    return new Stock(null);
  }

  /** The columns that a Get has to do with; null: it is no Get. */
  private @Nullable WantedColumns wanted(
      Scan scan, ScanInfo rules, @Nullable NavigableSet<byte[]> columns) {
    return scan.isGetScan()
        ? WantedColumns.of(scan, rules, columns, nodes.reads().filters())
        : null;
  }

  /** Null: it is no Get, or its row is not cached. */
  private @Nullable CachedGet cachedGet(
      CacheVisibility.@Nullable Reader cached, Scan scan, @Nullable WantedColumns wanted) {
    if (cache == null || cached == null || wanted == null) {
      return null;
    }
    CachedRowScanner row = cache.get(cached, scan.getStartRow(), wanted.columns());
    if (row == null) {
      return null;
    }
    MultiGet.served(name, scan.getStartRow());
    return new CachedGet(row);
  }

  private ReadSpec spec(
      Scan scan,
      ScanInfo rules,
      @Nullable NavigableSet<byte[]> columns,
      @Nullable WantedColumns slice,
      long readPoint,
      RowLimit rowLimit,
      @Nullable MultiGet multiGet,
      long cacheCutOff) {
    StoreSettings now = settings.get();
    return new ReadSpec(
        scan,
        store.getRegionInfo(),
        rules,
        // Endpoints take columns out of the scan's own set when they have read them off, also
        // later;
        // HBase reads all where none is left.
        columns == null || columns.isEmpty() ? null : new TreeSet<>(columns),
        slice == null ? null : slice.columns(),
        readPoint,
        rowLimit,
        multiGet,
        now.firstBatchBytes(),
        now.maxBatchBytes(),
        isMob,
        cacheCutOff);
  }

  private Explained explained(
      Scan scan, ScanInfo rules, @Nullable NavigableSet<byte[]> columns, long readPoint) {
    ReadMode wanted = modeOf(scan);
    List<String> lines = new ArrayList<>();
    RowLimit rowLimit = RowLimit.of(scan);
    lines.add(
        "family "
            + store.getColumnFamilyName()
            + " of region "
            + store.getRegionInfo().getRegionNameAsString());
    Gate gate = gates.of(kind(scan, columns, rowLimit, false));
    lines.add(
        wanted
            + " reads"
            + (settings.get().reads().isProhibited()
                ? "; the table or the family allows no others"
                : "")
            + (wanted == ReadMode.AUTO
                ? "; the gate sends such reads over "
                    + (gate.route() == Gate.Route.BLOCK ? "blocks" : "the storage nodes")
                : "")
            + (nodes.storageNodes().live().isEmpty() ? "; no storage daemon is registered" : "")
            + (nodes.shadows().admits(name)
                ? ""
                : "; all go over HBase's path: " + Reason.DIFFERENT.description()));
    WantedColumns ofGet = wanted(scan, rules, columns);
    if (cache != null
        && ofGet != null
        && cache.reader(scan, rules, readPoint).covers(scan.getStartRow(), ofGet.columns())) {
      lines.add("the segment cache has the row; without it:");
    }
    return new Explained(
        spec(scan, rules, columns, null, readPoint, rowLimit, null, ReadSpec.UNCACHED), lines);
  }

  /** Forgets what is cached. */
  void forget() {
    if (cache != null) {
      cache.forget();
    }
  }

  /** Tells the cache that the region has other coprocessors than before. */
  void coprocessorsReplaced() {
    if (cache != null) {
      cache.coprocessorsReplaced();
    }
  }

  /** One of how many such reads is to be checked; 0: none, as HBase answers them or nobody does. */
  int shadows(Scan scan) {
    return modeOf(scan) == ReadMode.STOCK
            || FilterPushdown.isTooDeep(scan.getFilter())
            || !nodes.shadows().admits(name)
            || scan.getAttribute(Explanations.ATTRIBUTE) != null
            || AggregateWish.of(scan) != null
        ? 0
        : settings.get().verifiesOneIn();
  }

  private static Gates.Kind kind(
      Scan scan, @Nullable NavigableSet<byte[]> columns, RowLimit rowLimit, boolean isMulti) {
    return scan.isGetScan()
        ? Gates.Kind.ofGet(isMulti, columns != null, scan.hasFilter())
        : Gates.Kind.ofScan(
            rowLimit.atATime(), scan.isReversed(), columns != null, scan.hasFilter());
  }

  private ReadMode modeOf(Scan scan) {
    byte[] asked = scan.getAttribute(Setting.READ.key());
    return settings.get().reads().of(asked == null ? null : Bytes.toString(asked));
  }

  /**
   * The scanners that HBase's store scanner asks for, those of memstores last.
   *
   * @param stock makes HBase's
   */
  List<KeyValueScanner> scanners(
      FileSelection asked, FileSelection.Stock stock, FileSelection.Memstores memstores)
      throws IOException {
    ReadSetup setup =
        asked.isCompaction() ? null : SETUPS.take(store, asked.startRow(), asked.readPoint());
    if (setup instanceof CachedGet get) {
      // HBase holds the store engine's lock until the scanner is made: no flush ends meanwhile.
      List<KeyValueScanner> scanners = new ArrayList<>(4);
      scanners.add(get.row());
      scanners.addAll(memstores.scanners(asked.readPoint()));
      return scanners;
    }
    List<KeyValueScanner> oldAndNew = warmUps == null ? null : warmUps.scanners(asked, memstores);
    if (oldAndNew != null) {
      return setup == null ? oldAndNew : instead(setup, oldAndNew);
    }
    if (setup == null) {
      return stock.scanners(asked);
    }
    if (setup instanceof Filling filling && cache != null) {
      return FillingScanner.in(
          stock.scanners(asked),
          store,
          asked.readPoint(),
          filling.fill(),
          filling.cutOff(),
          cache.rows().maxRowBytes());
    }
    // A scanner for stream reads opens its file anew; as a guard that may never be used that is
    // waste.
    List<KeyValueScanner> scanners = stock.scanners(asked.byPosition());
    try {
      if (setup instanceof InStorage inStorage) {
        return carryOut(inStorage, plan(inStorage.read(), scanners));
      }
      if (setup instanceof Aggregated aggregated) {
        ReadPlan plan = plan(aggregated.read(), scanners);
        if (aggregated.wish().grant(store, nodes.reads(), aggregated.read(), plan)) {
          return List.of();
        }
        plan.drop();
      } else if (setup instanceof Explained explained) {
        ReadPlan plan = plan(explained.read(), scanners);
        plan.explain(explained.lines());
        plan.drop();
      }
    } catch (IOException | RuntimeException | StackOverflowError e) {
      scanners.forEach(KeyValueScanner::close);
      throw e;
    }
    scanners.forEach(KeyValueScanner::close);
    return List.of();
  }

  private ReadPlan plan(ReadSpec read, List<KeyValueScanner> scanners) {
    return new ReadPlan(store, nodes.reads(), read, scanners);
  }

  /** Has a read that was settled otherwise done by {@code scanners}, of old files and new. */
  private static List<KeyValueScanner> instead(ReadSetup setup, List<KeyValueScanner> scanners) {
    if (setup instanceof Explained explained) {
      explained.lines().add("reads all files itself: " + Reason.WARMING_UP.description());
      scanners.forEach(KeyValueScanner::close);
      return List.of();
    }
    if (setup instanceof InStorage) {
      InStorageMetrics.get().fellBack(Reason.WARMING_UP);
      Span.current().setAttribute(Spans.ROUTE, ReadSetup.BLOCK);
    }
    setup.abandon();
    return scanners;
  }

  private List<KeyValueScanner> carryOut(InStorage setup, ReadPlan plan) {
    ReadSpec read = setup.read();
    // Once, however many files there are.
    Set.copyOf(plan.reasons()).forEach(InStorageMetrics.get()::fellBack);
    if (plan.parts().isEmpty()) {
      Span.current().setAttribute(Spans.ROUTE, ReadSetup.BLOCK);
    }
    boolean hasAllFiles = plan.hasAllFiles();
    ReadFill fill = setup.fill();
    List<? extends FillSink> sinks =
        fill == null || !hasAllFiles ? List.of() : fill.expect(plan.parts().size());
    if (fill != null && sinks.isEmpty()) {
      fill.abandon();
      fill = null;
    }
    // Neighbours may still be read from the old files while a warm-up is under way.
    if (fill instanceof RowFill ofGet
        && plan.isOneRequest()
        && (warmUps == null || warmUps.current() == null)) {
      Neighbours.fetch(
          ofGet,
          plan.parts().iterator().next(),
          read,
          nodes.reads().client(),
          store.getComparator(),
          nodes.background());
    }
    boolean isSole = plan.isSole();
    List<NodeScanner> parts = new ArrayList<>(plan.parts().size());
    for (ReadPlan.Part part : plan.parts()) {
      FillSink sink = sinks.isEmpty() ? null : sinks.get(parts.size());
      parts.add(new NodeScanner(nodes.reads(), part, read, isSole, sink, store.getComparator()));
    }
    List<KeyValueScanner> scanners = new ArrayList<>(parts.size() + plan.others().size());
    CacheVisibility.Reader cached = setup.cached();
    if (cached == null || parts.isEmpty() || read.scan().isGetScan() || !hasAllFiles) {
      scanners.addAll(parts);
    } else {
      scanners.add(
          new CachedScanner(joined(parts), read, cached, leftOut(read, cached, plan), store));
    }
    // Memstore scanners stay at the end, where StoreScanner expects them.
    scanners.addAll(plan.others());
    return scanners;
  }

  /** The cached rows that a scan need not be shown; null: none, as {@link ReadPlan#isSole}. */
  private @Nullable LeftOutRows leftOut(
      ReadSpec read, CacheVisibility.Reader cached, ReadPlan plan) {
    if (!read.scan().hasFilter()) {
      return null;
    }
    LocalFilter filter =
        LocalFilter.of(read, nodes.reads().filters(), !CompactionHooks.mayHideCells(store));
    return filter == null || !store.isPrimaryReplicaStore()
        ? null
        : new LeftOutRows(filter, read, plan.others(), store.getComparator(), cached::sawNoChange);
  }

  private RangeScanner joined(List<NodeScanner> parts) {
    return parts.size() == 1 ? parts.get(0) : new JoinedNodes(parts, store.getComparator());
  }
}
