package io.ishbase.daemon;

import io.ishbase.daemon.rpc.RequestException;
import io.ishbase.protocol.generated.IssnProtos.Code;
import java.io.IOException;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.filter.Filter.ReturnCode;
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

  GuardedFilter(Filter filter) {
    this.filter = filter;
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
    return guarded(() -> filter.filterCell(cell));
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
