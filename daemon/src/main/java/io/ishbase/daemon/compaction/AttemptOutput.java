package io.ishbase.daemon.compaction;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What one attempt has written: its directory, and what of it is kept in memory. Thread safe. */
final class AttemptOutput {
  private static final Logger LOG = LoggerFactory.getLogger(AttemptOutput.class);

  /** The file system does not say. */
  private static final long NONE = 0;

  private final FileSystem fs;
  private final Path directory;
  private final RemoteCache cache;

  /** The directory as its region server made it. */
  private volatile long made = NONE;

  private final Set<String> kept = ConcurrentHashMap.newKeySet();

  AttemptOutput(FileSystem fs, Path directory, RemoteCache cache) {
    this.fs = fs;
    this.directory = directory;
    this.cache = cache;
  }

  private void deleteIfEmpty(Path path) throws IOException {
    if (fs.listStatus(path).length == 0) {
      // Not with what somebody puts there meanwhile.
      fs.delete(path, false);
    }
  }

  private static long id(FileStatus status) {
    return status instanceof HdfsFileStatus inHdfs ? inHdfs.getFileId() : NONE;
  }

  /** The cache has the file of that name from now on. */
  void keeps(String name) {
    kept.add(name);
  }

  /** Whether the directory is there, which the region server made for it. */
  boolean isWanted() throws IOException {
    try {
      made = id(fs.getFileStatus(directory));
      return true;
    } catch (FileNotFoundException e) {
      LOG.debug("Nobody wants {}", directory, e);
      return false;
    }
  }

  /**
   * Deletes what is in the directory. Where that is gone itself, the attempt is nobody's any more,
   * or somebody else has opened the region. It goes, too, if it is another one than the region
   * server made: a file that was created after all has made it anew, and maybe its region's.
   */
  void delete() {
    kept.forEach(cache::drop);
    try {
      if (made != NONE && id(fs.getFileStatus(directory)) != made) {
        fs.delete(directory, true);
        deleteIfEmpty(directory.getParent());
        deleteIfEmpty(directory.getParent().getParent());
        return;
      }
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
