package io.ishbase.core.memstore;

import io.ishbase.core.memstore.MemstorePolicy.Pipeline;
import io.ishbase.core.memstore.MemstorePolicy.Step;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Set;

/**
 * A memstore in virtual time: what each of HBase's policies and ours costs a stream of writes and
 * reads, in nanoseconds, and writes to disk.
 */
final class VirtualMemstore {
  /** How the memstore chooses. */
  enum Choice {
    NONE,
    BASIC,
    EAGER,
    AUTO
  }

  /** What things cost, in nanoseconds; bytes of a cell and of its place in an index. */
  record Costs(
      double write,
      double flatten,
      double garbage,
      double merge,
      double compact,
      double diskByte,
      double seek,
      int cellBytes,
      int skipListBytes,
      int flatBytes) {}

  private record Segment(Set<Long> keys, int cells, boolean isFlat) {}

  private final Choice choice;
  private final Costs costs;
  private final long flushBytes;
  private final int leastCells;
  private long activeCells;
  private final KeySample sample = new KeySample(1);
  private final MemstorePolicy policy;

  private final Deque<Segment> pipeline = new ArrayDeque<>();
  private Set<Long> active = new HashSet<>();
  private int cells;
  private long reads;
  private double nanos;
  private double forgottenNanos;

  long bytesToDisk;
  int flushes;
  int compactions;

  VirtualMemstore(Choice choice, Costs costs, long flushBytes, int activeCells) {
    this.choice = choice;
    this.costs = costs;
    this.flushBytes = flushBytes;
    this.leastCells = activeCells;
    this.activeCells = activeCells;
    this.policy = new MemstorePolicy(() -> (long) nanos, sample);
    resize();
  }

  private void resize() {
    if (choice == Choice.AUTO) {
      int cellBytes = costs.cellBytes;
      long bytes =
          policy.activeBytes(
              (double) held() / flushBytes,
              flushBytes * cellBytes / (cellBytes + costs.skipListBytes),
              (long) leastCells * cellBytes);
      activeCells = bytes / cellBytes;
    }
  }

  double nanos() {
    return nanos - forgottenNanos;
  }

  /** What is counted of costs begins here. */
  void forgetCosts() {
    forgottenNanos = nanos;
    bytesToDisk = 0;
    flushes = 0;
    compactions = 0;
  }

  /**
   * Time, and what bytes cost beside: a flush ends when page caches have its bytes, whose disks
   * have yet to write them, for the flush and for the one compaction after it.
   */
  double price() {
    return nanos()
        + 2 * Math.max(0, MemstorePolicy.LEAST_DISK_NANOS - costs.diskByte) * bytesToDisk;
  }

  void write(long key) {
    nanos += costs.write;
    active.add(key);
    cells++;
    sample.add(key);
    if (choice != Choice.NONE && cells >= activeCells) {
      pipeline.addFirst(new Segment(active, cells, false));
      active = new HashSet<>();
      cells = 0;
      step();
      resize();
    }
    if (held() > flushBytes) {
      flush();
    }
  }

  void read() {
    nanos += costs.seek * (1 + pipeline.size());
    reads++;
  }

  private long held() {
    long held = (long) cells * (costs.cellBytes + costs.skipListBytes);
    for (Segment segment : pipeline) {
      held +=
          (long) segment.cells
              * (costs.cellBytes + (segment.isFlat ? costs.flatBytes : costs.skipListBytes));
    }
    return held;
  }

  private int pipelineCells() {
    return pipeline.stream().mapToInt(Segment::cells).sum();
  }

  private void step() {
    switch (choice) {
      case BASIC -> {
        if (pipeline.size() > 2) {
          merge();
        } else {
          flatten();
        }
      }
      case EAGER -> compact();
      case AUTO -> {
        int all = pipelineCells();
        Pipeline found =
            new Pipeline(
                (double) held() / flushBytes, pipeline.size(), all, (long) all * costs.cellBytes);
        Step step = policy.next(found, reads, true);
        reads = 0;
        double begun = nanos;
        switch (step) {
          case NOTHING -> {}
          case FLATTEN -> {
            int flattened = flatten();
            policy.flattened(flattened, (long) (nanos - begun));
          }
          case MERGE -> {
            merge();
            policy.merged(all, (long) (nanos - begun));
          }
          case COMPACT -> {
            compact();
            long left = pipelineCells();
            policy.compacted(all, left, (long) (nanos - begun));
          }
        }
      }
      case NONE -> throw new IllegalStateException();
    }
  }

  private int flatten() {
    Segment newest = pipeline.removeFirst();
    nanos += costs.flatten * newest.cells;
    pipeline.addFirst(new Segment(newest.keys, newest.cells, true));
    return newest.cells;
  }

  private void merge() {
    int all = pipelineCells();
    nanos += costs.merge * all;
    Set<Long> keys = union();
    pipeline.clear();
    pipeline.add(new Segment(keys, all, true));
  }

  private void compact() {
    nanos += costs.compact * pipelineCells();
    compactions++;
    Set<Long> keys = union();
    pipeline.clear();
    pipeline.add(new Segment(keys, keys.size(), true));
  }

  private Set<Long> union() {
    Iterator<Segment> segments = pipeline.descendingIterator();
    Set<Long> keys = segments.next().keys;
    segments.forEachRemaining(segment -> keys.addAll(segment.keys));
    return keys;
  }

  void flush() {
    for (Segment segment : pipeline) {
      nanos += segment.isFlat ? 0 : costs.garbage * segment.cells;
    }
    nanos += costs.garbage * cells;
    pipeline.addFirst(new Segment(active, cells, false));
    active = new HashSet<>();
    cells = 0;
    int all = pipelineCells();
    policy.flushing(all, (long) all * costs.cellBytes, reads);
    reads = 0;
    Set<Long> keys = union();
    pipeline.clear();
    // A flush looks at each cell as a merge of data does, and so does the one compaction after it.
    nanos += costs.compact * all + costs.diskByte * costs.cellBytes * keys.size();
    policy.flushed(keys.size(), 1);
    nanos += (costs.diskByte * costs.cellBytes + costs.compact) * keys.size();
    bytesToDisk += (long) costs.cellBytes * keys.size();
    flushes++;
    resize();
  }
}
