package io.ishbase.it.conformance;

import io.ishbase.plugin.compaction.OffloadingCompactor;
import io.ishbase.plugin.compaction.OffloadingMobCompactor;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** One way to run a class of HBase's tests: what the cluster's {@code hbase-site.xml} says. */
enum Pass {
  /** HBase without any class of ours. */
  STOCK(null, false, false),
  /** The same, but each user read finds its region flushed. */
  STOCK_FLUSHED(null, true, false),
  /** All reads in-storage, the segment cache, all compactions offloaded. */
  IN_STORAGE("in-storage", false, true),
  /**
   * The same without the segment cache: for tests that count what is read again and again, and
   * would count other things where a busy machine answers late.
   */
  UNCACHED("in-storage", false, false),
  /**
   * With the cache; each user read finds its region flushed, so that none is of the memstore alone.
   */
  FLUSHED("in-storage", true, true),
  /** Like {@link #IN_STORAGE}, and memstores compact themselves: how all of HBase's classes run. */
  EVERYTHING("in-storage", false, true),
  /** Like {@link #FLUSHED}, but the gate chooses the route of each read. */
  AUTO("auto", true, true);

  private final String reads;
  private final boolean flushes;
  private final boolean caches;

  Pass(String reads, boolean flushes, boolean caches) {
    this.reads = reads;
    this.flushes = flushes;
    this.caches = caches;
  }

  /** The one of that name, as {@link #toString} writes it. */
  static Pass of(String name) {
    return valueOf(name.toUpperCase(Locale.ROOT).replace('-', '_'));
  }

  /** What stock HBase does in the same circumstances. */
  Pass reference() {
    return flushes ? STOCK_FLUSHED : STOCK;
  }

  boolean isStock() {
    return reads == null;
  }

  /** The properties by which it differs from stock HBase. */
  Map<String, String> site() {
    Map<String, String> site = new TreeMap<>();
    if (isStock()) {
      if (flushes) {
        site.put("hbase.hregion.impl", FlushingStockRegion.class.getName());
      }
      return site;
    }
    site.put(
        "hbase.hregion.impl",
        (flushes ? FlushingConformanceRegion.class : ConformanceRegion.class).getName());
    site.put("ishbase.read", reads);
    site.put("ishbase.cache", String.valueOf(caches));
    if (!caches) {
      site.put("ishbase.hedge.percent", "0");
    }
    // Few tests read as much as takes the gate to both routes otherwise.
    site.put("ishbase.read.warm.up", "0");
    if (this == EVERYTHING) {
      site.put("ishbase.memstore", "auto");
    }
    site.put("ishbase.cache.bytes", String.valueOf(32 << 20));
    site.put("ishbase.compaction", "offload");
    site.put("ishbase.compaction.min.bytes", "0");
    site.put("hbase.hstore.defaultengine.compactor.class", OffloadingCompactor.class.getName());
    site.put("hbase.hstore.mobengine.compactor.class", OffloadingMobCompactor.class.getName());
    return site;
  }

  /** As in file names and on the page. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
