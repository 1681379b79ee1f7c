package io.ishbase.archetypes.document;

import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Query;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.filter.MultipleColumnPrefixFilter;
import org.apache.hadoop.hbase.util.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * Which columns of a row a read wants: its stamp, places, and all that lies in places. If it is
 * single columns they are named; else it is prefixes, of which one filter of HBase seeks from one
 * to the next, whose verdict follows from the column alone.
 */
final class Selection {
  private final NavigableSet<byte[]> exact = new TreeSet<>(Bytes.BYTES_COMPARATOR);
  private final NavigableSet<byte[]> prefixes = new TreeSet<>(Bytes.BYTES_COMPARATOR);

  /** The place itself, without what lies in it. */
  Selection own(Path path) {
    exact.add(Columns.ownName(Layout.column(PathBytes.encode(path))));
    return this;
  }

  /** All places on the way to {@code path}, without it. */
  Selection above(Path path) {
    for (int i = 0; i < path.steps().size(); i++) {
      own(path.first(i));
    }
    return this;
  }

  /** The place and what lies in it. */
  Selection under(Path path) {
    prefixes.add(Layout.column(PathBytes.encode(path)));
    return this;
  }

  /** What the entries of an index follow from. */
  Selection of(Path pattern) {
    return pattern.isPattern() ? under(pattern.fixed()) : own(pattern);
  }

  /** Of one row, without large strings. */
  Get get(byte[] row) {
    Get get = new Get(row);
    if (!prefixes.isEmpty()) {
      get.addFamily(Layout.CELLS);
      filter(get);
      return get;
    }
    get.addColumn(Layout.CELLS, Layout.STAMP);
    exact.forEach(column -> get.addColumn(Layout.CELLS, column));
    return get;
  }

  /** Of one row, with large strings. */
  Get getWithLarge(byte[] row) {
    Get get = new Get(row).addFamily(Layout.CELLS).addFamily(Layout.LARGE);
    filter(get);
    return get;
  }

  /** Of all rows, without large strings. */
  Scan scan() {
    Scan scan = new Scan().addFamily(Layout.CELLS);
    filter(scan);
    return scan;
  }

  private void filter(Query query) {
    Filter filter = filter();
    if (filter != null) {
      query.setFilter(filter);
    }
  }

  /** Null if the read wants all. */
  private @Nullable Filter filter() {
    if (prefixes.contains(Layout.column(new byte[0]))) {
      return null;
    }
    NavigableSet<byte[]> all = new TreeSet<>(prefixes);
    all.addAll(exact);
    all.add(Layout.STAMP);
    // HBase's filter looks at the last prefix that is not behind a column: none may begin another.
    List<byte[]> apart = new ArrayList<>();
    for (byte[] prefix : all) {
      if (apart.isEmpty() || !Bytes.startsWith(prefix, apart.get(apart.size() - 1))) {
        apart.add(prefix);
      }
    }
    return new MultipleColumnPrefixFilter(apart.toArray(new byte[0][]));
  }
}
