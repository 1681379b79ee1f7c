package io.ishbase.archetypes.queue;

import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * One of an exactly-once group's consumers. For each message of the queue the group's {@link
 * Effects} are applied once, in the order of the lane, as they and the position behind the message
 * are one write of one row, on condition that the position is what it was when the message was
 * read. The handler may run more often: of two consumers that have read the same messages, one
 * writes. What a handler does elsewhere is not covered.
 *
 * <p>Not safe for threads; several of a group take different lanes, if there are as many.
 */
public final class ExactlyOnceConsumer {
  /** What is made of messages. */
  @FunctionalInterface
  public interface Handler {
    /**
     * Says what {@code messages}, consecutive ones of a lane, change. May be called again for the
     * same messages, here or elsewhere.
     *
     * @throws IOException to leave them for later
     */
    void handle(List<Message> messages, Effects effects) throws IOException;
  }

  private final Store store;
  private final Keys keys;
  private final String group;
  private final MessageLog log;
  private final LaneRotation rotation;

  ExactlyOnceConsumer(Store store, Keys keys, RegistryCell cell, String group) {
    this.store = store;
    this.keys = keys;
    this.group = group;
    log = new MessageLog(store, keys);
    rotation = new LaneRotation(store, cell);
  }

  /**
   * Handles the next messages of one lane; never waits for any.
   *
   * @param max at least 1
   * @return how many messages this call has taken the group on; 0 if there are none, or others were
   *     faster everywhere
   * @throws IOException from the handler, or if HBase fails; whether the effects were applied is
   *     then for the next call to find out, which goes on behind them if they were. It begins at
   *     another lane: one that cannot be read or handled stops no other
   */
  public int process(int max, Handler handler) throws IOException {
    if (max < 1) {
      throw new IllegalArgumentException("max is " + max + ", not 1 or more");
    }
    Set<Lane> looked = new HashSet<>();
    for (boolean fresh : new boolean[] {false, true}) {
      for (Lane lane : rotation.lanes(fresh)) {
        // Nothing was there a moment ago.
        if (!looked.add(lane)) {
          continue;
        }
        int processed = process(lane, max, handler);
        if (processed > 0) {
          return processed;
        }
      }
    }
    return 0;
  }

  private int process(Lane lane, int max, Handler handler) throws IOException {
    rotation.looksInto(lane);
    Progress progress = new Progress(store, keys, group, lane.id());
    byte[] was = progress.read();
    long next = Progress.next(was, lane);
    List<Message> messages = log.read(lane.id(), next, Math.min(max, lane.end() - next));
    if (messages.isEmpty()) {
      return 0;
    }
    Effects effects = new Effects(store, progress, was);
    try {
      handler.handle(messages, effects);
    } catch (Effects.OvertakenException e) {
      return 0;
    }
    Position behind = new Position(next + messages.size(), Store.newToken());
    if (progress.swap(Step.COMMIT, was, behind.encode(), effects.mutations())) {
      return messages.size();
    }
    // Done, but the answer was lost?
    byte[] now = progress.read();
    boolean mine = now != null && Position.decode(now).token() == behind.token();
    return mine ? messages.size() : 0;
  }
}
