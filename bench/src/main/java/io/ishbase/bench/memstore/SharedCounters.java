package io.ishbase.bench.memstore;

import io.ishbase.bench.Keys;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;

/** Counters that all clients add one to, popular ones by Zipf's law. */
final class SharedCounters implements Script {
  private static final byte[] COLUMN = Bytes.toBytes("n");

  private final Keys keys;
  private final AtomicLongArray counts;
  private final long seed;

  SharedCounters(int counters, long seed) {
    this.keys = Keys.zipfian(counters);
    this.counts = new AtomicLongArray(counters);
    this.seed = seed;
  }

  @Override
  public String prefix() {
    return "c";
  }

  @Override
  public long rows() {
    return 0;
  }

  @Override
  public Put row(long number) {
    throw new IndexOutOfBoundsException("counters are there when they have counted");
  }

  @Override
  public Supplier<Operation> client(int worker) {
    LongSupplier numbers =
        ScriptRows.scattered(keys.draws(ScriptRows.seed(seed, worker, 2)), counts.length());
    return () -> {
      int number = (int) numbers.getAsLong();
      counts.incrementAndGet(number);
      return new Operation.Count(
          new Increment(ScriptRows.key(prefix(), number))
              .addColumn(ScriptRows.FAMILY, COLUMN, 1)
              .setReturnResults(false));
    };
  }

  @Override
  public void check(Table table) throws IOException {
    long[] found = new long[counts.length()];
    ScriptRows.scan(
        table,
        prefix(),
        row -> {
          String key = Bytes.toString(row.getRow());
          found[Integer.parseInt(key.substring(prefix().length()))] =
              Bytes.toLong(row.getValue(ScriptRows.FAMILY, COLUMN));
        });
    for (int number = 0; number < found.length; number++) {
      if (found[number] != counts.get(number)) {
        throw new IOException(
            String.format(
                "counter %d is %d after %d increments", number, found[number], counts.get(number)));
      }
    }
  }
}
