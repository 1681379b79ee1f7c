package io.ishbase.dist;

import io.ishbase.cluster.Progress;
import io.ishbase.cluster.sample.ClusterSampler;
import io.ishbase.cluster.sample.Moment;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;

/** A plan's input from a cluster that is looked at for a while, as any client may. */
final class LookedAtCluster {
  private static final int CALL_MILLIS = 10_000;
  private static final int OPERATION_MILLIS = 20_000;

  private LookedAtCluster() {}

  /**
   * The input's lines.
   *
   * @throws CliException if it does not answer, with the reason
   */
  static List<String> lines(String zooKeeper, int seconds) throws IOException {
    try (Connection connection = ConnectionFactory.createConnection(configuration(zooKeeper));
        Admin admin = connection.getAdmin()) {
      requireAnswer(admin, zooKeeper);
      ClusterSampler sampler = new ClusterSampler(connection, admin);
      sampler.lookIntoRows(sampler.look());
      Moment before = sampler.look();
      try (Progress progress = Progress.ofSeconds("looking at the cluster", seconds)) {
        TimeUnit.SECONDS.sleep(seconds);
        progress.done();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new InterruptedIOException("Looking at the cluster was interrupted");
      }
      return PlanOfCluster.lines(sampler.between(before, sampler.look()), zooKeeper);
    }
  }

  private static Configuration configuration(String zooKeeper) {
    Configuration conf =
        ZooKeeperAddress.of(zooKeeper)
            .orElseThrow(
                () ->
                    new CliException(
                        "--cluster is "
                            + ZooKeeperAddress.FORM
                            + " of its ZooKeeper, not '"
                            + zooKeeper
                            + "'"))
            .configuration();
    // Whoever mistypes an address learns it soon.
    conf.setInt("hbase.client.retries.number", 2);
    conf.setInt("zookeeper.recovery.retry", 1);
    conf.setInt("hbase.rpc.timeout", CALL_MILLIS);
    conf.setInt("hbase.client.operation.timeout", OPERATION_MILLIS);
    conf.setInt("hbase.client.meta.operation.timeout", OPERATION_MILLIS);
    conf.setInt("hbase.client.scanner.timeout.period", OPERATION_MILLIS);
    return conf;
  }

  private static void requireAnswer(Admin admin, String zooKeeper) {
    TargetCluster.requireZNode(admin.getConfiguration());
    try {
      admin.listNamespaces();
    } catch (IOException e) {
      throw new CliException(
          "No HBase that answers this user has its ZooKeeper at "
              + zooKeeper
              + ", or it wants Kerberos, which this command has not: "
              + e.toString().lines().findFirst().orElse(""),
          e);
    }
  }
}
