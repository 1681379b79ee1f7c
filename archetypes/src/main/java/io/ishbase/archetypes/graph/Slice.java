package io.ishbase.archetypes.graph;

import java.util.List;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.filter.ColumnPaginationFilter;
import org.apache.hadoop.hbase.filter.ColumnRangeFilter;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.filter.FilterList;
import org.apache.hadoop.hbase.filter.KeyOnlyFilter;

/**
 * A range of columns in the rows of a table that has all edges of a selection.
 *
 * @param table whose rows they are
 * @param start first of its qualifiers
 * @param stop the first one behind it
 * @param direction of the edges that count
 * @param isMixed whether edges of the other direction lie among them
 */
record Slice(Table table, byte[] start, byte[] stop, Direction direction, boolean isMixed) {
  /** All qualifiers that begin with {@code prefix}. */
  static Slice of(Table table, byte[] prefix, Direction direction, boolean isMixed) {
    return new Slice(table, prefix, KeyWriter.after(prefix), direction, isMixed);
  }

  /** For the cells of a vertex from a qualifier on. */
  Get get(String id, byte[] from, int cells) {
    return get(id, range(from), new ColumnPaginationFilter(cells, 0));
  }

  /** The same where the values of the far end do not matter: without values. */
  Get keys(String id, byte[] from, int cells) {
    return get(id, range(from), new ColumnPaginationFilter(cells, 0), new KeyOnlyFilter());
  }

  private ColumnRangeFilter range(byte[] from) {
    return new ColumnRangeFilter(from, true, stop, false);
  }

  private static Get get(String id, Filter... filters) {
    return new Get(Limits.id(id))
        .addFamily(Keys.FAMILY)
        .setFilter(new FilterList(List.of(filters)));
  }
}
