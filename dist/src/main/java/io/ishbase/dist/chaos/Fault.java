package io.ishbase.dist.chaos;

import io.ishbase.cluster.ClusterServer;
import io.ishbase.cluster.NetworkRig;
import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.Random;

/** Something that goes wrong for a while. */
interface Fault {
  /** How far a clock is off. */
  Duration CLOCK_OFF = Duration.ofDays(3);

  /** How it is undone, or waited for until all is as before. */
  interface Mending {
    void mend() throws IOException;

    /** What happened, in so far as it was drawn; empty: what the fault says. */
    default String details() {
      return "";
    }

    /** Of what nobody undoes; {@code details} says what happened. */
    static Mending none(String details) {
      return new Mending() {
        @Override
        public void mend() {}

        @Override
        public String details() {
          return details;
        }
      };
    }
  }

  /** What it is, in words. */
  String what();

  /** Makes it happen; the answer undoes it. */
  Mending strike() throws IOException;

  /** One of those words that does so. */
  static Fault of(String what, Strike strike) {
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

  /** A server is asked to end, and started again at once. */
  static Fault ended(String name, ClusterServer server) {
    return of(
        name + " is stopped",
        () -> {
          try {
            server.end();
          } catch (IOException e) {
            // It waits for others, to which something happened before.
            server.kill();
          }
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

  /** What lasts until it is closed. */
  interface Beginning {
    Closeable begin() throws IOException;
  }

  /** One of those words that begins, and ends when it is mended. */
  static Fault lasting(String what, Beginning beginning) {
    return of(
        what,
        () -> {
          Closeable end = beginning.begin();
          return end::close;
        });
  }

  /** A server stands still. */
  static Fault paused(String name, ClusterServer server) {
    return lasting(
        name + " stands still",
        () -> {
          ClusterServer.Standstill standstill = server.standstill();
          standstill.stop();
          return standstill;
        });
  }

  /** A server runs for a tenth of the time. */
  static Fault slow(String name, ClusterServer server) {
    Duration still = Duration.ofMillis(90);
    Duration runs = Duration.ofMillis(10);
    return lasting(
        name + " is slow",
        () -> {
          ClusterServer.Standstill standstill = server.standstill();
          return Repetition.of(
              "slow " + name,
              pause -> {
                standstill.stop();
                pause.of(still);
                standstill.go();
                pause.of(runs);
              },
              standstill);
        });
  }

  /** A server's disk takes no more. */
  static Fault full(String name, ClusterServer server) {
    return lasting("the disk of " + name + " is full", server::fullDisk);
  }

  /** A server's clock is days ahead. */
  static Fault ahead(String name, ClusterServer server) {
    return lasting(
        "the clock of " + name + " is ahead",
        () -> {
          server.setClock(CLOCK_OFF);
          return () -> server.setClock(Duration.ZERO);
        });
  }

  /** A server's clock jumps to and fro, within days of the right time, ten times a second. */
  static Fault jumping(String name, ClusterServer server, long seed) {
    Random random = new Random(seed);
    int most = (int) CLOCK_OFF.toSeconds();
    return lasting(
        "the clock of " + name + " jumps",
        () ->
            Repetition.of(
                "clock of " + name,
                pause -> {
                  server.setClock(Duration.ofSeconds(random.nextInt(2 * most) - most));
                  pause.of(Duration.ofMillis(100));
                },
                () -> server.setClock(Duration.ZERO)));
  }

  /** What crosses between compute and storage is capped. */
  static Fault narrow(NetworkRig rig, int mbps) {
    return lasting(
        "the line to storage has " + mbps + " Mbps",
        () -> {
          rig.capMbps(mbps);
          return () -> rig.capMbps(0);
        });
  }
}
