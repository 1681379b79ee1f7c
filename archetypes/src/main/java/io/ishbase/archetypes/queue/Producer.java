package io.ishbase.archetypes.queue;

import io.ishbase.archetypes.queue.QueueException.Code;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Put;
import org.jspecify.annotations.Nullable;

/**
 * Appends messages to a lane of its own, numbered 0, 1, 2 … in the order of the calls: no other
 * producer writes there, so numbers need no counter in HBase and two producers never collide. Safe
 * for threads; one batch is under way at a time.
 *
 * <p>A producer that dies leaves its lane open: {@link Queue#sealIdle} ends it.
 */
public final class Producer implements Closeable {
  /** The most messages of a batch. */
  public static final int MAX_BATCH = 10_000;

  /** The most bytes of a batch's bodies. */
  public static final long MAX_BATCH_BYTES = 16 << 20;

  private final Store store;
  private final MessageLog log;
  private final RegistryCell registry;
  private final long lane;
  private final int maxBodyBytes;

  private long next;
  private long lastMillis;
  private boolean fenced;
  private boolean closed;

  /** A batch whose outcome is unknown. */
  private @Nullable List<Put> pending;

  Producer(Store store, Keys keys, RegistryCell registry) throws IOException {
    this.store = store;
    this.registry = registry;
    log = new MessageLog(store, keys);
    long now = store.clock().millis();
    Registry opened = registry.update(Step.REGISTER, before -> before.withNewLane(now));
    // Nobody else's: the write says which number it took.
    lane = opened.nextLane() - 1;
    maxBodyBytes = opened.maxBodyBytes();
  }

  /** Its lane. */
  public long lane() {
    return lane;
  }

  /**
   * Appends a message.
   *
   * @return its number
   * @throws QueueException if it is refused; nobody ever sees it
   * @throws IOException if HBase fails; whether others see it is unknown until {@link #resume}
   */
  public long append(byte[] body) throws IOException {
    return append(List.of(body));
  }

  /**
   * Appends messages that others see together.
   *
   * @return the number of the first
   * @throws QueueException if one is refused; nobody ever sees any of them
   * @throws IOException if HBase fails; whether others see all or none is unknown until {@link
   *     #resume}
   */
  public synchronized long append(List<byte[]> bodies) throws IOException {
    check(bodies);
    if (closed) {
      throw new QueueException(Code.CLOSED, "the producer of lane " + lane);
    }
    if (fenced) {
      throw fenced();
    }
    if (pending != null) {
      throw new QueueException(Code.BATCH_PENDING, "lane " + lane + ": resume first");
    }
    lastMillis = Math.max(lastMillis, store.clock().millis());
    List<Put> puts = new ArrayList<>(bodies.size());
    for (byte[] body : bodies) {
      Message message = new Message(lane, next + puts.size(), lastMillis, body);
      puts.add(log.put(message, puts.size()));
    }
    pending = puts;
    return resume();
  }

  private void check(List<byte[]> bodies) throws QueueException {
    if (bodies.isEmpty() || bodies.size() > MAX_BATCH) {
      throw new QueueException(Code.BAD_BATCH, bodies.size() + " messages, not 1 to " + MAX_BATCH);
    }
    long bytes = 0;
    for (byte[] body : bodies) {
      if (body.length == 0) {
        throw new QueueException(Code.EMPTY_BODY, "a message needs at least one byte");
      }
      if (body.length > maxBodyBytes) {
        throw new QueueException(
            Code.BODY_TOO_LARGE, body.length + " bytes, but " + maxBodyBytes + " are the most");
      }
      bytes += body.length;
    }
    if (bytes > MAX_BATCH_BYTES) {
      throw new QueueException(
          Code.BAD_BATCH, bytes + " bytes, but " + MAX_BATCH_BYTES + " are the most");
    }
  }

  /**
   * Appends the batch whose outcome an exception left unknown, unless it is there: either way it is
   * there once.
   *
   * @return the number of its first message; of the next one if no batch is pending
   * @throws IOException as {@link #append(List)}
   */
  public synchronized long resume() throws IOException {
    if (fenced) {
      throw fenced();
    }
    List<Put> puts = pending;
    if (puts == null) {
      return next;
    }
    if (puts.size() > 1) {
      store.put(Step.APPEND_REST, puts.subList(1, puts.size()));
    }
    Put door = puts.get(0);
    CheckAndMutate unlessSealed =
        CheckAndMutate.newBuilder(door.getRow()).ifNotExists(Keys.STATE, Keys.SEAL).build(door);
    if (!store.swap(Step.APPEND_DOOR, unlessSealed)) {
      Lane mine = registry.read().lanes().get(lane);
      // What was trimmed had been there: the seal stands in its place, and ends nothing. Of a lane
      // that has gone the seal that ends it tells: it is the last, and stays.
      boolean wasThere = mine == null ? log.isSealedBehind(lane, next) : mine.floor() > next;
      if (!wasThere) {
        fenced = true;
        pending = null;
        if (mine != null) {
          forget(puts.subList(1, puts.size()));
        }
        throw fenced();
      }
    }
    long first = next;
    next += puts.size();
    pending = null;
    return first;
  }

  /** What nobody can see, as the lane ends before it. */
  private void forget(List<Put> puts) throws IOException {
    if (!puts.isEmpty()) {
      store.delete(
          Step.TRIM_DELETE,
          puts.stream()
              .map(put -> new Delete(put.getRow()).addFamily(Keys.MESSAGES, put.getTimestamp()))
              .toList());
    }
  }

  private QueueException fenced() {
    return new QueueException(
        Code.PRODUCER_FENCED, "lane " + lane + " was sealed: open another producer");
  }

  /**
   * Resumes what is pending and ends the lane, so that it is forgotten once all is consumed.
   *
   * @throws IOException if HBase fails; the lane may be open then
   */
  @Override
  public synchronized void close() throws IOException {
    if (closed || fenced) {
      return;
    }
    resume();
    closed = true;
    long end = next;
    registry.update(
        Step.SEAL_NOTED,
        before -> {
          Lane mine = before.lanes().get(lane);
          return mine == null || !mine.isOpen() ? null : before.with(mine.withEnd(end));
        });
  }
}
