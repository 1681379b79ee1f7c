package io.ishbase.it;

import io.ishbase.it.metamorphic.Answer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.regionserver.LazySeek;
import org.apache.hadoop.hbase.util.Bytes;

/** What stock HBase answers to a query, as it is asked usually and in other ways. */
final class StockAnswers {
  private final Table table;
  private final Object query;
  private final Function<String, Answer> reader;
  private final Answer usual;
  private Answer withoutLazySeeks;
  private List<Answer> regionByRegion;

  /**
   * @param query a Get, a Scan or a list of Gets
   * @param reader asks in a mode
   */
  StockAnswers(Table table, Object query, Function<String, Answer> reader) {
    this.table = table;
    this.query = query;
    this.reader = reader;
    this.usual = reader.apply(MiniCluster.STOCK);
  }

  Object query() {
    return query;
  }

  Answer usual() {
    return usual;
  }

  Answer withoutLazySeeks() {
    if (withoutLazySeeks == null) {
      // It is one switch for all threads.
      synchronized (StockAnswers.class) {
        LazySeek.enable(false);
        try {
          withoutLazySeeks = reader.apply(MiniCluster.STOCK);
        } finally {
          LazySeek.enable(true);
        }
      }
    }
    return withoutLazySeeks;
  }

  /**
   * The answers of scans that end where a region ends, put together: of the first region, of the
   * first two, and so on, as a filter may have ended the scan with any of them. None if this is no
   * scan that goes forward.
   */
  List<Answer> regionByRegion() {
    if (regionByRegion == null) {
      regionByRegion = new ArrayList<>();
      if (query instanceof Scan scan && !scan.isReversed()) {
        try {
          scanRegions(scan);
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      }
    }
    return regionByRegion;
  }

  private void scanRegions(Scan scan) throws IOException {
    List<String> all = new ArrayList<>();
    try (RegionLocator locator = table.getRegionLocator()) {
      for (HRegionLocation location : locator.getAllRegionLocations()) {
        Scan within = within(scan, location.getRegion());
        if (within == null) {
          continue;
        }
        if (scan.getLimit() > 0) {
          within.setLimit(scan.getLimit() - all.size());
        }
        Answer answer = Comparison.answer(found -> Comparison.scan(table, within, found));
        all.addAll(answer.results());
        regionByRegion.add(new Answer(List.copyOf(all), answer.thrown(), answer.message()));
        if (answer.isRefused() || all.size() == scan.getLimit()) {
          return;
        }
      }
    }
  }

  /** The part of the scan that lies within the region; null if there is none. */
  private static Scan within(Scan scan, RegionInfo region) throws IOException {
    Scan within = MiniCluster.in(MiniCluster.STOCK, new Scan(scan));
    byte[] start = region.getStartKey();
    byte[] end = region.getEndKey();
    if (Bytes.compareTo(scan.getStartRow(), start) < 0) {
      within.withStartRow(start);
    }
    byte[] stop = scan.getStopRow();
    if (end.length > 0 && (stop.length == 0 || Bytes.compareTo(end, stop) <= 0)) {
      within.withStopRow(end, false);
    }
    boolean isBehind = end.length > 0 && Bytes.compareTo(within.getStartRow(), end) >= 0;
    boolean isAhead = stop.length > 0 && Bytes.compareTo(within.getStartRow(), stop) > 0;
    return isBehind || isAhead ? null : within;
  }
}
