package io.ishbase.bench.memstore;

import io.ishbase.bench.Keys;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.util.Bytes;

/** Wide rows of which a write changes a few columns; popular rows by Zipf's law. */
final class Documents implements Script {
  static final int COLUMNS = 50;
  static final int COLUMN_BYTES = 100;
  static final int REWRITTEN = 3;

  private final Keys keys;
  private final long documents;
  private final long seed;

  Documents(long documents, long seed) {
    this.keys = Keys.zipfian(documents);
    this.documents = documents;
    this.seed = seed;
  }

  @Override
  public String prefix() {
    return "d";
  }

  @Override
  public long rows() {
    return documents;
  }

  @Override
  public Put row(long number) {
    return put(number, IntStream.range(0, COLUMNS));
  }

  private Put put(long number, IntStream columns) {
    Put put = new Put(ScriptRows.key(prefix(), number));
    columns.forEach(
        column ->
            put.addColumn(
                ScriptRows.FAMILY,
                Bytes.toBytes("field" + column),
                ScriptRows.value(number, column, COLUMN_BYTES)));
    return put;
  }

  @Override
  public Supplier<Operation> client(int worker) {
    LongSupplier numbers =
        ScriptRows.scattered(keys.draws(ScriptRows.seed(seed, worker, 3)), documents);
    SplittableRandom random = new SplittableRandom(ScriptRows.seed(seed, worker, 4));
    return () ->
        new Operation.Write(
            put(numbers.getAsLong(), random.ints(0, COLUMNS).distinct().limit(REWRITTEN).sorted()));
  }
}
