package io.ishbase.archetypes.queue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;

/**
 * How far an at-least-once group is in a lane. Messages below the head are acknowledged. Those from
 * the head to the end were claimed at least once; each is claimed, free again, or done but behind
 * one that is not. Those from the end on nobody has claimed. Immutable, without clock or HBase:
 * what a consumer does is a window before and one after.
 *
 * <p>As bytes it is as long as it has runs of equal slots, 25 bytes for each. No more messages are
 * claimed for the first time while there are {@value #MAX_RUNS} runs. What is claimed already, up
 * to {@value #MAX_OPEN} messages, may still come apart: into a run for each of them and one for the
 * done ones before each, so there are never more than twice as many.
 */
final class Window {
  /** Messages that may lie between the head and the end: one that is stuck holds up these. */
  static final int MAX_SPAN = 100_000;

  /** Messages that may be claimed, or free again, at a time. */
  static final int MAX_OPEN = 10_000;

  static final int MAX_RUNS = 2_000;

  private static final Slot DONE = new Slot(Kind.DONE, 0, 0, 0);

  private enum Kind {
    DONE,
    CLAIMED,
    FREE
  }

  /** Of one message. The token and the deadline are those of its claim. */
  private record Slot(Kind kind, int attempts, long token, long deadlineMillis) {
    boolean isDue(long nowMillis) {
      return kind == Kind.FREE || (kind == Kind.CLAIMED && deadlineMillis <= nowMillis);
    }
  }

  private final long head;
  private final List<Slot> slots;

  private Window(long head, List<Slot> slots) {
    int done = 0;
    while (done < slots.size() && slots.get(done).kind == Kind.DONE) {
      done++;
    }
    this.head = head + done;
    this.slots = slots.subList(done, slots.size());
  }

  /** Nothing is claimed and all below {@code head} is done. */
  static Window at(long head) {
    return new Window(head, List.of());
  }

  /** The lowest message that is not acknowledged. */
  long head() {
    return head;
  }

  /** The lowest message that was never claimed. */
  long end() {
    return head + slots.size();
  }

  /** Messages from the head on that are acknowledged. */
  int doneAhead() {
    return Collections.frequency(slots, DONE);
  }

  /** How many messages that were never claimed may be. */
  int room() {
    int open = slots.size() - doneAhead();
    return runs() >= MAX_RUNS ? 0 : Math.max(0, Math.min(MAX_SPAN - slots.size(), MAX_OPEN - open));
  }

  /** Up to {@code max} messages to be delivered again, ascending. */
  List<Long> due(long nowMillis, int max) {
    List<Long> due = new ArrayList<>();
    for (int i = 0; i < slots.size() && due.size() < max; i++) {
      if (slots.get(i).isDue(nowMillis)) {
        due.add(head + i);
      }
    }
    return due;
  }

  /** How often {@code sequence}, which is not done, was claimed. */
  int attempts(long sequence) {
    return slots.get(index(sequence)).attempts;
  }

  /** Whether the claim {@code token} holds {@code sequence}. */
  boolean holds(long sequence, long token, long nowMillis) {
    if (sequence < head || sequence >= end()) {
      return false;
    }
    Slot slot = slots.get(index(sequence));
    return slot.kind == Kind.CLAIMED && slot.token == token && slot.deadlineMillis > nowMillis;
  }

  /** Whether any message is claimed with {@code token}. */
  boolean has(long token) {
    return slots.stream().anyMatch(slot -> slot.kind == Kind.CLAIMED && slot.token == token);
  }

  /** Whether {@code sequence} is acknowledged. */
  boolean isDone(long sequence) {
    return sequence < head || (sequence < end() && slots.get(index(sequence)).kind == Kind.DONE);
  }

  /** With {@code due}, and {@code fresh} messages from the end on, claimed. */
  Window claim(Collection<Long> due, int fresh, long token, long deadlineMillis) {
    List<Slot> changed = new ArrayList<>(slots);
    for (long sequence : due) {
      int attempts = attempts(sequence) + 1;
      changed.set(index(sequence), new Slot(Kind.CLAIMED, attempts, token, deadlineMillis));
    }
    changed.addAll(Collections.nCopies(fresh, new Slot(Kind.CLAIMED, 1, token, deadlineMillis)));
    return new Window(head, changed);
  }

  /** With {@code sequences}, all between head and end, acknowledged. */
  Window done(Collection<Long> sequences) {
    List<Slot> changed = new ArrayList<>(slots);
    sequences.forEach(sequence -> changed.set(index(sequence), DONE));
    return new Window(head, changed);
  }

  /** With {@code sequences}, all claimed, to be delivered again at once. */
  Window free(Collection<Long> sequences) {
    List<Slot> changed = new ArrayList<>(slots);
    for (long sequence : sequences) {
      changed.set(index(sequence), new Slot(Kind.FREE, attempts(sequence), 0, 0));
    }
    return new Window(head, changed);
  }

  /** With all below {@code floor} done. */
  Window from(long floor) {
    if (floor <= head) {
      return this;
    }
    return floor >= end()
        ? at(floor)
        : new Window(floor, slots.subList(index(floor), slots.size()));
  }

  private int index(long sequence) {
    return (int) (sequence - head);
  }

  private int runs() {
    int runs = slots.isEmpty() ? 0 : 1;
    for (int i = 1; i < slots.size(); i++) {
      runs += slots.get(i).equals(slots.get(i - 1)) ? 0 : 1;
    }
    return runs;
  }

  byte[] encode() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    out.writeLong(head);
    int from = 0;
    while (from < slots.size()) {
      Slot slot = slots.get(from);
      int to = from + 1;
      while (to < slots.size() && slots.get(to).equals(slot)) {
        to++;
      }
      out.writeByte(slot.kind.ordinal());
      out.writeInt(to - from);
      out.writeInt(slot.attempts);
      out.writeLong(slot.token);
      out.writeLong(slot.deadlineMillis);
      from = to;
    }
    return bytes.toByteArray();
  }

  static Window decode(byte[] bytes) throws IOException {
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
    long head = in.readLong();
    List<Slot> slots = new ArrayList<>();
    while (in.available() > 0) {
      Kind kind = Kind.values()[in.readByte()];
      int count = in.readInt();
      slots.addAll(
          Collections.nCopies(count, new Slot(kind, in.readInt(), in.readLong(), in.readLong())));
    }
    return new Window(head, slots);
  }

  @Override
  public String toString() {
    return head + " " + slots;
  }
}
