package io.ishbase.bench.tpcc;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Locale;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * The specification's nine tables and two indexes that a relational database would keep by itself.
 * A row's key is its primary key: each number as four bytes, highest first, so that keys sort as
 * the numbers do. A field is a column under its name in the specification; numbers are eight bytes,
 * money is in cents, rates are in hundredths of a per cent.
 */
final class TpccSchema {
  /** Marks an item or a stock entry as original. */
  static final String ORIGINAL = "ORIGINAL";

  static final byte[] FAMILY = Bytes.toBytes("f");

  private static final int NAME_BYTES = 16;

  /** A table. */
  enum Table {
    WAREHOUSE,
    DISTRICT,
    CUSTOMER,
    /** From last name, then first name, to customer. */
    CUSTOMER_BY_NAME,
    HISTORY,
    NEW_ORDER,
    ORDERS,
    /** From customer to orders, the newest first. */
    ORDERS_BY_CUSTOMER,
    ORDER_LINE,
    ITEM,
    STOCK;

    TableName tableName() {
      return TableName.valueOf("tpcc_" + name().toLowerCase(Locale.ROOT));
    }
  }

  /** A column. */
  enum Column {
    W_NAME,
    W_STREET_1,
    W_STREET_2,
    W_CITY,
    W_STATE,
    W_ZIP,
    W_TAX,
    W_YTD,
    D_NAME,
    D_STREET_1,
    D_STREET_2,
    D_CITY,
    D_STATE,
    D_ZIP,
    D_TAX,
    D_YTD,
    D_NEXT_O_ID,
    C_ID,
    C_FIRST,
    C_MIDDLE,
    C_LAST,
    C_STREET_1,
    C_STREET_2,
    C_CITY,
    C_STATE,
    C_ZIP,
    C_PHONE,
    C_SINCE,
    C_CREDIT,
    C_CREDIT_LIM,
    C_DISCOUNT,
    C_BALANCE,
    C_YTD_PAYMENT,
    C_PAYMENT_CNT,
    C_DELIVERY_CNT,
    C_DATA,
    H_D_ID,
    H_W_ID,
    H_DATE,
    H_AMOUNT,
    H_DATA,
    NO_O_ID,
    O_ID,
    O_C_ID,
    O_ENTRY_D,
    O_CARRIER_ID,
    O_OL_CNT,
    O_ALL_LOCAL,
    OL_I_ID,
    OL_SUPPLY_W_ID,
    OL_DELIVERY_D,
    OL_QUANTITY,
    OL_AMOUNT,
    OL_DIST_INFO,
    I_IM_ID,
    I_NAME,
    I_PRICE,
    I_DATA,
    S_QUANTITY,
    S_DIST_01,
    S_DIST_02,
    S_DIST_03,
    S_DIST_04,
    S_DIST_05,
    S_DIST_06,
    S_DIST_07,
    S_DIST_08,
    S_DIST_09,
    S_DIST_10,
    S_YTD,
    S_ORDER_CNT,
    S_REMOTE_CNT,
    S_DATA;

    private final byte[] bytes = Bytes.toBytes(name());

    byte[] bytes() {
      return bytes;
    }

    /** {@code S_DIST_xx} of a district. */
    static Column stockOfDistrict(int district) {
      return values()[S_DIST_01.ordinal() + district - 1];
    }
  }

  private TpccSchema() {}

  /** The key, or the beginning of a key, that consists of these numbers; none is negative. */
  static byte[] key(int... numbers) {
    ByteBuffer key = ByteBuffer.allocate(4 * numbers.length);
    for (int number : numbers) {
      key.putInt(number);
    }
    return key.array();
  }

  /** The part of a key in {@link Table#CUSTOMER_BY_NAME} that all of one last name share. */
  static byte[] nameKey(int warehouse, int district, String last) {
    return Bytes.add(key(warehouse, district), padded(last));
  }

  static byte[] nameKey(int warehouse, int district, String last, String first, int customer) {
    return Bytes.add(nameKey(warehouse, district, last), padded(first), key(customer));
  }

  /** The key in {@link Table#ORDERS_BY_CUSTOMER}: higher orders sort first. */
  static byte[] customerOrderKey(int warehouse, int district, int customer, int order) {
    return key(warehouse, district, customer, Integer.MAX_VALUE - order);
  }

  /** Zero bytes sort below all letters, so that a short name sorts before its continuations. */
  private static byte[] padded(String name) {
    return Arrays.copyOf(Bytes.toBytes(name), NAME_BYTES);
  }
}
