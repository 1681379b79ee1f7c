package io.ishbase.bench.tpcc;

import io.ishbase.bench.tpcc.TpccSchema.Column;
import io.ishbase.bench.tpcc.TpccSchema.Table;
import io.ishbase.cluster.Mode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Consistency conditions 1 to 4 of clause 3.3.2 of the specification. They hold as long as no two
 * terminals have worked at once: without transactions these lose each other's updates.
 */
public final class TpccConsistency {
  private TpccConsistency() {}

  /** What does not hold, in words; reads in {@code mode}. */
  public static List<String> violations(Connection connection, Mode mode, TpccScale scale)
      throws IOException {
    List<String> violations = new ArrayList<>();
    try (TpccStore store = new TpccStore(connection, mode)) {
      for (int warehouse = 1; warehouse <= scale.warehouses(); warehouse++) {
        long districtsYtd = 0;
        for (int district = 1; district <= TpccScale.DISTRICTS; district++) {
          byte[] key = TpccSchema.key(warehouse, district);
          TpccRow row = store.get(Table.DISTRICT, key);
          districtsYtd += row.number(Column.D_YTD);
          checkOrders(store, key, row.number(Column.D_NEXT_O_ID) - 1, violations);
        }
        long ytd = store.get(Table.WAREHOUSE, TpccSchema.key(warehouse)).number(Column.W_YTD);
        require(
            ytd == districtsYtd,
            "warehouse " + warehouse + ": W_YTD " + ytd + ", sum of D_YTD " + districtsYtd,
            violations);
      }
    }
    return violations;
  }

  private static void checkOrders(
      TpccStore store, byte[] district, long lastOrder, List<String> violations)
      throws IOException {
    String name =
        "district " + Bytes.toInt(district, 4) + " of warehouse " + Bytes.toInt(district) + ": ";
    List<TpccRow> orders = store.scan(Table.ORDERS, district, Column.O_OL_CNT);
    List<TpccRow> open = store.scan(Table.NEW_ORDER, district);
    long lines = 0;
    for (TpccRow order : orders) {
      lines += order.number(Column.O_OL_CNT);
    }
    long highest = orders.get(orders.size() - 1).keyNumber(2);
    require(
        highest == lastOrder,
        name + "highest order " + highest + ", D_NEXT_O_ID - 1 is " + lastOrder,
        violations);
    if (!open.isEmpty()) {
      long first = open.get(0).number(Column.NO_O_ID);
      long last = open.get(open.size() - 1).number(Column.NO_O_ID);
      require(
          last == lastOrder,
          name + "highest new order " + last + ", D_NEXT_O_ID - 1 is " + lastOrder,
          violations);
      require(
          last - first + 1 == open.size(),
          name + "new orders " + first + " to " + last + " are " + open.size(),
          violations);
    }
    long found = store.scan(Table.ORDER_LINE, district, Column.OL_I_ID).size();
    require(
        found == lines, name + "order lines " + found + ", sum of O_OL_CNT " + lines, violations);
  }

  private static void require(boolean holds, String otherwise, List<String> violations) {
    if (!holds) {
      violations.add(otherwise);
    }
  }
}
