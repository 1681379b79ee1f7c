package io.ishbase.daemon.compaction;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What one attempt has written: its directory, and what of it is kept in memory. Thread safe. */
final class AttemptOutput {
  private static final Logger LOG = LoggerFactory.getLogger(AttemptOutput.class);

  private final FileSystem fs;
  private final Path directory;
  private final RemoteCache cache;
  private final Set<String> kept = ConcurrentHashMap.newKeySet();

  AttemptOutput(FileSystem fs, Path directory, RemoteCache cache) {
    this.fs = fs;
    this.directory = directory;
    this.cache = cache;
  }

  /** The cache has the file of that name from now on. */
  void keeps(String name) {
    kept.add(name);
  }

  /**
   * Deletes what is in the directory. Where that is gone itself, somebody else has opened the
   * region.
   */
  void delete() {
    kept.forEach(cache::drop);
    try {
      for (FileStatus status : fs.listStatus(directory)) {
        fs.delete(status.getPath(), true);
      }
    } catch (FileNotFoundException e) {
      LOG.debug("{} is deleted already", directory, e);
    } catch (IOException | RuntimeException e) {
      LOG.warn("Cannot delete {}; its region server will", directory, e);
    }
  }
}
