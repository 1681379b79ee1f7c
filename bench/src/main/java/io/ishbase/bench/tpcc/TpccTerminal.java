package io.ishbase.bench.tpcc;

import io.ishbase.bench.tpcc.TpccRow.Writer;
import io.ishbase.bench.tpcc.TpccSchema.Column;
import io.ishbase.bench.tpcc.TpccSchema.Table;
import io.ishbase.cluster.Mode;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.hbase.client.Connection;

/**
 * One terminal: it runs the transactions of clause 2 of the specification at its home warehouse,
 * one after the other. Not thread-safe.
 */
public final class TpccTerminal implements Closeable {
  private static final int STOCK_LEVEL_ORDERS = 20;
  private static final int CUSTOMER_DATA_CHARS = 500;

  private final TpccScale scale;
  private final TpccRandom random;
  private final TpccStore store;
  private final int number;
  private final int home;
  private final int homeDistrict;
  private int payments;

  /**
   * A terminal that reads in {@code mode}.
   *
   * @param number of the terminal, from 0; decides about its home and its random values
   */
  public TpccTerminal(Connection connection, Mode mode, TpccScale scale, long seed, int number)
      throws IOException {
    this.scale = scale;
    this.random = new TpccRandom(scale, seed, number);
    this.store = new TpccStore(connection, mode);
    this.number = number;
    this.home = number % scale.warehouses() + 1;
    this.homeDistrict = number / scale.warehouses() % TpccScale.DISTRICTS + 1;
  }

  /** Draws a transaction and runs it. */
  public TpccTransaction next() throws IOException {
    TpccTransaction transaction = TpccMix.next(random);
    run(transaction);
    return transaction;
  }

  void run(TpccTransaction transaction) throws IOException {
    switch (transaction) {
      case NEW_ORDER -> newOrder();
      case PAYMENT -> payment();
      case ORDER_STATUS -> orderStatus();
      case DELIVERY -> delivery();
      case STOCK_LEVEL -> stockLevel();
    }
  }

  /** A line of an order that is being entered. */
  private record Line(int item, int supplier, int quantity) {}

  /**
   * Clause 2.4. All items are read before anything is written, so that the one order in a hundred
   * whose last item does not exist leaves nothing to undo.
   */
  private void newOrder() throws IOException {
    int district = random.uniform(1, TpccScale.DISTRICTS);
    int customer = random.customer();
    List<Line> lines = drawLines();
    List<TpccRow> items =
        store.get(
            Table.ITEM,
            lines.stream().map(line -> TpccSchema.key(line.item)).toList(),
            Column.I_PRICE,
            Column.I_NAME,
            Column.I_DATA);
    if (items.stream().anyMatch(TpccRow::isMissing)) {
      return;
    }
    store.get(Table.WAREHOUSE, TpccSchema.key(home), Column.W_TAX);
    store.get(
        Table.CUSTOMER,
        TpccSchema.key(home, district, customer),
        Column.C_DISCOUNT,
        Column.C_LAST,
        Column.C_CREDIT);
    byte[] districtKey = TpccSchema.key(home, district);
    TpccRow districtRow = store.get(Table.DISTRICT, districtKey, Column.D_TAX, Column.D_NEXT_O_ID);
    int order = (int) districtRow.number(Column.D_NEXT_O_ID);
    store.put(Table.DISTRICT, new Writer(districtKey).set(Column.D_NEXT_O_ID, order + 1));
    boolean local = lines.stream().allMatch(line -> line.supplier == home);
    byte[] orderKey = TpccSchema.key(home, district, order);
    store.put(
        Table.ORDERS,
        new Writer(orderKey)
            .set(Column.O_C_ID, customer)
            .set(Column.O_ENTRY_D, System.currentTimeMillis())
            .set(Column.O_OL_CNT, lines.size())
            .set(Column.O_ALL_LOCAL, local ? 1 : 0));
    store.put(
        Table.ORDERS_BY_CUSTOMER,
        new Writer(TpccSchema.customerOrderKey(home, district, customer, order))
            .set(Column.O_ID, order));
    store.put(Table.NEW_ORDER, new Writer(orderKey).set(Column.NO_O_ID, order));
    enterLines(district, order, lines, items);
  }

  private List<Line> drawLines() {
    int count = random.uniform(5, 15);
    boolean lastIsUnused = random.percent(1);
    List<Line> lines = new ArrayList<>();
    Set<String> drawn = new HashSet<>();
    for (int i = 1; i <= count; i++) {
      int item = i == count && lastIsUnused ? scale.items() + 1 : random.item();
      int supplier = random.percent(1) ? otherWarehouse() : home;
      // An item may come twice in the specification; here that would be two writes to one stock
      // row.
      if (drawn.add(item + " " + supplier)) {
        lines.add(new Line(item, supplier, random.uniform(1, 10)));
      }
    }
    return lines;
  }

  private void enterLines(int district, int order, List<Line> lines, List<TpccRow> items)
      throws IOException {
    Column info = Column.stockOfDistrict(district);
    List<byte[]> stockKeys =
        lines.stream().map(line -> TpccSchema.key(line.supplier, line.item)).toList();
    List<TpccRow> stock =
        store.get(
            Table.STOCK,
            stockKeys,
            Column.S_QUANTITY,
            Column.S_YTD,
            Column.S_ORDER_CNT,
            Column.S_REMOTE_CNT,
            Column.S_DATA,
            info);
    List<Writer> stockWrites = new ArrayList<>();
    List<Writer> lineWrites = new ArrayList<>();
    for (int i = 0; i < lines.size(); i++) {
      Line line = lines.get(i);
      TpccRow before = stock.get(i);
      long left = before.number(Column.S_QUANTITY) - line.quantity;
      stockWrites.add(
          new Writer(stockKeys.get(i))
              .set(Column.S_QUANTITY, left >= 10 ? left : left + 91)
              .set(Column.S_YTD, before.number(Column.S_YTD) + line.quantity)
              .set(Column.S_ORDER_CNT, before.number(Column.S_ORDER_CNT) + 1)
              .set(
                  Column.S_REMOTE_CNT,
                  before.number(Column.S_REMOTE_CNT) + (line.supplier == home ? 0 : 1)));
      lineWrites.add(
          new Writer(TpccSchema.key(home, district, order, i + 1))
              .set(Column.OL_I_ID, line.item)
              .set(Column.OL_SUPPLY_W_ID, line.supplier)
              .set(Column.OL_QUANTITY, line.quantity)
              .set(Column.OL_AMOUNT, line.quantity * items.get(i).number(Column.I_PRICE))
              .set(Column.OL_DIST_INFO, before.text(info)));
    }
    store.put(Table.STOCK, stockWrites);
    store.put(Table.ORDER_LINE, lineWrites);
  }

  /** Clause 2.5. */
  private void payment() throws IOException {
    int district = random.uniform(1, TpccScale.DISTRICTS);
    boolean remote = random.percent(15) && scale.warehouses() > 1;
    int customerWarehouse = remote ? otherWarehouse() : home;
    int customerDistrict = remote ? random.uniform(1, TpccScale.DISTRICTS) : district;
    int customer = drawCustomer(customerWarehouse, customerDistrict);
    long cents = random.uniform(100, 500_000);

    byte[] warehouseKey = TpccSchema.key(home);
    TpccRow warehouse = store.get(Table.WAREHOUSE, warehouseKey);
    store.put(
        Table.WAREHOUSE,
        new Writer(warehouseKey).set(Column.W_YTD, warehouse.number(Column.W_YTD) + cents));
    byte[] districtKey = TpccSchema.key(home, district);
    TpccRow districtRow = store.get(Table.DISTRICT, districtKey);
    store.put(
        Table.DISTRICT,
        new Writer(districtKey).set(Column.D_YTD, districtRow.number(Column.D_YTD) + cents));

    byte[] customerKey = TpccSchema.key(customerWarehouse, customerDistrict, customer);
    TpccRow customerRow = store.get(Table.CUSTOMER, customerKey);
    Writer update =
        new Writer(customerKey)
            .set(Column.C_BALANCE, customerRow.number(Column.C_BALANCE) - cents)
            .set(Column.C_YTD_PAYMENT, customerRow.number(Column.C_YTD_PAYMENT) + cents)
            .set(Column.C_PAYMENT_CNT, customerRow.number(Column.C_PAYMENT_CNT) + 1);
    if (customerRow.text(Column.C_CREDIT).equals("BC")) {
      String data =
          String.join(
                  " ",
                  Integer.toString(customer),
                  Integer.toString(customerDistrict),
                  Integer.toString(customerWarehouse),
                  Integer.toString(district),
                  Integer.toString(home),
                  Long.toString(cents))
              + " "
              + customerRow.text(Column.C_DATA);
      update.set(Column.C_DATA, data.substring(0, Math.min(CUSTOMER_DATA_CHARS, data.length())));
    }
    store.put(Table.CUSTOMER, update);
    store.put(
        Table.HISTORY,
        new Writer(
                // The loader's entry of this customer has terminal 0 and number 0.
                TpccSchema.key(
                    customerWarehouse, customerDistrict, customer, number + 1, ++payments))
            .set(Column.H_W_ID, home)
            .set(Column.H_D_ID, district)
            .set(Column.H_DATE, System.currentTimeMillis())
            .set(Column.H_AMOUNT, cents)
            .set(
                Column.H_DATA,
                warehouse.text(Column.W_NAME) + "    " + districtRow.text(Column.D_NAME)));
  }

  /** Clause 2.6. */
  private void orderStatus() throws IOException {
    int district = random.uniform(1, TpccScale.DISTRICTS);
    int customer = drawCustomer(home, district);
    store.get(
        Table.CUSTOMER,
        TpccSchema.key(home, district, customer),
        Column.C_BALANCE,
        Column.C_FIRST,
        Column.C_MIDDLE,
        Column.C_LAST);
    TpccRow newest =
        store.first(Table.ORDERS_BY_CUSTOMER, TpccSchema.key(home, district, customer));
    if (newest != null) {
      byte[] orderKey = TpccSchema.key(home, district, (int) newest.number(Column.O_ID));
      store.get(Table.ORDERS, orderKey);
      store.scan(Table.ORDER_LINE, orderKey);
    }
  }

  /** Clause 2.7, at once and not queued. */
  private void delivery() throws IOException {
    int carrier = random.uniform(1, 10);
    for (int district = 1; district <= TpccScale.DISTRICTS; district++) {
      TpccRow oldest = store.first(Table.NEW_ORDER, TpccSchema.key(home, district));
      if (oldest != null) {
        deliver(district, (int) oldest.number(Column.NO_O_ID), carrier);
      }
    }
  }

  private void deliver(int district, int order, int carrier) throws IOException {
    byte[] orderKey = TpccSchema.key(home, district, order);
    store.delete(Table.NEW_ORDER, orderKey);
    TpccRow orderRow = store.get(Table.ORDERS, orderKey, Column.O_C_ID);
    store.put(Table.ORDERS, new Writer(orderKey).set(Column.O_CARRIER_ID, carrier));
    long now = System.currentTimeMillis();
    long cents = 0;
    List<Writer> lines = new ArrayList<>();
    for (TpccRow line : store.scan(Table.ORDER_LINE, orderKey, Column.OL_AMOUNT)) {
      cents += line.number(Column.OL_AMOUNT);
      lines.add(new Writer(line.key()).set(Column.OL_DELIVERY_D, now));
    }
    store.put(Table.ORDER_LINE, lines);
    byte[] customerKey = TpccSchema.key(home, district, (int) orderRow.number(Column.O_C_ID));
    TpccRow customer =
        store.get(Table.CUSTOMER, customerKey, Column.C_BALANCE, Column.C_DELIVERY_CNT);
    store.put(
        Table.CUSTOMER,
        new Writer(customerKey)
            .set(Column.C_BALANCE, customer.number(Column.C_BALANCE) + cents)
            .set(Column.C_DELIVERY_CNT, customer.number(Column.C_DELIVERY_CNT) + 1));
  }

  /** Clause 2.8: how many of the items of the last orders are short in stock. */
  private int stockLevel() throws IOException {
    int threshold = random.uniform(10, 20);
    TpccRow district =
        store.get(Table.DISTRICT, TpccSchema.key(home, homeDistrict), Column.D_NEXT_O_ID);
    int next = (int) district.number(Column.D_NEXT_O_ID);
    Set<Integer> items = new HashSet<>();
    for (TpccRow line :
        store.scan(
            Table.ORDER_LINE,
            TpccSchema.key(home, homeDistrict, Math.max(1, next - STOCK_LEVEL_ORDERS)),
            TpccSchema.key(home, homeDistrict, next),
            Column.OL_I_ID)) {
      items.add((int) line.number(Column.OL_I_ID));
    }
    int low = 0;
    for (TpccRow stock :
        store.get(
            Table.STOCK,
            items.stream().map(item -> TpccSchema.key(home, item)).toList(),
            Column.S_QUANTITY)) {
      if (stock.number(Column.S_QUANTITY) < threshold) {
        low++;
      }
    }
    return low;
  }

  /** A customer of a district: in 60 of 100 cases by last name, the middle one of that name. */
  private int drawCustomer(int warehouse, int district) throws IOException {
    if (!random.percent(60)) {
      return random.customer();
    }
    List<TpccRow> sameName =
        store.scan(
            Table.CUSTOMER_BY_NAME, TpccSchema.nameKey(warehouse, district, random.lastName()));
    return (int) sameName.get((sameName.size() + 1) / 2 - 1).number(Column.C_ID);
  }

  /** Any warehouse but the home; the home if there is no other. */
  private int otherWarehouse() {
    if (scale.warehouses() == 1) {
      return home;
    }
    int other = random.uniform(1, scale.warehouses() - 1);
    return other < home ? other : other + 1;
  }

  @Override
  public void close() throws IOException {
    store.close();
  }
}
