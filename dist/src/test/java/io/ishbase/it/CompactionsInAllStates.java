package io.ishbase.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.plugin.node.StorageNode;
import io.ishbase.plugin.node.StorageNodes;
import io.ishbase.plugin.node.WorkerClient;
import io.ishbase.protocol.Protocol;
import io.ishbase.protocol.generated.CompactionProtos.Attempt;
import io.ishbase.protocol.generated.CompactionProtos.CompactionState;
import io.ishbase.protocol.generated.CompactionProtos.WorkRequest;
import io.ishbase.testing.Seed;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.storefiletracker.StoreFileTrackerFactory;

/**
 * A table in each state of a compaction, all at once, for a fault to meet. Those at work are held
 * by the rate that their region server allows: they wait before a cell for which it takes long.
 */
final class CompactionsInAllStates {
  /** As many as are at work at once. */
  static final int SLOTS = 3;

  private static final int BYTES_PER_SECOND = 20_000;

  /** Minutes at that rate: none is over before it is let go. */
  private static final int LARGE_BYTES = 4_500_000;

  /** How far a compaction is. */
  enum State {
    /** There is none. It begins after the fault. */
    IDLE,
    /** It waits for a slot. */
    QUEUED,
    /** The worker has written nothing yet. */
    BEGUN,
    /** Half of the cells are written. */
    COMPACTING,
    /** All cells but the last are written, and the file is open. */
    LAST_BLOCK,
    /** The worker is done; the region server does not know yet. */
    NOT_TOLD,
    /** The region server has taken the result; HBase has not committed it. */
    NOT_COMMITTED
  }

  private final MiniCluster cluster;
  private final long seed = Seed.get();
  private final Map<State, CompactedTable> tables = new ConcurrentHashMap<>();
  private final Map<State, SteeredCompactor.Steering> steerings = new EnumMap<>(State.class);

  /** What {@link #begin} needs of a cluster. */
  static void configure(Configuration conf) {
    CompactionDifferentialTest.offload(conf);
    conf.set("hbase.hstore.defaultengine.compactor.class", SteeredCompactor.class.getName());
    for (String pool : new String[] {"small", "large"}) {
      conf.setInt("hbase.regionserver.thread.compaction." + pool, State.values().length);
    }
    conf.setInt("ishbase.compaction.patience", 60_000);
    conf.setInt("ishbase.issn.compactions", SLOTS);
  }

  /**
   * @param leaseMillis of the one whose region server does not ask for as long as the test needs to
   *     come to the fault
   */
  CompactionsInAllStates(MiniCluster cluster, int leaseMillis) throws IOException {
    this.cluster = cluster;
    Arrays.stream(State.values()).parallel().forEach(state -> tables.put(state, make(state)));
    Admin admin = cluster.util.getAdmin();
    admin.modifyTable(
        TableDescriptorBuilder.newBuilder(admin.getDescriptor(table(State.NOT_TOLD).name()))
            .setValue("ishbase.compaction.lease", String.valueOf(leaseMillis))
            .build());
  }

  private CompactedTable make(State state) {
    try {
      return switch (state) {
        case BEGUN -> table(state, 20, 0);
        case COMPACTING -> table(state, 200, 100);
        case LAST_BLOCK -> table(state, 200, 199);
        default -> new CompactedTable(cluster, name(state), 100, tracker(state));
      };
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private CompactedTable table(State state, int rows, int largeRow) throws IOException {
    return new CompactedTable(cluster, name(state), rows, largeRow, LARGE_BYTES, tracker(state));
  }

  /** HBase's file trackers write to different places; each run draws anew who has which. */
  private Map<String, String> tracker(State state) {
    boolean keepsList = (seed >> state.ordinal() & 1) == 1;
    return Map.of(StoreFileTrackerFactory.TRACKER_IMPL, keepsList ? "FILE" : "DEFAULT");
  }

  private static String name(State state) {
    return "state-" + state.name().toLowerCase(java.util.Locale.ROOT);
  }

  private StorageNodes nodes() {
    return StorageNodes.of(cluster.util.getConfiguration());
  }

  CompactedTable table(State state) {
    return tables.get(state);
  }

  /** Begins one after the other; returns when each is in its state. */
  void begin() throws Exception {
    nodes().health().forgetFailures();
    tables.values().parallelStream().forEach(CompactionsInAllStates::change);
    request(State.NOT_COMMITTED, SteeredCompactor.Place.BEFORE_COMMIT);
    awaitPlace(State.NOT_COMMITTED, SteeredCompactor.Place.BEFORE_COMMIT);
    request(State.COMPACTING, null);
    request(State.LAST_BLOCK, null);
    tables.get(State.COMPACTING).awaitProgress(0.4);
    tables.get(State.LAST_BLOCK).awaitProgress(0.9);
    request(State.NOT_TOLD, SteeredCompactor.Place.BEFORE_QUESTION);
    MiniCluster.await(
        "a result of which nobody knows",
        () ->
            attempts().stream()
                .anyMatch(
                    attempt ->
                        attempt.getStore().startsWith(name(State.NOT_TOLD) + "/")
                            && attempt.getProgress().getState() == CompactionState.DONE));
    request(State.BEGUN, null);
    MiniCluster.await(
        "all slots to be taken",
        () -> {
          List<StorageNode> workers = nodes().live();
          return workers.size() == 1 && workers.get(0).worker().running() == SLOTS;
        });
    request(State.QUEUED, null);
    awaitPlace(State.QUEUED, SteeredCompactor.Place.BEGUN);
  }

  private static void change(CompactedTable table) {
    try {
      table.change();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    assertThat(table.store().getStorefilesCount()).isGreaterThan(1);
  }

  private void request(State state, SteeredCompactor.Place held) throws IOException {
    SteeredCompactor.Steering steering =
        new SteeredCompactor.Steering(held, held == null ? BYTES_PER_SECOND : 0);
    steerings.put(state, steering);
    SteeredCompactor.steer(tables.get(state).name(), steering);
    tables.get(state).requestMajorCompaction();
  }

  private void awaitPlace(State state, SteeredCompactor.Place place) {
    MiniCluster.await(state + " at " + place, () -> steerings.get(state).hasReached(place));
  }

  /** What the only worker says that it is at. */
  private List<Attempt> attempts() {
    StorageNode worker = nodes().live().get(0);
    try {
      return new WorkerClient(nodes().client(), worker.address())
          .work(WorkRequest.newBuilder().setVersion(Protocol.VERSION).build())
          .get()
          .getAttemptList();
    } catch (InterruptedException | ExecutionException e) {
      throw new AssertionError(e);
    }
  }

  /** Lets all go on as fast as they can. */
  void letGo() {
    steerings.values().forEach(SteeredCompactor.Steering::letGo);
  }

  /** Holds the region server's threads where they are. */
  void halt() {
    steerings.values().forEach(SteeredCompactor.Steering::halt);
  }

  /** Ends the region server's threads where they are. */
  void die() {
    steerings.values().forEach(SteeredCompactor.Steering::die);
    steerings.clear();
  }

  /** Lets all go on; they come to their end without being asked for again. */
  void assertDone() throws Exception {
    letGo();
    request(State.IDLE, null);
    steerings.get(State.IDLE).letGo();
    assertCompacted();
  }

  /** The region server is gone, and what it was at: all are asked for again. */
  void assertDoneOnceAskedAgain() throws Exception {
    check();
    for (State state : State.values()) {
      request(state, null);
    }
    letGo();
    assertCompacted();
  }

  private void assertCompacted() throws Exception {
    for (CompactedTable table : tables.values()) {
      table.awaitCompacted();
    }
    check();
    assertNothingIsLeft();
  }

  /** No cell is lost or doubled. */
  void check() throws IOException {
    for (CompactedTable table : tables.values()) {
      table.check();
    }
  }

  /** No attempt and no temporary file. */
  void assertNothingIsLeft() {
    for (CompactedTable table : tables.values()) {
      MiniCluster.await("attempts at " + table.name(), () -> table.attempts() == 0);
      // One that is about to be committed may be there for a moment.
      MiniCluster.await("temporary files", () -> table.temporaryFiles().isEmpty());
    }
  }

  /**
   * Closes all stores, lets go what is held once they are closing, and opens them again; how long
   * the closing took, in ms.
   */
  long reopen() throws Exception {
    Admin admin = cluster.util.getAdmin();
    List<HStore> stores = tables.values().stream().map(CompactedTable::store).toList();
    List<Future<Void>> disabled = new ArrayList<>();
    for (CompactedTable table : tables.values()) {
      disabled.add(admin.disableTableAsync(table.name()));
    }
    MiniCluster.await(
        "the stores to begin closing", () -> stores.stream().noneMatch(HStore::areWritesEnabled));
    long start = System.nanoTime();
    letGo();
    for (Future<Void> future : disabled) {
      future.get();
    }
    long nanos = System.nanoTime() - start;
    for (CompactedTable table : tables.values()) {
      admin.enableTable(table.name());
    }
    return nanos / 1_000_000;
  }
}
