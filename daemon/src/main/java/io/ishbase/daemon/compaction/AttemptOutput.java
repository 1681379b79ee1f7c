package io.ishbase.daemon.compaction;

import java.io.IOException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
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

  void delete() {
    kept.forEach(cache::drop);
    try {
      fs.delete(directory, true);
    } catch (IOException | RuntimeException e) {
      LOG.warn("Cannot delete {}; its region server will", directory, e);
    }
  }
}
