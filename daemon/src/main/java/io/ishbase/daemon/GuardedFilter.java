package io.ishbase.daemon;

import io.ishbase.daemon.rpc.RequestException;
import io.ishbase.protocol.generated.IssnProtos.Code;
import java.io.IOException;
import java.util.Objects;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.KeyValueUtil;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.filter.Filter.ReturnCode;
import org.apache.hadoop.hbase.filter.FilterList;
import org.apache.hadoop.hbase.filter.SkipFilter;
import org.apache.hadoop.hbase.filter.WhileMatchFilter;
import org.jspecify.annotations.Nullable;

/**
 * The filter of one request. Whatever it throws is a failure of the filter, with the code for that,
 * never one of the files whose cells it judges. Only {@link OutOfMemoryError} passes: it is the
 * daemon's.
 */
final class GuardedFilter {
  private interface Question<T> {
    T ask() throws IOException;
  }

  private final Filter filter;

  /** Whether it remembers cells of a row, whose blocks may be given back before the row ends. */
  private final boolean remembersCells;

  GuardedFilter(Filter filter) {
    this.filter = filter;
    this.remembersCells = hasAlternatives(filter);
  }

  private static boolean hasAlternatives(@Nullable Filter filter) {
    if (filter instanceof FilterList list) {
      return list.getOperator() == FilterList.Operator.MUST_PASS_ONE
          || list.getFilters().stream().anyMatch(GuardedFilter::hasAlternatives);
    }
    return filter instanceof SkipFilter skip && hasAlternatives(skip.getFilter())
        || filter instanceof WhileMatchFilter until && hasAlternatives(until.getFilter());
  }

  boolean filterAllRemaining() throws RequestException {
    return guarded(filter::filterAllRemaining);
  }

  void reset() throws RequestException {
    guarded(
        () -> {
          filter.reset();
          return true;
        });
  }

  boolean filterRowKey(Cell cell) throws RequestException {
    return guarded(() -> filter.filterRowKey(cell));
  }

  ReturnCode filterCell(Cell cell) throws RequestException {
    Cell judged = remembersCells ? KeyValueUtil.copyToNewKeyValue(cell) : cell;
    // Some have no answer before they are asked about the row, which not all that wrap them pass
    // on.
    return guarded(() -> Objects.requireNonNull(filter.filterCell(judged), "It gives no answer"));
  }

  @Nullable Cell getNextCellHint(Cell cell) throws RequestException {
    return guarded(() -> filter.getNextCellHint(cell));
  }

  boolean filterRow() throws RequestException {
    return guarded(filter::filterRow);
  }

  private static <T> T guarded(Question<T> question) throws RequestException {
    try {
      return question.ask();
    } catch (OutOfMemoryError e) {
      throw e;
    } catch (IOException | RuntimeException | Error e) {
      throw new RequestException(Code.FILTER_FAILED, "The filter failed: " + e, e);
    }
  }
}
