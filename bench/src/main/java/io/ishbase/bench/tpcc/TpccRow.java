package io.ishbase.bench.tpcc;

import io.ishbase.bench.tpcc.TpccSchema.Column;
import java.io.IOException;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.util.Bytes;

/** A row as read. */
record TpccRow(Result result) {

  boolean isMissing() {
    return result.isEmpty();
  }

  byte[] key() {
    return result.getRow();
  }

  /** The {@code index}-th number of the key, from 0. */
  int keyNumber(int index) {
    return Bytes.toInt(result.getRow(), 4 * index);
  }

  /**
   * A number.
   *
   * @throws IOException if the row lacks it
   */
  long number(Column column) throws IOException {
    return Bytes.toLong(value(column));
  }

  /**
   * A text.
   *
   * @throws IOException if the row lacks it
   */
  String text(Column column) throws IOException {
    return Bytes.toString(value(column));
  }

  private byte[] value(Column column) throws IOException {
    byte[] value = result.getValue(TpccSchema.FAMILY, column.bytes());
    if (value == null) {
      throw new IOException("TPC-C: " + Bytes.toStringBinary(key()) + " lacks " + column);
    }
    return value;
  }

  /** Columns to write to a row. */
  static final class Writer {
    private final Put put;

    Writer(byte[] key) {
      put = new Put(key);
    }

    Writer set(Column column, long number) {
      put.addColumn(TpccSchema.FAMILY, column.bytes(), Bytes.toBytes(number));
      return this;
    }

    Writer set(Column column, String text) {
      put.addColumn(TpccSchema.FAMILY, column.bytes(), Bytes.toBytes(text));
      return this;
    }

    Put put() {
      return put;
    }
  }
}
