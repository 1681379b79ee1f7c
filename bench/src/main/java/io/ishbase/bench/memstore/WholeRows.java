package io.ishbase.bench.memstore;

import io.ishbase.bench.Keys;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.util.Bytes;

/** Rows of one value, written whole again and again; as often read, if they are read at all. */
final class WholeRows implements Script {
  private static final byte[] COLUMN = Bytes.toBytes("v");

  private final Keys keys;
  private final long rows;
  private final int valueBytes;
  private final boolean read;
  private final long seed;

  /**
   * A script.
   *
   * @param distribution of the rows, uniform or zipfian
   * @param read whether each write is followed by a read of another row
   */
  WholeRows(String distribution, boolean read, long rows, int valueBytes, long seed) {
    this.keys = Keys.of(distribution, rows);
    this.rows = rows;
    this.valueBytes = valueBytes;
    this.read = read;
    this.seed = seed;
  }

  @Override
  public String prefix() {
    return "r";
  }

  @Override
  public long rows() {
    return rows;
  }

  /** Always the same of a row, so that whoever reads it knows its value. */
  @Override
  public Put row(long number) {
    return new Put(ScriptRows.key(prefix(), number))
        .addColumn(ScriptRows.FAMILY, COLUMN, ScriptRows.value(number, 0, valueBytes));
  }

  @Override
  public Supplier<Operation> client(int worker) {
    LongSupplier numbers = ScriptRows.scattered(keys.draws(ScriptRows.seed(seed, worker, 0)), rows);
    return new Supplier<>() {
      private boolean reads;

      @Override
      public Operation get() {
        Put put = row(numbers.getAsLong());
        Operation next = reads ? new Operation.Read(put) : new Operation.Write(put);
        reads = read && !reads;
        return next;
      }
    };
  }
}
