package io.ishbase.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Counts what has crossed from the storage nodes to the compute node. */
public interface ByteCounter {
  /** Bytes since some fixed moment. */
  long bytes() throws IOException;

  /** What it counts, for the reader of a report. */
  String description();

  /**
   * Bytes that came in on the compute node's interface, all headers included. To be used inside the
   * compute node's network namespace; clients there use loopback, which is not counted.
   */
  static ByteCounter ofInterface(String name) {
    Path received = Path.of("/sys/class/net", name, "statistics", "rx_bytes");
    return new ByteCounter() {
      @Override
      public long bytes() throws IOException {
        return Long.parseLong(Files.readString(received).trim());
      }

      @Override
      public String description() {
        return "bytes received on the compute node's network interface";
      }
    };
  }
}
