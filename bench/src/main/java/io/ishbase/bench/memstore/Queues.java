package io.ishbase.bench.memstore;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * A queue of each client: it puts an entry behind the last or deletes the first, by chance, and
 * lets {@value #MOST_ENTRIES} entries wait at most. So nearly all entries are gone before a
 * memstore is full. Keys are not used twice.
 */
final class Queues implements Script {
  static final int MOST_ENTRIES = 16;
  private static final byte[] COLUMN = Bytes.toBytes("e");

  private final int valueBytes;
  private final long seed;
  private final Map<Integer, Client> clients = new ConcurrentHashMap<>();

  Queues(int valueBytes, long seed) {
    this.valueBytes = valueBytes;
    this.seed = seed;
  }

  @Override
  public String prefix() {
    return "q";
  }

  @Override
  public long rows() {
    return 0;
  }

  @Override
  public Put row(long number) {
    throw new IndexOutOfBoundsException("queues begin empty");
  }

  @Override
  public Supplier<Operation> client(int worker) {
    Client client = new Client(worker);
    clients.put(worker, client);
    return client;
  }

  @Override
  public void check(Table table) throws IOException {
    TreeSet<String> left = new TreeSet<>();
    clients.values().forEach(client -> client.entries.forEach(e -> left.add(Bytes.toString(e))));
    ScriptRows.scan(
        table,
        prefix(),
        row -> {
          if (!left.remove(Bytes.toString(row.getRow()))) {
            throw new IOException(
                "queue: " + Bytes.toString(row.getRow()) + " is there, but was deleted");
          }
        });
    if (!left.isEmpty()) {
      throw new IOException("queue: entries are missing: " + left);
    }
  }

  private final class Client implements Supplier<Operation> {
    private final String queue;
    private final SplittableRandom random;

    /** Keys of those that wait, the oldest first. */
    private final Deque<byte[]> entries = new ArrayDeque<>();

    private long next;

    Client(int worker) {
      queue = String.format(Locale.ROOT, "%s%05d-", prefix(), worker);
      random = new SplittableRandom(ScriptRows.seed(seed, worker, 1));
    }

    @Override
    public Operation get() {
      boolean put = random.nextBoolean();
      if (entries.isEmpty() || (put && entries.size() < MOST_ENTRIES)) {
        byte[] key = ScriptRows.key(queue, next);
        entries.add(key);
        return new Operation.Write(
            new Put(key)
                .addColumn(ScriptRows.FAMILY, COLUMN, ScriptRows.value(next++, 0, valueBytes)));
      }
      return new Operation.Remove(entries.remove());
    }
  }
}
