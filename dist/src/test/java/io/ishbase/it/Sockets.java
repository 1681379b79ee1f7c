package io.ishbase.it;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** TCP connections of this network namespace, as the kernel lists them. */
final class Sockets {
  private static final String ESTABLISHED = "01";
  private static final String CLOSE_WAIT = "08";

  private Sockets() {}

  /** Connections to {@code port} that their client has not closed. */
  static long openTo(int port) {
    String remotePort = String.format(":%04X", port);
    try (Stream<String> lines = Files.lines(Path.of("/proc/net/tcp"))) {
      return lines
          .map(line -> line.trim().split("\\s+"))
          .filter(fields -> fields.length > 3 && fields[2].endsWith(remotePort))
          .filter(fields -> fields[3].equals(ESTABLISHED) || fields[3].equals(CLOSE_WAIT))
          .count();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
