package io.ishbase.bench.scenario;

import io.ishbase.bench.report.Results;
import io.ishbase.bench.report.Row;
import io.ishbase.bench.scenario.Caches.Cache;
import io.ishbase.cluster.Mode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * How many rows caches hold in a megabyte: the segment cache counts them, a block cache holds so
 * many rows in each block as the table has.
 */
final class RowsHeld {
  private static final double FULL = 0.9;

  private RowsHeld() {}

  /**
   * Adds a row for each cache to the results; the first is what the others are compared with.
   *
   * @param words of what has been read
   * @param cacheBytes that each may use
   * @param target what is to be reached, in words
   */
  static void addTo(
      Results results, List<Cache> caches, String words, long cacheBytes, String target)
      throws IOException {
    Cache first = caches.get(0);
    double rowsOfBlock = first.table().shape().rows() / dataBlocks(first);
    Map<String, String> parameters = Map.of("after", words);
    Map<String, Object> all = new LinkedHashMap<>(parameters);
    List<Row> rows = new ArrayList<>();
    double baseline = 0;
    for (Cache cache : caches) {
      Map<String, Double> figures = figures(cache, rowsOfBlock);
      double perMegabyte = figures.get("rows/MB");
      baseline = rows.isEmpty() ? perMegabyte : baseline;
      figures.put("ratio", perMegabyte / baseline);
      all.put(cache.name(), figures);
      rows.add(
          new Row(
              parameters,
              cache.name(),
              figures,
              cache.name().startsWith(Caches.SEGMENTS) ? target : "",
              "",
              figures.get("MB held") * 1e6 < FULL * cacheBytes ? "not full" : ""));
    }
    results.add(all, rows);
  }

  private static Map<String, Double> figures(Cache cache, double rowsOfBlock) throws IOException {
    Map<String, Double> figures = new LinkedHashMap<>();
    if (cache.mode() == Mode.STOCK) {
      Map<String, Double> held = Settled.of(cache.server()::blockCache);
      put(figures, held.get("data blocks") * rowsOfBlock, held.get("bytes"));
    } else {
      Map<String, Double> held = Settled.of(cache.server()::segmentCache);
      if (held.isEmpty()) {
        throw new IOException(cache.name() + ": its region server has none");
      }
      put(figures, held.get("entries"), held.get("usedBytes"));
    }
    return figures;
  }

  private static void put(Map<String, Double> figures, double rows, double bytes) {
    figures.put("rows/MB", 1e6 * rows / bytes);
    figures.put("rows held", rows);
    figures.put("MB held", bytes / 1e6);
  }

  /** Data blocks of a table's files: a scan of all rows looks each up once, and hardly others. */
  private static double dataBlocks(Cache cache) throws IOException {
    double before = lookups(cache);
    cache.table().readAll(Mode.STOCK);
    return lookups(cache) - before;
  }

  private static double lookups(Cache cache) throws IOException {
    return Settled.of(cache.server()::blockCache).get("lookups");
  }
}
