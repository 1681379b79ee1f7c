package io.ishbase.plugin.scan;

import io.ishbase.protocol.generated.IssnProtos.FilterScope;
import java.io.IOException;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.shaded.protobuf.ProtobufUtil;
import org.apache.hadoop.hbase.shaded.protobuf.generated.FilterProtos;
import org.apache.hbase.thirdparty.com.google.protobuf.ByteString;
import org.jspecify.annotations.Nullable;

/**
 * What of a scan's filter a region server may apply itself to cells that it holds, before HBase
 * sees them: what it would have a storage daemon apply, as long as all classes are HBase's own.
 * Others may keep a cell that they are shown, or be what a scope does not say. A regular expression
 * is none of it: it may take hours, which nobody can end, and who holds cells keeps memory from
 * all.
 *
 * @param message the filter, serialized
 * @param scope what its verdict follows from
 */
public record LocalFilter(ByteString message, FilterScope scope) {
  /**
   * The filter of a scan of one store.
   *
   * @param hidesByMarkers whether the reader sees all cells that no marker hides
   * @return null: nothing of it may be applied
   */
  public static @Nullable LocalFilter of(
      ReadSpec read, FilterPushdown filters, boolean hidesByMarkers) {
    if (!read.scan().hasFilter()) {
      return null;
    }
    // Whether other cells of a row are elsewhere is seen row by row, but not of what is yet to be
    // committed.
    boolean maySeeAll = hidesByMarkers && read.readPoint() < Long.MAX_VALUE;
    Pushdown pushdown =
        new Pushdown(read.scan(), read.family(), read.columns(), filters, maySeeAll, true, null);
    return pushdown.hasForeignFilter() || filters.hasRegularExpression(read.scan().getFilter())
        ? null
        : pushdown.localFilter();
  }

  /**
   * An instance in its first state.
   *
   * @throws IOException if it cannot be made again of what it was made to
   */
  public Filter fresh() throws IOException {
    return ProtobufUtil.toFilter(FilterProtos.Filter.parseFrom(message));
  }
}
