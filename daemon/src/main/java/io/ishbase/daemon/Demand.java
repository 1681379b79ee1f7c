package io.ishbase.daemon;

import io.ishbase.protocol.generated.IssnProtos.ReadResponse;
import io.ishbase.protocol.rpc.AuditLog;
import java.net.InetAddress;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.apache.hadoop.hbase.ipc.RpcServer;

/**
 * Who asked for what in the last one or two minutes. Callers could invent names without end, so
 * those beyond a bound are counted together. Thread safe.
 */
final class Demand {
  static final int MOST = 500;

  private static final int MAX_TEXT = 200;
  private static final Asker OTHERS = new Asker("(others)", "", "", "");

  private volatile Map<Asker, Sum> before = Map.of();
  private volatile Map<Asker, Sum> now = new ConcurrentHashMap<>();

  /** Somebody who wants something. */
  record Asker(String user, String address, String operation, String table) {}

  /** What somebody got. */
  record Got(Asker asker, long answers, long cells, long bytes, double meanMillis) {}

  private static final class Sum {
    private final LongAdder answers = new LongAdder();
    private final LongAdder cells = new LongAdder();
    private final LongAdder bytes = new LongAdder();
    private final LongAdder nanos = new LongAdder();

    void add(Sum other) {
      answers.add(other.answers.sum());
      cells.add(other.cells.sum());
      bytes.add(other.bytes.sum());
      nanos.add(other.nanos.sum());
    }
  }

  /** The caller whom this thread answers got an answer about a store's directory. */
  void answered(String operation, String directory, ReadResponse response, long nanos) {
    Asker asker =
        new Asker(
            bounded(RpcServer.getRequestUserName().orElse("-")),
            RpcServer.getRemoteAddress().map(InetAddress::getHostAddress).orElse("-"),
            operation,
            bounded(AuditLog.tableOf(directory)));
    answered(asker, response.getCellCount(), response.getCells().size(), nanos);
  }

  void answered(Asker asker, long cells, long bytes, long nanos) {
    Map<Asker, Sum> sums = now;
    Sum sum = sums.get(asker);
    if (sum == null) {
      sum = sums.computeIfAbsent(sums.size() < MOST ? asker : OTHERS, key -> new Sum());
    }
    sum.answers.increment();
    sum.cells.add(cells);
    sum.bytes.add(bytes);
    sum.nanos.add(nanos);
  }

  private static String bounded(String text) {
    return text.length() > MAX_TEXT ? text.substring(0, MAX_TEXT) + "…" : text;
  }

  /** Forgets what was before the last minute; to be called once a minute. */
  void turn() {
    before = now;
    now = new ConcurrentHashMap<>();
  }

  /** Who got most bytes stands first. */
  List<Got> all() {
    Map<Asker, Sum> sums = new HashMap<>();
    for (Map<Asker, Sum> minute : List.of(before, now)) {
      minute.forEach((asker, sum) -> sums.computeIfAbsent(asker, key -> new Sum()).add(sum));
    }
    return sums.entrySet().stream()
        .map(
            entry -> {
              Sum sum = entry.getValue();
              long answers = sum.answers.sum();
              return new Got(
                  entry.getKey(),
                  answers,
                  sum.cells.sum(),
                  sum.bytes.sum(),
                  sum.nanos.sum() / 1e6 / Math.max(1, answers));
            })
        .sorted(Comparator.comparingLong((Got got) -> -got.bytes()).thenComparing(Got::toString))
        .toList();
  }
}
