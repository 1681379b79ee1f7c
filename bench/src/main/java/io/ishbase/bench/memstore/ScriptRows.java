package io.ishbase.bench.memstore;

import java.io.IOException;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;

/** Keys and values of the rows of scripts. */
public final class ScriptRows {
  /** The only family. */
  public static final byte[] FAMILY = Bytes.toBytes("f");

  private static final int READ_AT_ONCE = 1000;

  /** A prime above any number of rows. */
  private static final long SCATTER = 2_147_483_647L;

  /** Looks at a row. */
  @FunctionalInterface
  interface Look {
    void at(Result row) throws IOException;
  }

  private ScriptRows() {}

  static byte[] key(String prefix, long number) {
    return Bytes.toBytes(String.format(Locale.ROOT, "%s%010d", prefix, number));
  }

  /** A value that follows from its row's number and its column's. */
  static byte[] value(long row, int column, int bytes) {
    byte[] value = new byte[bytes];
    new SplittableRandom(1009 * row + column).nextBytes(value);
    return value;
  }

  /** Numbers of rows from ranks: popular rows do not lie together. */
  static LongSupplier scattered(LongSupplier ranks, long rows) {
    return () -> ranks.getAsLong() * SCATTER % rows;
  }

  /** The seed of one of the random sequences of a worker. */
  static long seed(long seed, int worker, int sequence) {
    return (seed * 1000 + worker) * 16 + sequence;
  }

  /** Looks at all rows whose key begins with {@code prefix}, in the order of their keys. */
  static void scan(Table table, String prefix, Look look) throws IOException {
    Scan scan = new Scan().setStartStopRowForPrefixScan(Bytes.toBytes(prefix));
    try (ResultScanner rows = table.getScanner(scan.setCaching(READ_AT_ONCE))) {
      for (Result row : rows) {
        look.at(row);
      }
    }
  }
}
