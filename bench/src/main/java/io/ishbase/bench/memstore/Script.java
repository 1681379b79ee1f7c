package io.ishbase.bench.memstore;

import java.io.IOException;
import java.util.function.Supplier;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Table;

/**
 * What clients do to rows of one kind, in a table with the family {@link ScriptRows#FAMILY}. A
 * client's operations follow from the seed and its number alone. For one table, and one load of it:
 * a script may remember what its clients did.
 */
public interface Script {
  /** What keys of its rows begin with: scripts with the same prefix share their rows. */
  String prefix();

  /** How many rows the table is to hold before; they are numbered from 0. */
  long rows();

  /** The Put of one of these. */
  Put row(long number);

  /**
   * The operations of a client, without an end; each that was taken is carried out before the next.
   *
   * @param worker its number, from 0; no other client of this script has it
   */
  Supplier<Operation> client(int worker);

  /**
   * Compares what is in the table with what the clients' operations must have left there.
   *
   * @throws IOException if it differs
   */
  default void check(Table table) throws IOException {}
}
