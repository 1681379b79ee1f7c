package io.ishbase.dist.chaos;

import io.ishbase.cluster.ClusterServer;
import io.ishbase.cluster.NetworkRig;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** Something that goes wrong for a while. */
interface Fault {
  /** How it is undone, or waited for until all is as before. */
  interface Mending {
    void mend() throws IOException;
  }

  /** What it is, in words. */
  String what();

  /** Makes it happen; the answer undoes it. */
  Mending strike() throws IOException;

  /** One of those words that does so. */
  private static Fault of(String what, Strike strike) {
    return new Fault() {
      @Override
      public String what() {
        return what;
      }

      @Override
      public Mending strike() throws IOException {
        return strike.strike();
      }
    };
  }

  /** What happens. */
  interface Strike {
    Mending strike() throws IOException;
  }

  /** A server is killed, and started again at once. */
  static Fault killed(String name, ClusterServer server) {
    return of(
        name + " is killed",
        () -> {
          server.kill();
          server.start();
          return server::awaitServing;
        });
  }

  /** A server is killed, and started again only when it is mended. */
  static Fault gone(String name, ClusterServer server) {
    return of(
        name + " is gone",
        () -> {
          server.kill();
          return () -> {
            server.start();
            server.awaitServing();
          };
        });
  }

  /** A server stands still. */
  static Fault paused(String name, ClusterServer server) {
    return of(
        name + " stands still",
        () -> {
          ClusterServer.Standstill standstill = server.standstill();
          standstill.stop();
          return standstill::close;
        });
  }

  /** A server runs for a tenth of the time. */
  static Fault slow(String name, ClusterServer server) {
    Duration still = Duration.ofMillis(90);
    Duration runs = Duration.ofMillis(10);
    return of(
        name + " is slow",
        () -> {
          ClusterServer.Standstill standstill = server.standstill();
          Thread thread =
              new Thread(
                  () -> {
                    try {
                      while (!Thread.currentThread().isInterrupted()) {
                        standstill.stop();
                        LockSupport.parkNanos(still.toNanos());
                        standstill.go();
                        LockSupport.parkNanos(runs.toNanos());
                      }
                    } catch (IOException e) {
                      // Its process has ended.
                    }
                  },
                  "slow " + name);
          thread.setDaemon(true);
          thread.start();
          return () -> {
            thread.interrupt();
            join(thread);
            standstill.close();
          };
        });
  }

  /** What crosses between compute and storage is capped. */
  static Fault narrow(NetworkRig rig, int mbps) {
    return of(
        "the line to storage has " + mbps + " Mbps",
        () -> {
          rig.capMbps(mbps);
          return () -> rig.capMbps(0);
        });
  }

  private static void join(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
