package io.ishbase.bench.memstore;

import io.ishbase.bench.Moved;
import io.ishbase.bench.Tally;
import io.ishbase.cluster.Mode;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;

/** One operation of a client on one row. */
public sealed interface Operation {
  /** The kind of operations that read, as a {@link Tally} calls it. */
  String READ = "read";

  /** The kind of operations that write. */
  String WRITE = "write";

  /** The row. */
  byte[] key();

  /**
   * Does it, and says in {@code tally} what it moved.
   *
   * @throws IOException if it failed, or what was read is not what must be there
   */
  void run(Table table, Tally tally) throws IOException;

  /** Writes a row. */
  record Write(Put put) implements Operation {
    @Override
    public byte[] key() {
      return put.getRow();
    }

    @Override
    public void run(Table table, Tally tally) throws IOException {
      tally.kind(WRITE);
      table.put(put);
      tally.wrote(Moved.of(put));
    }
  }

  /** Adds to a counter. */
  record Count(Increment increment) implements Operation {
    @Override
    public byte[] key() {
      return increment.getRow();
    }

    @Override
    public void run(Table table, Tally tally) throws IOException {
      tally.kind(WRITE);
      table.increment(increment);
      tally.wrote(Moved.of(increment));
    }
  }

  /** Deletes a row: a write without a byte of the user's. */
  record Remove(byte[] key) implements Operation {
    private static final Moved NO_BYTES = new Moved(1, 0, 0);

    @Override
    public void run(Table table, Tally tally) throws IOException {
      tally.kind(WRITE);
      table.delete(new Delete(key));
      tally.wrote(NO_BYTES);
    }
  }

  /**
   * Reads a row and compares it.
   *
   * @param expected what wrote it
   */
  record Read(Put expected) implements Operation {
    @Override
    public byte[] key() {
      return expected.getRow();
    }

    @Override
    public void run(Table table, Tally tally) throws IOException {
      tally.kind(READ);
      Result result = table.get(Mode.STOCK.on(new Get(key())));
      for (List<Cell> cells : expected.getFamilyCellMap().values()) {
        for (Cell cell : cells) {
          byte[] value = result.getValue(CellUtil.cloneFamily(cell), CellUtil.cloneQualifier(cell));
          if (!Arrays.equals(value, CellUtil.cloneValue(cell))) {
            throw new IOException("row " + Bytes.toString(key()) + " is missing or wrong");
          }
        }
      }
      tally.read(Moved.of(result));
    }
  }
}
