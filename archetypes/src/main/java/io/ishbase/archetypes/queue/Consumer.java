package io.ishbase.archetypes.queue;

import io.ishbase.archetypes.queue.QueueException.Code;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One of an at-least-once group's consumers. What it claims nobody else of the group gets until it
 * is acknowledged, released, or its time is over; then it is delivered again. Claims of a lane come
 * in order, redeliveries when they are due. Not safe for threads; as many as you like of a group.
 *
 * <p>Time is that of the consumers' clocks: one that is fast takes others' claims early. So a
 * message may be processed twice, but none is lost.
 */
public final class Consumer {
  private final Store store;
  private final Keys keys;
  private final String group;
  private final GroupOptions options;
  private final MessageLog log;
  private final LaneRotation rotation;

  /** Of a lane, when others had given something: the next call throws it. */
  private @Nullable IOException failure;

  Consumer(Store store, Keys keys, RegistryCell cell, String group, GroupOptions options) {
    this.store = store;
    this.keys = keys;
    this.group = group;
    this.options = options;
    log = new MessageLog(store, keys);
    rotation = new LaneRotation(store, cell);
  }

  /**
   * Claims messages; never waits for any.
   *
   * @param max at least 1
   * @return up to {@code max}, none of them twice; empty if there is none that is not claimed
   * @throws IOException if HBase fails, or has failed in one lane when others had given something;
   *     then nothing is claimed. The next call begins at another lane
   */
  public List<Delivery> receive(int max) throws IOException {
    if (max < 1) {
      throw new IllegalArgumentException("max is " + max + ", not 1 or more");
    }
    IOException failed = failure;
    failure = null;
    if (failed != null) {
      throw failed;
    }
    List<Delivery> got = new ArrayList<>();
    Set<Lane> looked = new HashSet<>();
    for (boolean fresh : new boolean[] {false, true}) {
      for (Lane lane : rotation.lanes(fresh)) {
        // Nothing was there a moment ago.
        if (!looked.add(lane)) {
          continue;
        }
        try {
          receive(lane, max, got);
        } catch (IOException e) {
          if (got.isEmpty()) {
            throw e;
          }
          // What is claimed counts as delivered: the caller gets it.
          failure = e;
          return got;
        }
        if (got.size() == max || isOld(got)) {
          return got;
        }
      }
      if (!got.isEmpty()) {
        break;
      }
    }
    return got;
  }

  /** Whether the time of claims that the caller has not seen is half over: lanes were slow. */
  private boolean isOld(List<Delivery> got) {
    return !got.isEmpty()
        && got.get(0).deadlineMillis() - store.clock().millis() < options.visibilityMillis() / 2;
  }

  private void receive(Lane lane, int max, List<Delivery> got) throws IOException {
    rotation.looksInto(lane);
    int before = got.size();
    int wanted = max - before;
    List<Delivery> claimed;
    do {
      claimed = claim(lane, wanted);
      List<Delivery> dead = claimed.stream().filter(this::wasTriedTooOften).toList();
      claimed.stream().filter(delivery -> !dead.contains(delivery)).forEach(got::add);
      bury(dead);
      // No second claim beside what the caller has not seen: that may have expired by now.
    } while (got.size() == before && claimed.size() == wanted);
  }

  private boolean wasTriedTooOften(Delivery delivery) {
    return options.maxAttempts() > 0 && delivery.attempt() > options.maxAttempts();
  }

  private List<Delivery> claim(Lane lane, int max) throws IOException {
    Progress progress = new Progress(store, keys, group, lane.id());
    while (true) {
      long now = store.clock().millis();
      byte[] was = progress.read();
      Window window = Progress.window(was, lane);
      List<Long> due = window.due(now, max);
      SortedMap<Long, Message> again = log.read(lane.id(), due);
      long room = Math.min(window.room(), lane.end() - window.end());
      List<Message> fresh = log.read(lane.id(), window.end(), Math.min(room, max - due.size()));
      if (due.isEmpty() && fresh.isEmpty()) {
        return List.of();
      }
      long token = Store.newToken();
      // What the reads took is not the claim's.
      long deadline = store.clock().millis() + options.visibilityMillis();
      // What is missing a retention has trimmed.
      List<Long> gone = due.stream().filter(sequence -> !again.containsKey(sequence)).toList();
      Window claimed = window.claim(again.keySet(), fresh.size(), token, deadline).done(gone);
      if (!progress.swap(Step.CLAIM, was, claimed.encode())
          // Done, but the answer was lost?
          && !Progress.window(progress.read(), lane).has(token)) {
        continue;
      }
      List<Delivery> deliveries = new ArrayList<>();
      again.forEach(
          (sequence, message) ->
              deliveries.add(
                  new Delivery(message, window.attempts(sequence) + 1, token, deadline)));
      fresh.forEach(message -> deliveries.add(new Delivery(message, 1, token, deadline)));
      if (!deliveries.isEmpty()) {
        return deliveries;
      }
    }
  }

  /**
   * Makes dead letters of what was delivered too often, of all at once: others were claimed with
   * them. They are claimed, so that nobody acknowledges them meanwhile; who dies in between leaves
   * claims that expire, and the next writes the same.
   */
  private void bury(List<Delivery> dead) throws IOException {
    if (dead.isEmpty()) {
      return;
    }
    store.put(
        Step.BURY,
        dead.stream()
            .map(delivery -> DeadLetters.put(keys, group, delivery, options.maxAttempts()))
            .toList());
    try {
      acknowledge(dead);
    } catch (QueueException e) {
      if (e.code() != Code.CLAIM_EXPIRED) {
        throw e;
      }
    }
  }

  /** As {@link #acknowledge(Collection)}. */
  public void acknowledge(Delivery delivery) throws IOException {
    acknowledge(List.of(delivery));
  }

  /**
   * Says that the group is done with messages.
   *
   * @throws QueueException if claims have expired, of which it names the first; the rest is
   *     acknowledged
   * @throws IOException if HBase fails; what was not acknowledged is delivered again
   */
  public void acknowledge(Collection<Delivery> deliveries) throws IOException {
    settle(deliveries, false);
  }

  /**
   * Gives messages back, to be delivered again at once.
   *
   * @throws QueueException if claims have expired; the rest is released
   * @throws IOException if HBase fails; what was not released is delivered again in time
   */
  public void release(Collection<Delivery> deliveries) throws IOException {
    settle(deliveries, true);
  }

  private void settle(Collection<Delivery> deliveries, boolean release) throws IOException {
    SortedMap<Long, List<Delivery>> byLane = new TreeMap<>();
    for (Delivery delivery : deliveries) {
      byLane.computeIfAbsent(delivery.message().lane(), lane -> new ArrayList<>()).add(delivery);
    }
    List<Delivery> expired = new ArrayList<>();
    for (var lane : byLane.entrySet()) {
      expired.addAll(settle(lane.getKey(), lane.getValue(), release));
    }
    if (!expired.isEmpty()) {
      throw new QueueException(
          Code.CLAIM_EXPIRED,
          expired.size()
              + " of "
              + deliveries.size()
              + " claims of group '"
              + group
              + "', the first of "
              + expired.get(0).message());
    }
  }

  /** Of one lane. Returns what has expired. */
  private List<Delivery> settle(long lane, List<Delivery> deliveries, boolean release)
      throws IOException {
    Progress progress = new Progress(store, keys, group, lane);
    List<Delivery> expired = new ArrayList<>();
    List<Delivery> left = deliveries;
    boolean tried = false;
    while (true) {
      byte[] was = progress.read();
      Window window = was == null ? Window.at(0) : Window.decode(was);
      long now = store.clock().millis();
      Predicate<Delivery> held = one -> window.holds(one.message().sequence(), one.token(), now);
      for (Delivery delivery : left) {
        // What was tried may be done although its answer was lost.
        boolean done = tried && (release || window.isDone(delivery.message().sequence()));
        if (!held.test(delivery) && !done) {
          expired.add(delivery);
        }
      }
      left = left.stream().filter(held).toList();
      List<Long> sequences = left.stream().map(one -> one.message().sequence()).toList();
      if (sequences.isEmpty()) {
        return expired;
      }
      Window settled = release ? window.free(sequences) : window.done(sequences);
      if (progress.swap(Step.SETTLE, was, settled.encode())) {
        return expired;
      }
      tried = true;
    }
  }
}
