package io.ishbase.archetypes.graph;

import io.ishbase.archetypes.graph.EdgeWriter.Change;
import io.ishbase.archetypes.graph.Keys.Side;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.filter.ColumnPrefixFilter;
import org.jspecify.annotations.Nullable;

/**
 * Looks at all entries of edges and makes their ends agree. What the near end does not have is
 * cleared away at the far end; what the far end doubts or lacks, or the near end has twice, is
 * written anew, which replaces all that was there. What the near end has without its row of
 * properties, which a writer leaves that was slower than the grace, is removed. One per run.
 */
final class Mender {
  private static final int ENTRIES_AT_ONCE = 500;
  private static final int ROWS_AT_ONCE = 100;
  private static final long BYTES_AT_ONCE = 8 << 20;

  private final GraphTables tables;
  private final EdgeWriter writer;

  /** Entries that are newer, in milliseconds since 1970, are left alone. */
  private final long youngest;

  private final List<EdgeEntry> near = new ArrayList<>();
  private final List<EdgeEntry> far = new ArrayList<>();
  private long bytes;
  private @Nullable Edge lastNear;
  private long entries;
  private long removed;
  private long rewritten;

  Mender(GraphTables tables, EdgeWriter writer, long youngest) {
    this.tables = tables;
    this.writer = writer;
    this.youngest = youngest;
  }

  Mended run() throws IOException {
    for (Table table : tables.ofEntries()) {
      Scan scan =
          new Scan()
              .addFamily(Keys.FAMILY)
              .setFilter(new ColumnPrefixFilter(Keys.ALL_EDGES))
              .setBatch(ENTRIES_AT_ONCE)
              .setCaching(ROWS_AT_ONCE)
              .setCacheBlocks(false);
      try (ResultScanner scanner = table.getScanner(scan)) {
        for (Result result : scanner) {
          for (Cell cell : result.rawCells()) {
            take(Keys.entry(cell));
          }
        }
      }
      check();
    }
    return new Mended(entries, removed, rewritten);
  }

  private void take(EdgeEntry entry) throws IOException {
    entries++;
    if (entry.incarnation().time() > youngest) {
      return;
    }
    (entry.side() == Side.NEAR ? near : far).add(entry);
    bytes += entry.incarnation().value().length;
    if (near.size() + far.size() >= ENTRIES_AT_ONCE || bytes >= BYTES_AT_ONCE) {
      check();
    }
  }

  private void check() throws IOException {
    Set<Edge> doubtful = new HashSet<>();
    checkNear(doubtful);
    checkFar(doubtful);
    near.clear();
    far.clear();
    bytes = 0;
    for (Edge edge : doubtful) {
      rewrite(edge);
    }
  }

  private void checkNear(Set<Edge> doubtful) throws IOException {
    List<Get> gets = new ArrayList<>();
    for (EdgeEntry entry : near) {
      byte[] column =
          Keys.stamped(Keys.prefix(Side.FAR, entry.edge()), entry.incarnation().stamp());
      gets.add(new Get(Keys.row(Side.FAR, entry.edge())).addColumn(Keys.FAMILY, column));
    }
    boolean[] exists = tables.in().exists(gets);
    boolean[] recorded = recorded();
    for (int i = 0; i < exists.length; i++) {
      Edge edge = near.get(i).edge();
      if (!exists[i] || !recorded[i] || edge.equals(lastNear)) {
        doubtful.add(edge);
      }
      lastNear = edge;
    }
  }

  /** Which of the near ends have properties. */
  private boolean[] recorded() throws IOException {
    if (tables.edges() == null) {
      boolean[] all = new boolean[near.size()];
      Arrays.fill(all, true);
      return all;
    }
    List<Get> gets = new ArrayList<>();
    for (EdgeEntry entry : near) {
      gets.add(GraphTables.record(entry.edge(), entry.incarnation()));
    }
    return tables.edges().exists(gets);
  }

  private void checkFar(Set<Edge> doubtful) throws IOException {
    List<List<Incarnation>> decided =
        tables.incarnations(far.stream().map(EdgeEntry::edge).toList());
    for (int i = 0; i < decided.size(); i++) {
      EdgeEntry entry = far.get(i);
      if (decided.get(i).stream().noneMatch(one -> one.stamp() == entry.incarnation().stamp())) {
        writer.clear(entry.edge(), entry.incarnation());
        removed++;
      } else if (entry.isInDoubt()) {
        doubtful.add(entry.edge());
      }
    }
  }

  private void rewrite(Edge edge) throws IOException {
    Incarnation missed = null;
    List<Incarnation> now = tables.incarnations(edge);
    while (!now.isEmpty()) {
      Incarnation first = now.get(0);
      if (first.time() > youngest) {
        // Its change may be under way: the next mending will do it.
        return;
      }
      byte[] properties = writer.properties(edge, first);
      if (properties != null) {
        Change anew = new Change(edge, now, Incarnation.after(now, properties));
        rewritten += writer.write(List.of(anew)).isEmpty() ? 1 : 0;
        return;
      }
      // A record goes after what the near end has, so one that is missed twice is lost.
      if (missed != null && missed.stamp() == first.stamp()) {
        Change lost = new Change(edge, List.of(first), null);
        removed += writer.write(List.of(lost)).isEmpty() ? 1 : 0;
      }
      missed = first;
      now = tables.incarnations(edge);
    }
  }
}
