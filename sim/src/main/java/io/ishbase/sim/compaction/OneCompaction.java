package io.ishbase.sim.compaction;

import io.ishbase.core.compaction.Placement;
import io.ishbase.core.compaction.Worker;
import io.ishbase.sim.engine.EventLoop;
import io.ishbase.sim.workload.Parameters;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * One compaction of files on several storage nodes, and nothing else: section 7.2.4 of IS-HBase.
 * Nothing is deleted, so the new file is as large as all old ones.
 */
public final class OneCompaction {
  /** Of a worker's slots: more than one compaction has any use for. */
  private static final int SLOTS = 2;

  private final EventLoop loop = new EventLoop();
  private final Parameters parameters;
  private final Machine regionServer;
  private final List<Machine> nodes = new ArrayList<>();
  private final List<Merging.Part> files = new ArrayList<>();
  private boolean ended;

  private OneCompaction(
      Parameters parameters,
      Way way,
      int nodeCount,
      int filesPerNode,
      double lineShare,
      double fabricShare) {
    this.parameters = parameters;
    double lineMbps = parameters.number("compaction.line.mbps");
    regionServer = Machine.server(loop, "region server", lineMbps * lineShare);
    for (int i = 0; i < nodeCount; i++) {
      nodes.add(
          Machine.storageNode(
              loop,
              "node " + i,
              lineMbps,
              parameters.number("compaction.fabric.mbps") * fabricShare));
    }
    long fileBytes = (long) parameters.number("compaction.file.bytes");
    for (int file = 0; file < nodeCount * filesPerNode; file++) {
      Machine node = nodes.get(way.isAtHome() ? 0 : file % nodeCount);
      files.add(new Merging.Part(node, fileBytes));
    }
  }

  /**
   * Carries it out.
   *
   * @param filesPerNode on each storage node
   * @param lineShare of the bandwidth of the region server's line that is free, above 0
   * @param fabricShare of that among storage nodes
   * @return nanoseconds
   */
  public static long nanos(
      Parameters parameters,
      Way way,
      int nodeCount,
      int filesPerNode,
      double lineShare,
      double fabricShare) {
    return new OneCompaction(parameters, way, nodeCount, filesPerNode, lineShare, fabricShare)
        .toEnd(way);
  }

  private long toEnd(Way way) {
    switch (way) {
      // Where the new file lies at does not matter: all nodes are alike.
      case LEGACY -> merge(regionServer, nodes.get(0), 1, false, () -> ended = true);
      case IN_STORAGE -> offload(nodes.get(0), 1);
      case OURS, OURS_AT_HOME -> offload(best(), parameters.whole("compaction.ahead"));
      default -> throw new IllegalArgumentException(way.label());
    }
    while (!ended && loop.step()) {}
    return loop.now();
  }

  private void offload(Machine worker, int ahead) {
    long control = (long) parameters.number("compaction.control.bytes");
    long half = Math.round(parameters.nanos("round.trip.ms") / 2);
    EventLoop.Timer end = new EventLoop.Timer(() -> ended = true);
    Runnable answer = () -> worker.send(regionServer, control, () -> loop.in(half, end));
    EventLoop.Timer begin = new EventLoop.Timer(() -> merge(worker, worker, ahead, true, answer));
    regionServer.send(worker, control, () -> loop.in(half, begin));
  }

  private void merge(Machine at, Machine to, int ahead, boolean together, Runnable done) {
    double mergeNanos = parameters.number("compaction.merge.ns");
    new Merging(
            loop,
            parameters.number("compaction.read.ns"),
            bytes -> bytes * mergeNanos,
            at,
            to,
            ahead,
            done)
        .begin(files, (long) parameters.number("compaction.round.bytes"), together);
  }

  /** The worker that the shipped policy takes, of which all are idle and equal. */
  private Machine best() {
    Map<String, Long> held = new HashMap<>();
    files.forEach(file -> held.merge(file.machine().name(), file.bytes(), Long::sum));
    List<Worker> workers =
        nodes.stream()
            .map(node -> new Worker(node.name(), SLOTS, 0, 0, 0, 0, 0, 0, false, 0))
            .toList();
    long bytes = files.stream().mapToLong(Merging.Part::bytes).sum();
    String best =
        new Placement(WorkerPool.STORAGE_NETWORK_BYTES).rank(workers, bytes, held).get(0).name();
    return nodes.stream().filter(node -> node.name().equals(best)).findFirst().orElseThrow();
  }
}
