package io.ishbase.dist.chaos;

import io.ishbase.cluster.Mode;
import io.ishbase.cluster.Tables;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.io.encoding.DataBlockEncoding;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.util.Bytes;
import org.jspecify.annotations.Nullable;

/** The table whose rows are watched: rows in two families, which each put writes together. */
final class ChaosTable {
  static final TableName NAME = TableName.valueOf("chaos");

  private static final byte[] PLAIN = Bytes.toBytes("p");
  private static final byte[] ENCODED = Bytes.toBytes("e");
  private static final byte[] VALUE = Bytes.toBytes("value");
  private static final byte[] COUNT = Bytes.toBytes("count");
  private static final byte[] TEXT = Bytes.toBytes("text");
  private static final long FLUSH_BYTES = 2 << 20;
  private static final int BLOCK_BYTES = 4 << 10;

  /** Longer than any run, shorter than a clock is off: who goes by that clock loses cells. */
  private static final int SECONDS_TO_LIVE = (int) Fault.CLOCK_OFF.toSeconds() * 2 / 3;

  private static final List<String> SPLITS = List.of("4", "8", "c");

  /** A row of which a reader saw one half of a put. */
  static final class TornRowException extends IOException {
    private static final long serialVersionUID = 1;

    TornRowException(Result result) {
      super("Half of a put: " + result);
    }
  }

  private ChaosTable() {}

  static void create(Connection connection) throws IOException {
    TableDescriptor table =
        TableDescriptorBuilder.newBuilder(NAME)
            .setMemStoreFlushSize(FLUSH_BYTES)
            .setColumnFamily(
                ColumnFamilyDescriptorBuilder.newBuilder(PLAIN).setBlocksize(BLOCK_BYTES).build())
            .setColumnFamily(
                ColumnFamilyDescriptorBuilder.newBuilder(ENCODED)
                    .setBlocksize(BLOCK_BYTES)
                    .setBloomFilterType(BloomType.ROWCOL)
                    .setDataBlockEncoding(DataBlockEncoding.FAST_DIFF)
                    .setTimeToLive(SECONDS_TO_LIVE)
                    .setConfiguration("ishbase.memstore", "auto")
                    .build())
            .build();
    Tables.recreate(connection, table, SPLITS.stream().map(Bytes::toBytes).toArray(byte[][]::new));
  }

  static Get get(String row, Mode mode) {
    return mode.on(new Get(Bytes.toBytes(row)));
  }

  static Put put(String row, String value) {
    byte[] bytes = Bytes.toBytes(value);
    return new Put(Bytes.toBytes(row))
        .addColumn(PLAIN, VALUE, bytes)
        .addColumn(ENCODED, VALUE, bytes);
  }

  static CheckAndMutate checkAndPut(String row, @Nullable String expected, String value) {
    CheckAndMutate.Builder check = CheckAndMutate.newBuilder(Bytes.toBytes(row));
    return (expected == null
            ? check.ifNotExists(ENCODED, VALUE)
            : check.ifEquals(ENCODED, VALUE, Bytes.toBytes(expected)))
        .build(put(row, value));
  }

  static Increment increment(String row) {
    return new Increment(Bytes.toBytes(row)).addColumn(PLAIN, COUNT, 1);
  }

  static Append append(String row, String text) {
    return new Append(Bytes.toBytes(row)).addColumn(ENCODED, TEXT, Bytes.toBytes(text));
  }

  static Delete delete(String row) {
    return new Delete(Bytes.toBytes(row));
  }

  static long count(Result result) {
    byte[] count = result.getValue(PLAIN, COUNT);
    return count == null ? 0 : Bytes.toLong(count);
  }

  static String text(Result result) {
    byte[] text = result.getValue(ENCODED, TEXT);
    return text == null ? "" : Bytes.toString(text);
  }

  /**
   * What a read found.
   *
   * @throws TornRowException if it found one half of a put
   */
  static RowState state(Result result) throws TornRowException {
    byte[] value = result.getValue(PLAIN, VALUE);
    if (!Bytes.equals(value, result.getValue(ENCODED, VALUE))) {
      throw new TornRowException(result);
    }
    return new RowState(Bytes.toString(value), count(result), text(result));
  }
}
