package io.ishbase.bench.tpcc;

import io.ishbase.bench.Workers;
import io.ishbase.bench.tpcc.TpccRow.Writer;
import io.ishbase.bench.tpcc.TpccSchema.Column;
import io.ishbase.bench.tpcc.TpccSchema.Table;
import io.ishbase.cluster.Progress;
import io.ishbase.cluster.Tables;
import java.io.IOException;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.BufferedMutator;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;

/** Makes the tables, one region each, and fills them as clause 4.3.3 of the specification says. */
public final class TpccLoader {
  private static final int THREADS = 4;
  private static final long YTD_OF_DISTRICT = 3_000_000;

  private final Connection connection;
  private final TpccScale scale;
  private final long seed;
  private final long now = System.currentTimeMillis();

  public TpccLoader(Connection connection, TpccScale scale, long seed) {
    this.connection = connection;
    this.scale = scale;
    this.seed = seed;
  }

  /** The name of STOCK. */
  public static TableName stockTable() {
    return Table.STOCK.tableName();
  }

  /** The name of ORDER-LINE. */
  public static TableName orderLineTable() {
    return Table.ORDER_LINE.tableName();
  }

  /** Loads; each table is in one HFile afterwards. Tables of those names are replaced. */
  public void load() throws IOException {
    String words =
        String.format("loading TPC-C, %d warehouses : %d", scale.warehouses(), scale.divisor());
    try (Progress progress = new Progress(words, scale.rows())) {
      progress.note("tables");
      forEachTable(table -> Tables.recreate(connection, descriptor(table)));
      progress.note("rows");
      // Part 0 is the items, the others are one warehouse each.
      AtomicInteger next = new AtomicInteger();
      Workers.run(
          THREADS,
          worker -> {
            for (int part = next.getAndIncrement();
                part <= scale.warehouses();
                part = next.getAndIncrement()) {
              try (Part rows = new Part(part, progress)) {
                rows.load();
              }
            }
          });
      progress.note("flush, compaction");
      forEachTable(table -> Tables.intoOneFileEach(connection, table.tableName()));
      progress.done("each table in one HFile");
    }
  }

  /** Something to do with each table, on several threads. */
  private interface TableWork {
    void run(Table table) throws IOException;
  }

  private static void forEachTable(TableWork work) throws IOException {
    AtomicInteger next = new AtomicInteger();
    Table[] tables = Table.values();
    Workers.run(
        THREADS,
        worker -> {
          for (int i = next.getAndIncrement(); i < tables.length; i = next.getAndIncrement()) {
            work.run(tables[i]);
          }
        });
  }

  private static TableDescriptor descriptor(Table table) {
    return TableDescriptorBuilder.newBuilder(table.tableName())
        .setColumnFamily(ColumnFamilyDescriptorBuilder.of(TpccSchema.FAMILY))
        .setRegionSplitPolicyClassName(
            "org.apache.hadoop.hbase.regionserver.DisabledRegionSplitPolicy")
        .setDurability(Durability.ASYNC_WAL)
        .build();
  }

  /** The rows of one warehouse, or the items. */
  private final class Part implements AutoCloseable {
    private final int warehouse;
    private final Progress progress;
    private final TpccRandom random;
    private final Map<Table, BufferedMutator> mutators = new EnumMap<>(Table.class);

    Part(int part, Progress progress) throws IOException {
      this.warehouse = part;
      this.progress = progress;
      this.random = new TpccRandom(scale, seed, -1 - part);
      for (Table table : Table.values()) {
        mutators.put(table, connection.getBufferedMutator(table.tableName()));
      }
    }

    void load() throws IOException {
      if (warehouse == 0) {
        items();
        return;
      }
      write(
          Table.WAREHOUSE,
          new Writer(TpccSchema.key(warehouse))
              .set(Column.W_NAME, random.letters(6, 10))
              .set(Column.W_STREET_1, random.letters(10, 20))
              .set(Column.W_STREET_2, random.letters(10, 20))
              .set(Column.W_CITY, random.letters(10, 20))
              .set(Column.W_STATE, random.letters(2, 2))
              .set(Column.W_ZIP, zip())
              .set(Column.W_TAX, random.uniform(0, 2000))
              .set(Column.W_YTD, TpccScale.DISTRICTS * YTD_OF_DISTRICT));
      stock();
      for (int district = 1; district <= TpccScale.DISTRICTS; district++) {
        district(district);
        customers(district);
        orders(district);
      }
    }

    private void items() throws IOException {
      for (int item = 1; item <= scale.items(); item++) {
        write(
            Table.ITEM,
            new Writer(TpccSchema.key(item))
                .set(Column.I_IM_ID, random.uniform(1, 10_000))
                .set(Column.I_NAME, random.letters(14, 24))
                .set(Column.I_PRICE, random.uniform(100, 10_000))
                .set(Column.I_DATA, random.data()));
      }
    }

    private void stock() throws IOException {
      for (int item = 1; item <= scale.items(); item++) {
        Writer row =
            new Writer(TpccSchema.key(warehouse, item))
                .set(Column.S_QUANTITY, random.uniform(10, 100))
                .set(Column.S_YTD, 0)
                .set(Column.S_ORDER_CNT, 0)
                .set(Column.S_REMOTE_CNT, 0)
                .set(Column.S_DATA, random.data());
        for (int district = 1; district <= TpccScale.DISTRICTS; district++) {
          row.set(Column.stockOfDistrict(district), random.letters(24, 24));
        }
        write(Table.STOCK, row);
      }
    }

    private void district(int district) throws IOException {
      write(
          Table.DISTRICT,
          new Writer(TpccSchema.key(warehouse, district))
              .set(Column.D_NAME, random.letters(6, 10))
              .set(Column.D_STREET_1, random.letters(10, 20))
              .set(Column.D_STREET_2, random.letters(10, 20))
              .set(Column.D_CITY, random.letters(10, 20))
              .set(Column.D_STATE, random.letters(2, 2))
              .set(Column.D_ZIP, zip())
              .set(Column.D_TAX, random.uniform(0, 2000))
              .set(Column.D_YTD, YTD_OF_DISTRICT)
              .set(Column.D_NEXT_O_ID, scale.customers() + 1));
    }

    private void customers(int district) throws IOException {
      for (int customer = 1; customer <= scale.customers(); customer++) {
        String last =
            customer <= scale.lastNames() ? TpccRandom.lastName(customer - 1) : random.lastName();
        String first = random.letters(8, 16);
        write(
            Table.CUSTOMER,
            new Writer(TpccSchema.key(warehouse, district, customer))
                .set(Column.C_FIRST, first)
                .set(Column.C_MIDDLE, "OE")
                .set(Column.C_LAST, last)
                .set(Column.C_STREET_1, random.letters(10, 20))
                .set(Column.C_STREET_2, random.letters(10, 20))
                .set(Column.C_CITY, random.letters(10, 20))
                .set(Column.C_STATE, random.letters(2, 2))
                .set(Column.C_ZIP, zip())
                .set(Column.C_PHONE, random.digits(16))
                .set(Column.C_SINCE, now)
                .set(Column.C_CREDIT, random.percent(10) ? "BC" : "GC")
                .set(Column.C_CREDIT_LIM, 5_000_000)
                .set(Column.C_DISCOUNT, random.uniform(0, 5000))
                .set(Column.C_BALANCE, -1000)
                .set(Column.C_YTD_PAYMENT, 1000)
                .set(Column.C_PAYMENT_CNT, 1)
                .set(Column.C_DELIVERY_CNT, 0)
                .set(Column.C_DATA, random.letters(300, 500)));
        write(
            Table.CUSTOMER_BY_NAME,
            new Writer(TpccSchema.nameKey(warehouse, district, last, first, customer))
                .set(Column.C_ID, customer));
        write(
            Table.HISTORY,
            new Writer(TpccSchema.key(warehouse, district, customer, 0, 0))
                .set(Column.H_W_ID, warehouse)
                .set(Column.H_D_ID, district)
                .set(Column.H_DATE, now)
                .set(Column.H_AMOUNT, 1000)
                .set(Column.H_DATA, random.letters(12, 24)));
      }
    }

    private void orders(int district) throws IOException {
      int[] customers = random.permutation(scale.customers());
      int firstOpen = scale.customers() - scale.newOrders() + 1;
      for (int order = 1; order <= scale.customers(); order++) {
        boolean open = order >= firstOpen;
        int customer = customers[order - 1];
        int lines = random.uniform(5, 15);
        byte[] key = TpccSchema.key(warehouse, district, order);
        Writer row =
            new Writer(key)
                .set(Column.O_C_ID, customer)
                .set(Column.O_ENTRY_D, now)
                .set(Column.O_OL_CNT, lines)
                .set(Column.O_ALL_LOCAL, 1);
        if (open) {
          write(Table.NEW_ORDER, new Writer(key).set(Column.NO_O_ID, order));
        } else {
          row.set(Column.O_CARRIER_ID, random.uniform(1, 10));
        }
        write(Table.ORDERS, row);
        write(
            Table.ORDERS_BY_CUSTOMER,
            new Writer(TpccSchema.customerOrderKey(warehouse, district, customer, order))
                .set(Column.O_ID, order));
        for (int line = 1; line <= lines; line++) {
          orderLine(TpccSchema.key(warehouse, district, order, line), open);
        }
      }
    }

    private void orderLine(byte[] key, boolean open) throws IOException {
      Writer row =
          new Writer(key)
              .set(Column.OL_I_ID, random.uniform(1, scale.items()))
              .set(Column.OL_SUPPLY_W_ID, warehouse)
              .set(Column.OL_QUANTITY, 5)
              .set(Column.OL_AMOUNT, open ? random.uniform(1, 999_999) : 0)
              .set(Column.OL_DIST_INFO, random.letters(24, 24));
      if (!open) {
        row.set(Column.OL_DELIVERY_D, now);
      }
      write(Table.ORDER_LINE, row);
    }

    private String zip() {
      return random.digits(4) + "11111";
    }

    private void write(Table table, Writer row) throws IOException {
      mutators.get(table).mutate(row.put());
      progress.add(1);
    }

    @Override
    public void close() throws IOException {
      for (BufferedMutator mutator : mutators.values()) {
        mutator.close();
      }
    }
  }
}
