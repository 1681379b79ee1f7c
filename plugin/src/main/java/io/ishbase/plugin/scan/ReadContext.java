package io.ishbase.plugin.scan;

import io.ishbase.core.Reason;
import io.ishbase.plugin.node.DaemonException;
import io.ishbase.plugin.node.FileLocations;
import io.ishbase.plugin.node.NodeHealth;
import io.ishbase.plugin.node.ReadBuffers;
import io.ishbase.plugin.node.ReadClient;
import io.ishbase.plugin.node.StorageNode;
import java.util.List;
import java.util.function.IntConsumer;
import java.util.function.Supplier;

/**
 * What all in-storage reads of a region server share.
 *
 * @param filters which filters may be pushed down
 * @param confidentiality what may cross the network between storage and compute
 * @param maxBlockBytes of blocks that a daemon may read for an answer to a scan, as HBase bounds
 *     what it reads for a call of a scan
 * @param arrived counts bytes that came from storage for a reader
 */
public record ReadContext(
    ReadClient client,
    NodeHealth health,
    FileLocations locations,
    ReadBuffers buffers,
    FilterPushdown filters,
    Confidentiality confidentiality,
    long maxBlockBytes,
    IntConsumer arrived) {

  /**
   * What {@code node} may leave out for {@code read}.
   *
   * @param fills whether the answer is to go into the segment cache
   */
  Pushdown pushdown(
      ReadSpec read, boolean isSole, StorageNode node, boolean mayFilter, boolean fills) {
    Pushdown pushdown = pushdown(read, isSole, mayFilter, fills);
    return pushdown.filterClass() == null || health.admitsFilter(node, pushdown.filterClass())
        ? pushdown
        : pushdown(read, isSole, false, fills);
  }

  private Pushdown pushdown(ReadSpec read, boolean isSole, boolean mayFilter, boolean fills) {
    return new Pushdown(
        read.scan(),
        read.family(),
        read.columns(),
        filters,
        isSole,
        mayFilter,
        fills ? read.slice() : null);
  }

  /**
   * Takes note of an answered request.
   *
   * @param pushdown what was left out of the answer
   * @param atMillis when it came
   */
  void succeeded(StorageNode node, Supplier<List<String>> paths, Pushdown pushdown, long atMillis) {
    health.succeeded(node, paths, atMillis);
    if (pushdown.filterClass() != null) {
      health.succeededFilter(node, pushdown.filterClass(), atMillis);
    }
  }

  /** As {@link #failed(StorageNode, List, DaemonException)}, unless that was long ago. */
  void failed(StorageNode node, List<String> paths, DaemonException failure, long atMillis) {
    if (health.isPast(atMillis)) {
      relocate(failure, paths);
    } else {
      failed(node, paths, failure);
    }
  }

  /**
   * Takes note of a failed request for files at {@code paths}: closes the node or the files for a
   * while, once for all the reads that it concerns, and asks anew where the files lie. If it is the
   * node's fault what is known holds until then: it says who else holds them.
   */
  public void failed(StorageNode node, List<String> paths, DaemonException failure) {
    List<String> blamed = failure.blamed(paths);
    long busyMillis = failure.busyMillis();
    if (busyMillis > 0) {
      if (failure.tell()) {
        health.busy(node, busyMillis);
      }
      return;
    }
    if (failure.tell()) {
      health.failed(node, blamed, failure.reason());
    }
    relocate(failure, paths);
  }

  private void relocate(DaemonException failure, List<String> paths) {
    if (failure.reason().isFaultOfNode()) {
      locations.refresh(failure.blamed(paths));
    } else if (failure.reason() != Reason.LATE && failure.reason() != Reason.BUSY) {
      locations.forget(failure.blamed(paths));
    }
  }
}
