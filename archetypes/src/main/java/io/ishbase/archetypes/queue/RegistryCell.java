package io.ishbase.archetypes.queue;

import io.ishbase.archetypes.queue.QueueException.Code;
import java.io.IOException;
import org.apache.hadoop.hbase.TableNotFoundException;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.jspecify.annotations.Nullable;

/** The cell of a queue's {@link Registry}. */
final class RegistryCell {
  /** From what the registry is to what it should be; null to leave it. */
  interface Change {
    @Nullable Registry of(Registry registry) throws IOException;
  }

  private final Store store;
  private final String queue;
  private final byte[] row;

  RegistryCell(Store store, String queue) {
    this.store = store;
    this.queue = queue;
    row = Keys.registry(queue);
  }

  /**
   * As it is now.
   *
   * @throws QueueException if there is no such queue
   */
  Registry read() throws IOException {
    return Registry.decode(bytes());
  }

  private byte[] bytes() throws IOException {
    byte[] bytes = bytesIfThere();
    if (bytes == null) {
      throw new QueueException(
          Code.NO_SUCH_QUEUE, "'" + queue + "' in the table " + store.tableName());
    }
    return bytes;
  }

  private byte @Nullable [] bytesIfThere() throws IOException {
    try {
      Result result = store.get(new Get(row).addColumn(Keys.STATE, Keys.REGISTRY));
      return result.getValue(Keys.STATE, Keys.REGISTRY);
    } catch (TableNotFoundException e) {
      QueueException none =
          new QueueException(
              Code.NO_SUCH_QUEUE, "'" + queue + "': there is no table " + store.tableName());
      none.initCause(e);
      throw none;
    }
  }

  /** Makes the queue. */
  void create(Registry registry) throws IOException {
    Registry stamped = registry.withStamp(Store.newToken());
    if (bytesIfThere() != null || !swap(Step.REGISTER, null, stamped)) {
      throw new QueueException(Code.ALREADY_EXISTS, "queue '" + queue + "'");
    }
  }

  /**
   * Does {@code change} to it as it is at that moment.
   *
   * @return what it was changed to, or what it is if {@code change} left it
   */
  Registry update(Step step, Change change) throws IOException {
    while (true) {
      byte[] was = bytes();
      Registry before = Registry.decode(was);
      Registry wanted = change.of(before);
      if (wanted == null) {
        return before;
      }
      Registry after = wanted.withStamp(Store.newToken());
      if (swap(step, was, after)) {
        return after;
      }
    }
  }

  private boolean swap(Step step, byte @Nullable [] was, Registry after) throws IOException {
    byte[] bytes = after.encode();
    Put put = new Put(row).addColumn(Keys.STATE, Keys.REGISTRY, bytes);
    if (store.swap(step, Store.unchanged(row, Keys.REGISTRY, was).build(put))) {
      return true;
    }
    // Done, but the answer was lost?
    byte[] now = bytesIfThere();
    return now != null && Registry.decode(now).stamp() == after.stamp();
  }
}
