package io.ishbase.sim.compaction;

import io.ishbase.sim.engine.EventLoop;
import io.ishbase.sim.engine.Processors;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleUnaryOperator;

/**
 * One compaction at work, in rounds: some bytes are read where their files lie, sent to where they
 * are merged, merged, and sent to where the new file lies. One thread merges.
 *
 * <p>With one round under way these steps follow one another, as published; with several they
 * overlap, as streams that read ahead and write behind do.
 */
final class Merging {
  /** A file, or part of one, and the machine on whose disk it is. */
  record Part(Machine machine, long bytes) {}

  private final EventLoop loop;
  private final double readNanosPerByte;
  private final DoubleUnaryOperator mergeNanos;
  private final Machine at;
  private final Machine to;
  private final int ahead;
  private final Runnable done;
  private final ArrayDeque<Long> toMerge = new ArrayDeque<>();
  private final EventLoop.Timer merged = new EventLoop.Timer(this::isMerged);
  private List<Part> files = List.of();
  private boolean together;

  /** Rounds of a file. */
  private long turns;

  /** What is read next: which round, of which file. */
  private long turn;

  private int file;
  private boolean merging;
  private int underWay;

  /**
   * Begins at {@link #begin}.
   *
   * @param mergeNanos nanoseconds for so many bytes, beginning now
   * @param at where it is merged
   * @param to where the new file lies
   * @param ahead rounds under way at once
   */
  Merging(
      EventLoop loop,
      double readNanosPerByte,
      DoubleUnaryOperator mergeNanos,
      Machine at,
      Machine to,
      int ahead,
      Runnable done) {
    this.loop = loop;
    this.readNanosPerByte = readNanosPerByte;
    this.mergeNanos = mergeNanos;
    this.at = at;
    this.to = to;
    this.ahead = ahead;
    this.done = done;
  }

  /**
   * Begins.
   *
   * @param files one at least
   * @param together whether a round is of all files, read at once wherever they lie, or of one file
   *     after the other, as a merge of HBase asks for a block when it has none left
   */
  void begin(List<Part> files, long roundBytes, boolean together) {
    this.files = files;
    this.together = together;
    long most = files.stream().mapToLong(Part::bytes).max().orElseThrow();
    turns = Math.max(1, (most + roundBytes - 1) / roundBytes);
    goOn();
  }

  private boolean isAllRead() {
    return turn == turns;
  }

  /** What the next round reads where. */
  private List<Part> nextRound() {
    Map<Machine, Long> round = new LinkedHashMap<>();
    do {
      Part part = files.get(file);
      long bytes = part.bytes() * (turn + 1) / turns - part.bytes() * turn / turns;
      round.merge(part.machine(), bytes, Long::sum);
      file = (file + 1) % files.size();
    } while (together && file != 0);
    if (file == 0) {
      turn++;
    }
    List<Part> parts = new ArrayList<>();
    round.forEach((machine, bytes) -> parts.add(new Part(machine, bytes)));
    return parts;
  }

  private void goOn() {
    while (underWay < ahead && !isAllRead()) {
      underWay++;
      read(nextRound());
    }
    if (!merging && !toMerge.isEmpty()) {
      merging = true;
      loop.in((long) Math.ceil(mergeNanos.applyAsDouble(toMerge.element())), merged);
    }
  }

  private void read(List<Part> parts) {
    int[] left = {parts.size()};
    long bytes = parts.stream().mapToLong(Part::bytes).sum();
    Runnable arrived =
        () -> {
          if (--left[0] == 0) {
            toMerge.add(bytes);
            goOn();
          }
        };
    for (Part part : parts) {
      new Processors.Work(
              part.machine().disk(), () -> part.machine().send(at, part.bytes(), arrived))
          .begin(part.bytes() * readNanosPerByte);
    }
  }

  private void isMerged() {
    merging = false;
    at.send(to, toMerge.remove(), this::isWritten);
    goOn();
  }

  private void isWritten() {
    underWay--;
    if (underWay == 0 && isAllRead()) {
      done.run();
    } else {
      goOn();
    }
  }
}
