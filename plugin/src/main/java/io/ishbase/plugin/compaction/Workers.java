package io.ishbase.plugin.compaction;

import io.ishbase.core.compaction.LocalReason;
import io.ishbase.core.compaction.Patience;
import io.ishbase.core.compaction.Placement;
import io.ishbase.core.compaction.Worker;
import io.ishbase.plugin.hbase.DataFiles;
import io.ishbase.plugin.node.ManagerClient;
import io.ishbase.plugin.node.StorageNode;
import io.ishbase.plugin.node.StorageNodes;
import io.ishbase.plugin.node.WaitBudget;
import io.ishbase.plugin.settings.StoreSettings;
import io.ishbase.protocol.generated.CompactionProtos.PlaceRequest;
import io.ishbase.protocol.generated.CompactionProtos.PlaceResponse;
import io.ishbase.protocol.generated.IssnProtos.Code;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionRequestImpl;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Who shall carry out one compaction: who the manager says or, when it does not answer, who is best
 * by what the workers last said of themselves.
 */
final class Workers {
  private static final Logger LOG = LoggerFactory.getLogger(Workers.class);
  private static final long ASK_AGAIN_MILLIS = 500;

  /** The same in each question: a promise that the worker refused ends with the next one. */
  private final String ticket = UUID.randomUUID().toString();

  private final StorageNodes nodes;
  private final HStore store;
  private final long bytes;

  /** By the data-transfer address of a DataNode: bytes of the files that lie whole there. */
  private final Map<String, Long> held = new HashMap<>();

  private final Patience patience = new Patience(System::nanoTime);
  private final Pressure pressure;
  private final double fill;
  private final double deletes;

  Workers(StorageNodes nodes, HStore store, CompactionRequestImpl request, Pressure pressure) {
    this.nodes = nodes;
    this.store = store;
    this.bytes = request.getSize();
    this.pressure = pressure;
    long markers = 0;
    long cells = 0;
    WaitBudget budget = new WaitBudget();
    for (HStoreFile file : request.getFiles()) {
      for (String dataNode : nodes.locations().holders(store.getFileSystem(), data(file), budget)) {
        held.merge(dataNode, file.getReader().length(), Long::sum);
      }
      markers += Math.max(0, file.getReader().getDeleteFamilyCnt());
      cells += file.getReader().getEntries();
    }
    this.deletes = cells == 0 ? 0 : (double) markers / cells;
    this.fill = (double) store.getStorefilesCount() / Pressure.blockingFiles(store);
  }

  private Path data(HStoreFile file) {
    try {
      return DataFiles.target(
          store.getHRegion().getReadOnlyConfiguration(), store.getFileSystem(), file.getPath());
    } catch (IOException e) {
      LOG.debug("Where the cells of {} lie is not known", file, e);
      return file.getPath();
    }
  }

  /**
   * The best first; empty if none is free, nor likely to be soon.
   *
   * @throws java.io.InterruptedIOException if the store closes or the thread is interrupted
   *     meanwhile
   */
  List<StorageNode> ranked() throws IOException {
    while (true) {
      Map<String, StorageNode> admitted = new HashMap<>();
      Set<String> avoided = new HashSet<>();
      Set<StorageNode> answering = Set.copyOf(nodes.answering());
      for (StorageNode node : nodes.live()) {
        if (node.worker().slots() > 0 && !node.worker().draining()) {
          // The manager may hear of a worker that this region server does not reach.
          if (!answering.contains(node)
              || nodes.health().isClosedForCompactions(node, store.getTableName())) {
            avoided.add(node.name());
          } else {
            admitted.put(node.name(), node);
          }
        }
      }
      if (admitted.isEmpty()) {
        return List.of();
      }
      boolean isLast = !isPatient();
      List<StorageNode> ranked = askManager(admitted, avoided, isLast);
      if (ranked == null) {
        ranked = ownRanking(admitted);
      }
      if (!ranked.isEmpty() || isLast) {
        return ranked;
      }
      StoreWait.pause(ASK_AGAIN_MILLIS, store);
    }
  }

  private boolean isPatient() {
    long millis = StoreSettings.of(store).compactionPatienceMillis();
    return patience.isLeft(millis, fill, pressure.blocksWrites());
  }

  /**
   * Waits for a moment, if there is patience left for it.
   *
   * @return whether there was
   * @throws java.io.InterruptedIOException if the store closes or the thread is interrupted
   */
  boolean mayWait() throws IOException {
    if (!isPatient()) {
      return false;
    }
    StoreWait.pause(ASK_AGAIN_MILLIS, store);
    return true;
  }

  /** Null: the manager is not there, does not answer, or knows none that is reached. */
  private @Nullable List<StorageNode> askManager(
      Map<String, StorageNode> admitted, Set<String> avoided, boolean isLast) throws IOException {
    StorageNode manager = nodes.manager().orElse(null);
    if (manager == null) {
      return null;
    }
    PlaceRequest request =
        PlaceQuestion.of(
            ticket, Offload.named(store), bytes, heldBy(admitted), avoided, fill, deletes, isLast);
    try {
      PlaceResponse answer =
          StoreWait.await(
              new ManagerClient(nodes.client(), manager.address()).place(request), store);
      if (answer.getCode() == Code.OK) {
        nodes.health().managerAnswered(manager, false);
        List<StorageNode> named =
            answer.getWorkerList().stream().map(admitted::get).filter(Objects::nonNull).toList();
        // It was told of a few of those that are not reached from here, and may name others.
        return named.isEmpty() && answer.getWorkerCount() > 0 ? null : named;
      }
      LOG.warn("The compaction manager {} refuses: {}", manager.name(), answer.getMessage());
    } catch (OffloadException e) {
      LOG.info("The compaction manager {} does not answer: {}", manager.name(), e.toString());
      if (e.reason() != LocalReason.BUSY) {
        // Not without need: the questions of other stores would fail with the connection.
        nodes.client().reconnectControl(manager.address());
      }
    } catch (InterruptedIOException e) {
      nodes.health().managerUntried(manager);
      throw e;
    }
    nodes.health().managerAnswered(manager, true);
    return null;
  }

  private List<StorageNode> ownRanking(Map<String, StorageNode> admitted) {
    List<Worker> workers = admitted.values().stream().map(StorageNode::worker).toList();
    return new Placement(StoreSettings.of(store).compactionNetworkBytes())
        .rank(workers, bytes, heldBy(admitted)).stream()
            .map(Worker::name)
            .map(admitted::get)
            .toList();
  }

  private Map<String, Long> heldBy(Map<String, StorageNode> workers) {
    Map<String, Long> byWorker = new HashMap<>();
    workers.forEach(
        (name, node) -> {
          Long bytesThere = held.getOrDefault(node.dataNodeIp(), held.get(node.dataNode()));
          if (bytesThere != null) {
            byWorker.put(name, bytesThere);
          }
        });
    return byWorker;
  }
}
