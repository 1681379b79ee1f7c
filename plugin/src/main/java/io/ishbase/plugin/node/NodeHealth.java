package io.ishbase.plugin.node;

import io.ishbase.core.Quarantine;
import io.ishbase.core.Reason;
import io.ishbase.core.compaction.LocalReason;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.util.EnvironmentEdgeManager;

/**
 * Which storage nodes, files, filters and workers are left alone for a while because they failed,
 * and what each {@link Reason} of a failure says of whom. Thread safe.
 */
public final class NodeHealth {
  private static final long QUARANTINE_FIRST_MILLIS = 1_000;
  private static final long QUARANTINE_MAX_MILLIS = 60_000;

  private static final String WORKERS = "compactions at any worker";
  private static final long DOUBT_FIRST_MILLIS = 3_600_000;
  private static final long DOUBT_MAX_MILLIS = 24 * DOUBT_FIRST_MILLIS;

  private final Quarantine quarantine =
      new Quarantine(QUARANTINE_FIRST_MILLIS, QUARANTINE_MAX_MILLIS);
  private final Quarantine doubts = new Quarantine(DOUBT_FIRST_MILLIS, DOUBT_MAX_MILLIS);
  private final Consumer<ServerName> reconnect;

  /** Of workers, the table whose compaction failed last in a way that may be its own. */
  private final Map<String, TableName> failedTables = new ConcurrentHashMap<>();

  /**
   * @param reconnect gives up the connection to a daemon whose answers cannot be relied on
   */
  public NodeHealth(Consumer<ServerName> reconnect) {
    this.reconnect = reconnect;
  }

  /** Whether {@code name}, a node or a path, may be used now. */
  public boolean admits(String name) {
    return quarantine.admits(name, now());
  }

  /** Whether {@code name} is left alone now. Other than {@link #admits} it takes nobody's try. */
  public boolean isClosed(String name) {
    return quarantine.isClosed(name, now());
  }

  /** Takes note of a request for files at {@code paths} that was answered just now. */
  public void succeeded(StorageNode node, Supplier<List<String>> paths) {
    succeeded(node, paths, now());
  }

  /** The same of one that was answered at {@code atMillis}. */
  public void succeeded(StorageNode node, Supplier<List<String>> paths, long atMillis) {
    if (quarantine.size() > 0) {
      long now = now();
      quarantine.succeeded(node.name(), atMillis, now);
      paths.get().forEach(path -> quarantine.succeeded(path, atMillis, now));
    }
  }

  /**
   * Whether a first quarantine that began at {@code atMillis} would be over. Who only now hears of
   * a failure then knows nothing of a daemon that may have restarted since.
   */
  public boolean isPast(long atMillis) {
    return now() - atMillis >= QUARANTINE_FIRST_MILLIS;
  }

  /** Takes note of a failed request: closes the node or the files for a while. */
  public void failed(StorageNode node, List<String> paths, Reason reason) {
    long now = now();
    if (reason.isFaultOfNode()) {
      // The others whose connection this cuts fail as well, and would cut the next one.
      if (quarantine.failed(node.name(), now)) {
        reconnect.accept(node.address());
      }
    } else if (reason == Reason.BUSY) {
      // Its other requests are being worked on: the connection stays.
      quarantine.failed(node.name(), now);
    }
    if (reason.isFaultOfFile()) {
      paths.forEach(path -> quarantine.failed(path, now));
    }
  }

  /** Nobody will know how a request to {@code node} has ended. */
  public void untried(StorageNode node) {
    if (quarantine.size() > 0) {
      quarantine.untried(node.name(), now());
    }
  }

  /** Takes note that {@code node} is busy for so long; its connection stays. */
  public void busy(StorageNode node, long millis) {
    quarantine.close(node.name(), now(), millis);
  }

  /** The same of a request for files at {@code paths} that was not sent after all. */
  public void untried(StorageNode node, Supplier<List<String>> paths) {
    untried(node);
    untriedFiles(paths);
  }

  /** Of files at {@code paths} nothing is read after all. */
  public void untriedFiles(Supplier<List<String>> paths) {
    if (quarantine.size() > 0) {
      long now = now();
      paths.get().forEach(path -> quarantine.untried(path, now));
    }
  }

  /** Nobody will know whether {@code node} would have used a filter of the class. */
  public void untriedFilter(StorageNode node, String filterClass) {
    if (quarantine.size() > 0) {
      quarantine.untried(filterAt(node, filterClass), now());
    }
  }

  /** Whether {@code node} may be sent filters of the class now. */
  public boolean admitsFilter(StorageNode node, String filterClass) {
    return quarantine.size() == 0 || admits(filterAt(node, filterClass));
  }

  /** Takes note that {@code node} used a filter of the class at {@code atMillis}. */
  public void succeededFilter(StorageNode node, String filterClass, long atMillis) {
    if (quarantine.size() > 0) {
      quarantine.succeeded(filterAt(node, filterClass), atMillis, now());
    }
  }

  /** Takes note that {@code node} does not use the filter class. */
  public void failedFilter(StorageNode node, String filterClass) {
    quarantine.failed(filterAt(node, filterClass), now());
  }

  /** Whether {@code manager} may be asked now. */
  public boolean admitsManager(StorageNode manager) {
    return admits(compactionsAt(manager));
  }

  /** Takes note that {@code manager} answered, or did not. */
  public void managerAnswered(StorageNode manager, boolean failed) {
    if (failed) {
      quarantine.failed(compactionsAt(manager), now());
    } else {
      succeeded(compactionsAt(manager));
    }
  }

  /** Nobody will know whether {@code manager} would have answered. */
  public void managerUntried(StorageNode manager) {
    quarantine.untried(compactionsAt(manager), now());
  }

  /** Whether {@code worker} may be asked for compactions of {@code table} now. */
  public boolean admitsCompactions(StorageNode worker, TableName table) {
    String ofTable = compactionsAt(worker, table);
    if (!admits(ofTable)) {
      return false;
    }
    if (admits(compactionsAt(worker))) {
      return true;
    }
    quarantine.untried(ofTable, now());
    return false;
  }

  /** Whether it is not asked for them now; takes nobody's try. */
  public boolean isClosedForCompactions(StorageNode worker, TableName table) {
    return isClosed(compactionsAt(worker)) || isClosed(compactionsAt(worker, table));
  }

  /** Nobody will know whether {@code worker} would have carried out a compaction. */
  public void compactionUntried(StorageNode worker, TableName table) {
    long now = now();
    quarantine.untried(compactionsAt(worker), now);
    quarantine.untried(compactionsAt(worker, table), now);
  }

  /** Takes note that {@code worker} carried out a compaction. */
  public void compacted(StorageNode worker, TableName table) {
    failedTables.remove(worker.name());
    succeeded(compactionsAt(worker));
    succeeded(compactionsAt(worker, table));
  }

  /**
   * Takes note that {@code worker} failed to carry out a compaction. Where it may be the table that
   * no worker can do, or whose settings let it wait for less than it takes, others are not to
   * suffer: the worker is closed to them once another table failed there as well.
   */
  public void compactionFailed(StorageNode worker, TableName table, LocalReason reason) {
    if (reason.mayBeOfTable()) {
      quarantine.failed(compactionsAt(worker, table), now());
      TableName before = failedTables.put(worker.name(), table);
      if (before == null || before.equals(table)) {
        quarantine.untried(compactionsAt(worker), now());
        return;
      }
    }
    quarantine.failed(compactionsAt(worker), now());
  }

  private void succeeded(String name) {
    long now = now();
    quarantine.succeeded(name, now, now);
  }

  /**
   * Takes note that a new file of a worker's has not the cells that it should have. If that is not
   * the machine's fault but the program's, it is so at the other workers as well.
   */
  public void compactedWrongly() {
    doubts.failed(WORKERS, now());
  }

  /** Whether no worker is to compact anything now. */
  public boolean doubtsWorkers() {
    return doubts.isClosed(WORKERS, now());
  }

  /** Whether {@code node} may be asked for aggregates now. */
  public boolean admitsAggregates(StorageNode node) {
    return quarantine.size() == 0 || admits(aggregatesAt(node));
  }

  /** Nobody will know whether {@code node} would have answered an aggregate. */
  public void aggregateUntried(StorageNode node) {
    if (quarantine.size() > 0) {
      quarantine.untried(aggregatesAt(node), now());
    }
  }

  /** Takes note that {@code node} answered an aggregate, or not in time. */
  public void aggregated(StorageNode node, boolean failed) {
    if (failed) {
      quarantine.failed(aggregatesAt(node), now());
    } else if (quarantine.size() > 0) {
      succeeded(aggregatesAt(node));
    }
  }

  /** The names of all that is left alone now. */
  public SortedSet<String> quarantined() {
    SortedSet<String> closed = quarantine.closed(now());
    closed.addAll(doubts.closed(now()));
    return closed;
  }

  /** Lets all that failed be tried again; what compacted wrongly is another thing. */
  public void forgetFailures() {
    quarantine.clear();
    failedTables.clear();
  }

  /** Lets workers compact again that did so wrongly. */
  public void forgetDoubts() {
    doubts.clear();
  }

  /** Forgets failures of what nobody has tried for a long time. */
  void forgetOld() {
    long now = now();
    quarantine.forget(now);
    doubts.forget(now);
  }

  private static long now() {
    return EnvironmentEdgeManager.currentTime();
  }

  private static String compactionsAt(StorageNode node) {
    return "compactions at " + node.name();
  }

  private static String compactionsAt(StorageNode node, TableName table) {
    return "compactions of " + table + " at " + node.name();
  }

  private static String aggregatesAt(StorageNode node) {
    return "aggregates at " + node.name();
  }

  private static String filterAt(StorageNode node, String filterClass) {
    return filterClass + " at " + node.name();
  }
}
