package io.ishbase.cluster;

import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;

/** A server process of a cluster, for whoever wants to see what others do without it. */
public interface ClusterServer {
  /** What it is. */
  enum Kind {
    DATANODE,
    DAEMON,
    COMPACTION_SERVER,
    REGION_SERVER,
    MASTER,
    ZOOKEEPER
  }

  /** Stops a process and lets it go on, as {@code SIGSTOP} and {@code SIGCONT} do. */
  interface Standstill extends Closeable {
    /** Stops it; returns when the signal is sent. */
    void stop() throws IOException;

    /** Lets it go on; returns when the signal is sent. */
    void go() throws IOException;

    /** Lets it go on, come what may. */
    @Override
    void close() throws IOException;
  }

  /** What stops it, and is quick then. It goes on when this is closed, or when this JVM ends. */
  Standstill standstill() throws IOException;

  /**
   * Lets no file of it grow until this is closed, as if its disk were full.
   *
   * @throws IOException if it does not run, or the system does not allow that
   */
  Closeable fullDisk() throws IOException;

  /**
   * Sets its clock.
   *
   * @param ahead of the machine's; negative: behind it
   * @throws IOException if it has no clock of its own
   */
  void setClock(Duration ahead) throws IOException;

  /** Ends it at once, as {@code SIGKILL} does; returns when it is gone. */
  void kill() throws IOException;

  /** Asks it to end; returns when it is gone. */
  void end() throws IOException;

  /** Starts it again and returns at once. */
  void start() throws IOException;

  /**
   * Waits until everybody can know of it, and nobody takes its predecessor to be there.
   *
   * @throws IOException if it ends before
   */
  void awaitServing() throws IOException;
}
