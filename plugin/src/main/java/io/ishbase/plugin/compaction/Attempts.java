package io.ishbase.plugin.compaction;

import io.ishbase.protocol.AttemptDirectory;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.util.EnvironmentEdgeManager;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The attempts of this region server, and the removal of what others left. A region has one region
 * server, so an attempt in its directory that is not among them has lost its region server, or the
 * NameNode did not answer when it was to be deleted.
 */
final class Attempts {
  private static final Logger LOG = LoggerFactory.getLogger(Attempts.class);
  private static final Set<String> UNDER_WAY = ConcurrentHashMap.newKeySet();

  private Attempts() {}

  static void begin(String attempt) {
    UNDER_WAY.add(attempt);
  }

  static void end(String attempt) {
    UNDER_WAY.remove(attempt);
  }

  /** Deletes the attempts in a region's {@code .tmp} that are nobody's and older than a lease. */
  static void sweep(FileSystem fs, Path temp, long leaseMillis) throws IOException {
    long now = EnvironmentEdgeManager.currentTime();
    try {
      for (FileStatus status : fs.listStatus(temp)) {
        String name = status.getPath().getName();
        if (name.startsWith(AttemptDirectory.PREFIX)
            && !UNDER_WAY.contains(name.substring(AttemptDirectory.PREFIX.length()))
            && now - status.getModificationTime() > leaseMillis) {
          LOG.info("Deleting {}, which was left over", status.getPath());
          fs.delete(status.getPath(), true);
        }
      }
    } catch (FileNotFoundException e) {
      // The region has had no temporary file yet.
    }
  }
}
