package io.ishbase.dist.cluster;

import java.io.Closeable;
import java.io.IOException;

/**
 * Lets no file of a process grow, as a full disk does, until it is closed: by the kernel's limit of
 * a file's size. What it prints into its log is lost meanwhile.
 */
final class FullDisk implements Closeable {
  private final ServerProcess server;

  /** Begins with {@code server}, which lives. */
  FullDisk(ServerProcess server) throws IOException {
    this.server = server;
    limit("0");
  }

  // The hard limit stays: nobody but root could raise it again.
  private void limit(String bytes) throws IOException {
    Commands.run("prlimit", "--pid", Long.toString(server.pid()), "--fsize=" + bytes + ":");
  }

  @Override
  public void close() throws IOException {
    if (server.isAlive()) {
      limit("unlimited");
    }
  }
}
