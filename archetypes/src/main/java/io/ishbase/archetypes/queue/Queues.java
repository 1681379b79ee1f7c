package io.ishbase.archetypes.queue;

import java.io.IOException;
import java.time.InstantSource;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;

/** The queues of a table. Safe for threads. */
public final class Queues {
  /** The most shards of a queue. */
  public static final int MAX_SHARDS = 256;

  /** The most that {@code maxBodyBytes} may be: below HBase's usual limit of a cell. */
  public static final int MAX_BODY_BYTES = 8 << 20;

  private final Connection connection;
  private final TableName table;
  private final InstantSource clock;
  private final Steps steps;

  /** Those of {@code table}, with the system's clock. The connection stays the caller's. */
  public Queues(Connection connection, TableName table) {
    this(connection, table, InstantSource.system(), Steps.NONE);
  }

  private Queues(Connection connection, TableName table, InstantSource clock, Steps steps) {
    this.connection = connection;
    this.table = table;
    this.clock = clock;
    this.steps = steps;
  }

  /** With another clock: messages' times and claims are by it. */
  public Queues with(InstantSource otherClock) {
    return new Queues(connection, table, otherClock, steps);
  }

  /** With {@code otherSteps} being told of each write. */
  public Queues with(Steps otherSteps) {
    return new Queues(connection, table, clock, otherSteps);
  }

  /** A table for queues, to which the caller may add what else a table can have. */
  public static TableDescriptorBuilder describe(TableName table) {
    return TableDescriptorBuilder.newBuilder(table)
        .setColumnFamily(
            ColumnFamilyDescriptorBuilder.newBuilder(Keys.MESSAGES).setMaxVersions(1).build())
        .setColumnFamily(
            ColumnFamilyDescriptorBuilder.newBuilder(Keys.STATE)
                .setMaxVersions(1)
                .setInMemory(true)
                .build());
  }

  /**
   * Makes a table with a region for each of {@code shards}, 1 to {@value #MAX_SHARDS}.
   *
   * @throws IOException if HBase fails, or the table exists
   */
  public static void createTable(Admin admin, TableDescriptorBuilder table, int shards)
      throws IOException {
    checkShards(shards);
    if (shards == 1) {
      admin.createTable(table.build());
      return;
    }
    byte[][] splits = new byte[shards - 1][];
    for (int shard = 1; shard < shards; shard++) {
      splits[shard - 1] = new byte[] {(byte) shard};
    }
    admin.createTable(table.build(), splits);
  }

  /**
   * Makes a queue.
   *
   * @param name 1 to 64 letters, digits, dots, underscores and hyphens
   * @param shards over how many its lanes are spread, 1 to {@value #MAX_SHARDS}; one for each
   *     region, to use them all
   * @param maxBodyBytes of a message, 1 to {@value #MAX_BODY_BYTES}
   * @throws QueueException if there is one of this name, or there is no table
   */
  public Queue create(String name, int shards, int maxBodyBytes) throws IOException {
    Keys.checkName("queue", name);
    checkShards(shards);
    if (maxBodyBytes < 1 || maxBodyBytes > MAX_BODY_BYTES) {
      throw new IllegalArgumentException(
          "maxBodyBytes: " + maxBodyBytes + ", not 1 to " + MAX_BODY_BYTES);
    }
    new RegistryCell(store(), name).create(Registry.empty(shards, maxBodyBytes));
    return open(name);
  }

  /**
   * A queue that was made before.
   *
   * @throws QueueException if there is no such queue, or no table
   */
  public Queue open(String name) throws IOException {
    Keys.checkName("queue", name);
    Store store = store();
    return new Queue(store, name, new RegistryCell(store, name).read().shards());
  }

  private Store store() {
    return new Store(connection, table, clock, steps, new QueueCounters());
  }

  private static void checkShards(int shards) {
    if (shards < 1 || shards > MAX_SHARDS) {
      throw new IllegalArgumentException("shards: " + shards + ", not 1 to " + MAX_SHARDS);
    }
  }
}
