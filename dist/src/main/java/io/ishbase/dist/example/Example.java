package io.ishbase.dist.example;

import java.io.IOException;
import java.io.PrintStream;
import org.apache.hadoop.hbase.client.Connection;

/** What one of the archetypes does with real input on a running HBase. */
public interface Example {
  /** What it is called on the command line. */
  String name();

  /** What it shows, in a line. */
  String description();

  /**
   * Makes its tables anew, stores its input, reads it back as users would, and prints a table and a
   * picture.
   *
   * @throws IOException if HBase fails
   */
  void run(Connection connection, PrintStream out) throws IOException;
}
