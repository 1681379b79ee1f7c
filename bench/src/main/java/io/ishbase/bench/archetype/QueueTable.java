package io.ishbase.bench.archetype;

import io.ishbase.archetypes.queue.Consumer;
import io.ishbase.archetypes.queue.Delivery;
import io.ishbase.archetypes.queue.GroupOptions;
import io.ishbase.archetypes.queue.Producer;
import io.ishbase.archetypes.queue.Queue;
import io.ishbase.archetypes.queue.Queues;
import io.ishbase.bench.Load;
import io.ishbase.bench.Moved;
import io.ishbase.bench.Tally;
import io.ishbase.cluster.Tables;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;

/** A queue that clients append to, and take from. */
public final class QueueTable {
  /** Kinds of operations. */
  public static final String APPEND = "append";

  public static final String DEQUEUE = "dequeue";
  private static final String ACKNOWLEDGE = "acknowledge";
  private static final String TRIM = "trim";

  /** Messages of an operation. */
  public static final int BATCH = 20;

  /** Operations that pass a batch through. */
  private static final int STEPS = 3;

  private static final int BODY_BYTES = 200;
  private static final String QUEUE = "queue";
  private static final String GROUP = "group";
  private static final Duration VISIBILITY = Duration.ofSeconds(30);

  /** Rounds of a client after which what was consumed is deleted. */
  private static final int TRIM_EVERY = 50;

  private final Connection connection;
  private final TableName name;
  private final Queues queues;

  public QueueTable(Connection connection, String name) {
    this.connection = connection;
    this.name = TableName.valueOf(name);
    queues = new Queues(connection, this.name);
  }

  public TableName name() {
    return name;
  }

  /** Operations that pass so many messages through. */
  public static long operations(long messages) {
    return Math.max(1, messages / BATCH) * STEPS;
  }

  /**
   * Creates it anew, empty.
   *
   * @param values of the table
   */
  public void create(Map<String, String> values, long flushBytes) throws IOException {
    TableDescriptorBuilder table = Queues.describe(name).setMemStoreFlushSize(flushBytes);
    values.forEach(table::setValue);
    Tables.recreate(connection, table.build());
    queues.create(QUEUE, 1, BODY_BYTES).createGroup(GROUP, GroupOptions.atLeastOnce(VISIBILITY));
  }

  /**
   * Appends of {@value #BATCH} messages, claims of as many, of which each is checked, and
   * acknowledgements, in turn. The first client trims.
   */
  public Load passes() {
    return worker -> new Client(queues.open(QUEUE), worker == 0);
  }

  private static final class Client implements Load.Client {
    private final Queue queue;
    private final Producer producer;
    private final Consumer consumer;
    private final boolean trims;
    private List<Delivery> claimed = List.of();
    private int step;

    Client(Queue queue, boolean trims) throws IOException {
      this.queue = queue;
      this.trims = trims;
      producer = queue.producer();
      consumer = queue.consumer(GROUP);
    }

    @Override
    public void operate(Tally tally) throws IOException {
      int round = step / STEPS;
      switch (step++ % STEPS) {
        case 0 -> append(tally);
        case 1 -> dequeue(tally);
        default -> {
          boolean isTrim = trims && round % TRIM_EVERY == TRIM_EVERY - 1;
          tally.kind(isTrim ? TRIM : ACKNOWLEDGE);
          consumer.acknowledge(claimed);
          if (isTrim) {
            queue.trim();
          }
        }
      }
    }

    private void append(Tally tally) throws IOException {
      tally.kind(APPEND);
      List<byte[]> bodies = new ArrayList<>(BATCH);
      for (int i = 0; i < BATCH; i++) {
        byte[] body = new byte[BODY_BYTES];
        long number = (long) step * BATCH + i;
        Bytes.putLong(body, 0, number);
        Bytes.putLong(body, BODY_BYTES - Long.BYTES, ~number);
        bodies.add(body);
      }
      producer.append(bodies);
      tally.wrote(new Moved(BATCH, (long) BATCH * BODY_BYTES, (long) BATCH * BODY_BYTES));
    }

    private void dequeue(Tally tally) throws IOException {
      tally.kind(DEQUEUE);
      claimed = consumer.receive(BATCH);
      for (Delivery delivery : claimed) {
        byte[] body = delivery.message().body();
        if (body.length != BODY_BYTES
            || Bytes.toLong(body) != ~Bytes.toLong(body, BODY_BYTES - Long.BYTES)) {
          throw new IOException(delivery.message() + " is not what was appended");
        }
      }
      long bytes = (long) claimed.size() * BODY_BYTES;
      tally.read(new Moved(claimed.size(), bytes, bytes));
    }

    @Override
    public void close() throws IOException {
      producer.close();
      // What others have still to take of it they may.
      queue.seal(producer.lane());
    }
  }
}
