package io.ishbase.dist.example;

import io.ishbase.archetypes.queue.GroupOptions;
import io.ishbase.archetypes.queue.Queue;
import io.ishbase.archetypes.queue.Queues;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;

/**
 * The class files of the running JDK as messages of a queue "work": one group reads and hashes each
 * at least once, the other sums bytes of packages exactly once. Consumers of both die on the way.
 */
final class QueueExample implements Example {
  private static final TableName TABLE = TableName.valueOf("example_queue");
  private static final String QUEUE = "work";
  private static final int SHARDS = 4;
  private static final int MAX_BODY_BYTES = 4096;
  private static final Duration VISIBILITY = Duration.ofSeconds(3);

  @Override
  public String name() {
    return "queue";
  }

  @Override
  public String description() {
    return "the JDK's class files as messages for two groups, of which consumers die";
  }

  @Override
  public void run(Connection connection, PrintStream out) throws IOException {
    List<ClassFile> files = ClassFile.all();
    long hash = 0;
    Map<String, Long> bytesOfPackages = new TreeMap<>();
    for (ClassFile file : files) {
      hash += file.checksum();
      bytesOfPackages.merge(file.packageName(), file.bytes(), Long::sum);
    }
    Queues queues = new Queues(connection, TABLE);
    try (Admin admin = connection.getAdmin()) {
      if (admin.tableExists(TABLE)) {
        if (admin.isTableEnabled(TABLE)) {
          admin.disableTable(TABLE);
        }
        admin.deleteTable(TABLE);
      }
      Queues.createTable(
          admin, Queues.describe(TABLE).setValue("ishbase.memstore", "auto"), SHARDS);
    }
    Queue queue = queues.create(QUEUE, SHARDS, MAX_BODY_BYTES);
    queue.createGroup(QueueRun.HASH, GroupOptions.atLeastOnce(VISIBILITY));
    queue.createGroup(QueueRun.BYTES, GroupOptions.exactlyOnce());
    out.printf(
        "%,d class files of %s, %,d packages, %,d bytes%n%n",
        files.size(),
        System.getProperty("java.vm.version"),
        bytesOfPackages.size(),
        files.stream().mapToLong(ClassFile::bytes).sum());
    QueueRun run = new QueueRun(queues, QUEUE, files);
    run.run();
    run.print(out);
    check(out, "hashes of all class files", run.hash() == hash);
    check(out, "bytes of all packages", queue.sums(QueueRun.BYTES).equals(bytesOfPackages));
    queue.trim();
    check(out, "nothing is left", queue.lanes().isEmpty());
  }

  private static void check(PrintStream out, String what, boolean right) throws IOException {
    out.println(what + ": " + (right ? "as they must be" : "WRONG"));
    if (!right) {
      throw new IOException("queue: " + what + " are not what the JDK says");
    }
  }
}
