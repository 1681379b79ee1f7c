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
  private final ArrayDeque<List<Part>> toRead = new ArrayDeque<>();
  private final ArrayDeque<Long> toMerge = new ArrayDeque<>();
  private final EventLoop.Timer merged = new EventLoop.Timer(this::isMerged);
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
   * @param together whether a round is of all files, read at once wherever they lie, or of one file
   *     after the other, as a merge of HBase asks for a block when it has none left
   */
  void begin(List<Part> files, long roundBytes, boolean together) {
    long most = files.stream().mapToLong(Part::bytes).max().orElse(0);
    long turns = Math.max(1, (most + roundBytes - 1) / roundBytes);
    for (long turn = 0; turn < turns; turn++) {
      Map<Machine, Long> round = new LinkedHashMap<>();
      for (Part file : files) {
        long bytes = file.bytes() * (turn + 1) / turns - file.bytes() * turn / turns;
        if (together) {
          round.merge(file.machine(), bytes, Long::sum);
        } else {
          toRead.add(List.of(new Part(file.machine(), bytes)));
        }
      }
      if (together) {
        List<Part> parts = new ArrayList<>();
        round.forEach((machine, bytes) -> parts.add(new Part(machine, bytes)));
        toRead.add(parts);
      }
    }
    goOn();
  }

  private void goOn() {
    while (underWay < ahead && !toRead.isEmpty()) {
      underWay++;
      read(toRead.remove());
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
    if (underWay == 0 && toRead.isEmpty()) {
      done.run();
    } else {
      goOn();
    }
  }
}
