package io.ishbase.dist.cluster;

import io.ishbase.daemon.Issn;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Arrays;
import org.apache.hadoop.hbase.util.EnvironmentEdge;
import org.apache.hadoop.hbase.util.EnvironmentEdgeManager;

/**
 * A clock that a daemon has to itself, by which all of HBase's code goes in its process. How far it
 * is off stands in a file, at which it looks now and then. What measures durations is the
 * machine's.
 */
final class OwnClock implements EnvironmentEdge {
  private static final long LOOK_NANOS = Duration.ofMillis(20).toNanos();

  private final Path file;
  private volatile long aheadMillis;
  private volatile long lookedNanos = System.nanoTime() - LOOK_NANOS;

  OwnClock(Path file) {
    this.file = file;
  }

  /** Starts a daemon with the clock of the file that is the first argument. */
  public static void main(String[] arguments) throws Exception {
    EnvironmentEdgeManager.injectEdge(new OwnClock(Path.of(arguments[0])));
    Issn.main(Arrays.copyOfRange(arguments, 1, arguments.length));
  }

  /** Sets it, in whatever process it is. */
  void set(Duration ahead) throws IOException {
    Files.createDirectories(file.getParent());
    Path next = file.resolveSibling(file.getFileName() + ".next");
    Files.writeString(next, Long.toString(ahead.toMillis()));
    Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
  }

  @Override
  public long currentTime() {
    long now = System.nanoTime();
    if (now - lookedNanos >= LOOK_NANOS) {
      lookedNanos = now;
      try {
        aheadMillis = Long.parseLong(Files.readString(file));
      } catch (IOException e) {
        // As it was.
      }
    }
    return System.currentTimeMillis() + aheadMillis;
  }
}
