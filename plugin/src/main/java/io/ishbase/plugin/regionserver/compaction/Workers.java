package io.ishbase.plugin.regionserver.compaction;

import io.ishbase.core.Setting;
import io.ishbase.core.compaction.Placement;
import io.ishbase.core.compaction.Worker;
import io.ishbase.plugin.regionserver.StorageNode;
import io.ishbase.plugin.regionserver.StorageNodes;
import io.ishbase.protocol.Protocol;
import io.ishbase.protocol.generated.CompactionProtos.Held;
import io.ishbase.protocol.generated.CompactionProtos.PlaceRequest;
import io.ishbase.protocol.generated.CompactionProtos.PlaceResponse;
import io.ishbase.protocol.generated.IssnProtos.Code;
import java.io.InterruptedIOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionRequestImpl;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Who shall carry out one compaction: who the manager says or, when it does not answer, who is best
 * by what the workers last said of themselves.
 */
final class Workers {
  private static final Logger LOG = LoggerFactory.getLogger(Workers.class);
  private static final long ASK_AGAIN_MILLIS = 500;
  private static final int DEFAULT_BLOCKING_FILES = 16;

  private final StorageNodes nodes;
  private final HStore store;
  private final Configuration conf;
  private final long bytes;
  private final Map<String, StorageNode> admitted;
  private final Map<String, Long> held = new HashMap<>();
  private final double pressure;
  private final double deletes;

  Workers(StorageNodes nodes, HStore store, Configuration conf, CompactionRequestImpl request) {
    this.nodes = nodes;
    this.store = store;
    this.conf = conf;
    this.bytes = request.getSize();
    this.admitted =
        nodes.live().stream()
            .filter(nodes::admitsCompactions)
            .collect(Collectors.toMap(StorageNode::name, Function.identity()));
    long markers = 0;
    long cells = 0;
    for (HStoreFile file : request.getFiles()) {
      List<String> holders = nodes.holders(store.getFileSystem(), file.getPath());
      for (StorageNode node : admitted.values()) {
        if (holders.contains(node.dataNodeIp())) {
          held.merge(node.name(), file.getReader().length(), Long::sum);
        }
      }
      markers += Math.max(0, file.getReader().getDeleteFamilyCnt());
      cells += file.getReader().getEntries();
    }
    this.deletes = cells == 0 ? 0 : (double) markers / cells;
    this.pressure =
        (double) store.getStorefilesCount()
            / conf.getInt(HStore.BLOCKING_STOREFILES_KEY, DEFAULT_BLOCKING_FILES);
  }

  /**
   * The best first; empty if none is free.
   *
   * @throws InterruptedIOException if the store closes or the thread is interrupted meanwhile
   */
  List<StorageNode> ranked() throws InterruptedIOException {
    if (admitted.isEmpty()) {
      return List.of();
    }
    String ticket = UUID.randomUUID().toString();
    long patience =
        pressure >= 1
            ? 0
            : TimeUnit.MILLISECONDS.toNanos(Setting.COMPACTION_PATIENCE.integer(conf::get));
    long start = System.nanoTime();
    while (true) {
      List<StorageNode> ranked = askManager(ticket);
      if (ranked == null) {
        ranked = ownRanking();
      }
      if (!ranked.isEmpty() || System.nanoTime() - start >= patience) {
        return ranked;
      }
      pause();
    }
  }

  /** Null: the manager is not there, or does not answer. */
  private List<StorageNode> askManager(String ticket) throws InterruptedIOException {
    StorageNode manager = nodes.manager().orElse(null);
    if (manager == null) {
      return null;
    }
    PlaceRequest.Builder request =
        PlaceRequest.newBuilder()
            .setVersion(Protocol.VERSION)
            .setTicket(ticket)
            .setStore(store.toString())
            .setBytes(bytes)
            .setPressure(pressure)
            .setDeletes(deletes);
    held.forEach(
        (worker, heldBytes) ->
            request.addHeld(Held.newBuilder().setWorker(worker).setBytes(heldBytes)));
    try {
      PlaceResponse answer =
          new ManagerClient(nodes.client(), manager.address()).place(request.build()).get();
      if (answer.getCode() == Code.OK) {
        return answer.getWorkerList().stream().map(admitted::get).filter(Objects::nonNull).toList();
      }
      LOG.warn("The compaction manager {} refuses: {}", manager.name(), answer.getMessage());
    } catch (ExecutionException e) {
      LOG.info("The compaction manager {} does not answer: {}", manager.name(), e.toString());
    } catch (InterruptedException e) {
      throw new InterruptedIOException("Compaction of " + store + " was interrupted");
    }
    nodes.compacted(manager, true);
    return null;
  }

  private List<StorageNode> ownRanking() {
    List<Worker> workers = admitted.values().stream().map(this::latest).toList();
    return new Placement((long) Setting.COMPACTION_NETWORK.integer(conf::get) << 20)
        .rank(workers, bytes, held).stream().map(Worker::name).map(admitted::get).toList();
  }

  private Worker latest(StorageNode known) {
    return nodes.live().stream()
        .filter(node -> node.name().equals(known.name()))
        .findFirst()
        .orElse(known)
        .worker();
  }

  private void pause() throws InterruptedIOException {
    if (!store.areWritesEnabled()) {
      throw new InterruptedIOException("Compaction of " + store + " ends: the store closes");
    }
    try {
      TimeUnit.MILLISECONDS.sleep(ASK_AGAIN_MILLIS);
    } catch (InterruptedException e) {
      throw new InterruptedIOException("Compaction of " + store + " was interrupted");
    }
  }
}
