package io.ishbase.it;

import io.ishbase.it.metamorphic.Answer;
import java.util.List;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Query;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.filter.FilterList;
import org.apache.hadoop.hbase.filter.SkipFilter;
import org.apache.hadoop.hbase.filter.WhileMatchFilter;

/**
 * Where stock HBase gives an answer, or throws, that an in-storage read need not repeat. Each says
 * what the in-storage answer must be then.
 */
enum KnownDifference {
  /**
   * Where a file's Bloom filter of rows and columns says no, HBase's lazy seek leaves a key that no
   * file has on top of the heap, and a filter that ends the scan at the first row that fails is
   * shown the row of that key. In-storage reads have no lazy seeks, and answer as HBase does
   * without them.
   */
  A_FILTER_ENDS_THE_SCAN_AT_A_FAKE_ROW {
    @Override
    boolean explains(StockAnswers stock, Answer found) {
      return !stock.usual().isRefused()
          && queries(stock.query())
              .anyMatch(each -> hasColumns(each) && hasWhileMatch(each.getFilter()))
          && stock.withoutLazySeeks().equals(found);
    }
  },

  /**
   * When the last family is exhausted, such a key has no row, and a filter throws at it. Or HBase's
   * own check of the order of cells does, at what lies behind such a key. HBase without lazy seeks
   * does not throw.
   */
  A_READ_THROWS_AT_A_FAKE_KEY {
    @Override
    boolean explains(StockAnswers stock, Answer found) {
      return stock.usual().isRefused()
          && queries(stock.query()).anyMatch(each -> each.getFilter() != null || hasColumns(each))
          && stock.withoutLazySeeks().equals(found)
          && found.startsWith(stock.usual());
    }
  },

  /**
   * Of a scan that fails a client has what came before in whole answers. Where an answer ends
   * depends on the size of cells in the server's memory, which differs from one read to the next.
   */
  A_FAILING_SCAN_ENDS_WITH_ANOTHER_ANSWER {
    @Override
    boolean explains(StockAnswers stock, Answer found) {
      return stock.query() instanceof Scan
          && stock.usual().isRefused()
          && found.isRefused()
          && (found.startsWith(stock.usual()) || stock.usual().startsWith(found));
    }
  },

  /**
   * HBase's reader of half a file throws in a reverse scan, at places where a daemon may not be.
   */
  A_REVERSE_SCAN_THROWS_AT_HALF_A_FILE {
    @Override
    boolean explains(StockAnswers stock, Answer found) {
      return stock.query() instanceof Scan scan
          && scan.isReversed()
          && stock.usual().threwIn("HalfStoreFileReader")
          && (found.startsWith(stock.usual()) || found.threwIn("HalfStoreFileReader"));
    }
  },

  /**
   * HBase's reader of the lower half of a file shows the first cell of a block that lies behind the
   * split, if a seek goes to the gap before that block. So a scan delivers a row of the next region
   * out of order, and instead of others if it has a limit. A scan that ends with the region does
   * not show it. Only a filter may have ended the scan with a region before the last.
   */
  A_LOWER_HALF_OF_A_FILE_SHOWS_WHAT_LIES_BEHIND_IT {
    @Override
    boolean explains(StockAnswers stock, Answer found) {
      List<Answer> each = stock.regionByRegion();
      if (each.isEmpty()) {
        return false;
      }
      return ((Scan) stock.query()).hasFilter()
          ? each.contains(found)
          : each.get(each.size() - 1).equals(found);
    }
  };

  /** Whether this is why an answer differs from that of stock HBase. */
  abstract boolean explains(StockAnswers stock, Answer found);

  private static Stream<Query> queries(Object query) {
    return query instanceof List<?> gets
        ? gets.stream().map(Query.class::cast)
        : Stream.of((Query) query);
  }

  private static boolean hasColumns(Query query) {
    return (query instanceof Get get ? get.getFamilyMap() : ((Scan) query).getFamilyMap())
        .values().stream().anyMatch(columns -> columns != null && !columns.isEmpty());
  }

  private static boolean hasWhileMatch(Filter filter) {
    if (filter instanceof FilterList list) {
      return list.getFilters().stream().anyMatch(KnownDifference::hasWhileMatch);
    }
    if (filter instanceof SkipFilter skip) {
      return hasWhileMatch(skip.getFilter());
    }
    return filter instanceof WhileMatchFilter;
  }
}
