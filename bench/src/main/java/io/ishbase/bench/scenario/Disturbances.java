package io.ishbase.bench.scenario;

import io.ishbase.bench.BenchCluster;
import io.ishbase.bench.MajorCompaction;
import io.ishbase.cluster.ClusterServer;
import io.ishbase.cluster.ClusterServer.Standstill;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.jspecify.annotations.Nullable;

/** The disturbances of {@code tails}. */
final class Disturbances {
  /**
   * Of each such time a slow process runs for a tenth: slices that signals are quick enough for.
   */
  static final Duration SLICE = Duration.ofMillis(100);

  static final int TIMES_SLOWER = 10;

  private Disturbances() {}

  /** A process stands still. */
  static Disturbance paused(ClusterServer server) throws IOException {
    Standstill standstill = server.standstill();
    return new Disturbance() {
      @Override
      public void begin() throws IOException {
        standstill.stop();
      }

      @Override
      public void close() throws IOException {
        standstill.close();
      }
    };
  }

  /** A process runs for a tenth of the time. */
  static Disturbance slow(ClusterServer server) throws IOException {
    return slow(server.standstill(), SLICE);
  }

  static Disturbance slow(Standstill standstill, Duration slice) {
    long runs = slice.toNanos() / TIMES_SLOWER;
    return new Repeated("slow") {
      @Override
      void once() throws IOException {
        standstill.stop();
        LockSupport.parkNanos(slice.toNanos() - runs);
        standstill.go();
        LockSupport.parkNanos(runs);
      }

      @Override
      public void close() throws IOException {
        try {
          super.close();
        } finally {
          standstill.close();
        }
      }
    };
  }

  /**
   * A process is killed, and started again.
   *
   * @param atOnce or when the disturbance ends
   */
  static Disturbance killed(ClusterServer server, boolean atOnce) {
    return new Disturbance() {
      private boolean isKilled;
      private boolean isStarted;

      @Override
      public void begin() throws IOException {
        isKilled = true;
        server.kill();
        if (atOnce) {
          server.start();
          isStarted = true;
        }
      }

      @Override
      public void close() throws IOException {
        if (isKilled && !isStarted) {
          server.start();
        }
        if (isKilled) {
          server.awaitServing();
        }
      }
    };
  }

  /**
   * A DataNode is killed, and started again afterwards. Then the daemon beside it begins anew, too,
   * and the table's regions are opened anew: readers of HDFS never come back to a DataNode that
   * they have found dead.
   */
  static Disturbance withoutDataNode(
      BenchCluster cluster, int node, Connection connection, TableName table) {
    ClusterServer dataNode = cluster.server(ClusterServer.Kind.DATANODE, node);
    ClusterServer daemon = cluster.server(ClusterServer.Kind.DAEMON, node);
    return new Disturbance() {
      private boolean isKilled;

      @Override
      public void begin() throws IOException {
        isKilled = true;
        dataNode.kill();
      }

      @Override
      public void close() throws IOException {
        if (isKilled) {
          dataNode.start();
          dataNode.awaitServing();
          daemon.end();
          daemon.start();
          daemon.awaitServing();
          try (Admin admin = connection.getAdmin()) {
            admin.disableTable(table);
            admin.enableTable(table);
          }
        }
      }
    };
  }

  /** Major compactions of a table, one after the other; the last ends behind the window. */
  static Disturbance compactions(Connection connection, TableName table) {
    return new Repeated("compactions") {
      @Override
      void once() throws IOException {
        MajorCompaction.run(connection, table);
      }
    };
  }

  /** Something that is done again and again on a thread of its own. */
  private abstract static class Repeated implements Disturbance {
    private final Thread thread;
    private volatile boolean isOver;
    private volatile @Nullable IOException failure;

    Repeated(String name) {
      thread = new Thread(this::run, "disturbance-" + name);
      thread.setDaemon(true);
    }

    abstract void once() throws IOException;

    private void run() {
      try {
        while (!isOver) {
          once();
        }
      } catch (IOException e) {
        failure = e;
      }
    }

    @Override
    public void begin() {
      thread.start();
    }

    @Override
    public void close() throws IOException {
      isOver = true;
      Disturbance.join(thread);
      IOException failed = failure;
      if (failed != null) {
        throw failed;
      }
    }
  }
}
