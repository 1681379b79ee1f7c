package io.ishbase.dist.cluster;

import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Lets no file of a process grow, as a full disk does, until it is closed: by the kernel's limit of
 * a file's size. What it prints into its log is lost meanwhile.
 */
final class FullDisk implements Closeable {
  private final ServerProcess server;
  private final String before;

  /** Begins with {@code server}, which lives. */
  FullDisk(ServerProcess server) throws IOException {
    this.server = server;
    this.before = prlimit("--fsize", "--output=SOFT", "--noheadings", "--raw").strip();
    limit("0");
  }

  // The hard limit stays: nobody but root could raise it again.
  private void limit(String bytes) throws IOException {
    prlimit("--fsize=" + bytes + ":");
  }

  private String prlimit(String... options) throws IOException {
    List<String> command =
        new ArrayList<>(List.of("prlimit", "--pid", Long.toString(server.pid())));
    command.addAll(List.of(options));
    return Commands.run(command.toArray(String[]::new));
  }

  @Override
  public void close() throws IOException {
    if (server.isAlive()) {
      limit(before);
    }
  }
}
