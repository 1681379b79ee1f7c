package io.ishbase.bench.memstore;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Table;

/** Several scripts on one table, one after the other and again, for all clients at once. */
final class InTurn implements Script {
  private final List<Script> scripts;
  private final long operations;

  /** One of those that share their rows for each prefix. */
  private final Map<String, Script> byPrefix = new LinkedHashMap<>();

  private final AtomicLong taken = new AtomicLong();

  /**
   * A script.
   *
   * @param operations of all clients together, after which the next script has its turn
   */
  InTurn(List<Script> scripts, long operations) {
    this.scripts = scripts;
    this.operations = operations;
    scripts.forEach(script -> byPrefix.putIfAbsent(script.prefix(), script));
  }

  @Override
  public String prefix() {
    return "";
  }

  @Override
  public long rows() {
    return byPrefix.values().stream().mapToLong(Script::rows).sum();
  }

  @Override
  public Put row(long number) {
    long first = 0;
    for (Script script : byPrefix.values()) {
      if (number < first + script.rows()) {
        return script.row(number - first);
      }
      first += script.rows();
    }
    throw new IndexOutOfBoundsException("row " + number + " of " + first);
  }

  @Override
  public Supplier<Operation> client(int worker) {
    List<Supplier<Operation>> clients =
        scripts.stream().map(script -> script.client(worker)).toList();
    return () -> clients.get((int) (taken.getAndIncrement() / operations % clients.size())).get();
  }

  @Override
  public void check(Table table) throws IOException {
    for (Script script : scripts) {
      script.check(table);
    }
  }
}
