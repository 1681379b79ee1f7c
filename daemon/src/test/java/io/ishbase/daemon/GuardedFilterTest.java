package io.ishbase.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.daemon.rpc.RequestException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.filter.FilterBase;
import org.apache.hadoop.hbase.filter.FilterList;
import org.apache.hadoop.hbase.filter.FilterList.Operator;
import org.apache.hadoop.hbase.filter.SkipFilter;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;

class GuardedFilterTest {
  private static final KeyValue CELL =
      new KeyValue(Bytes.toBytes("r"), Bytes.toBytes("f"), Bytes.toBytes("q"), 1, new byte[] {1});

  /** Remembers what it was asked. */
  private static final class Asked extends FilterBase {
    private final List<Cell> cells = new ArrayList<>();

    @Override
    public ReturnCode filterCell(Cell cell) {
      cells.add(cell);
      return ReturnCode.INCLUDE;
    }
  }

  private static Cell asked(Asked asked, Filter filter) throws RequestException {
    GuardedFilter guarded = new GuardedFilter(filter);
    guarded.reset();
    guarded.filterCell(CELL);
    return asked.cells.get(0);
  }

  /** HBase's list keeps the cell until the row ends, which its block may not. */
  @Test
  void alternativesAreAskedOfACopy() throws RequestException {
    for (boolean isNested : new boolean[] {false, true}) {
      Asked asked = new Asked();
      Filter list = new FilterList(Operator.MUST_PASS_ONE, asked, new Asked());
      Cell seen = asked(asked, isNested ? new FilterList(new SkipFilter(list)) : list);
      assertThat(seen).isNotSameAs(CELL);
      assertThat(CellUtil.equals(seen, CELL)).isTrue();
    }
  }

  @Test
  void othersAreAskedOfTheCellItself() throws RequestException {
    Asked asked = new Asked();
    assertThat(asked(asked, new FilterList(asked))).isSameAs(CELL);
  }
}
