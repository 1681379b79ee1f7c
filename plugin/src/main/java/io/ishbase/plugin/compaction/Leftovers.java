package io.ishbase.plugin.compaction;

import java.io.IOException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What this region server could not delete of its attempts, because the NameNode did not answer. It
 * is swept with the region's next attempt. What others left goes when the region opens, as HBase
 * empties its {@code .tmp} then; whoever sweeps before may be a server that has lost the region,
 * and delete what its new one has under way.
 */
final class Leftovers {
  private static final Logger LOG = LoggerFactory.getLogger(Leftovers.class);

  /** Of more the regions' next openings have to do. */
  private static final int MOST = 10_000;

  private static final Set<Path> PATHS = ConcurrentHashMap.newKeySet();

  private Leftovers() {}

  /** Deletes {@code path}, now or later. */
  static void delete(FileSystem fs, Path path) {
    try {
      fs.delete(path, true);
      PATHS.remove(path);
    } catch (IOException e) {
      LOG.warn("Cannot delete {}; the region's next offloaded compaction or opening will", path, e);
      if (PATHS.size() < MOST) {
        PATHS.add(path);
      }
    }
  }

  /** Deletes what is left below a region's {@code temp}. */
  static void sweep(FileSystem fs, Path temp) {
    String region = temp.toUri().getPath() + "/";
    for (Path path : PATHS) {
      if (path.toUri().getPath().startsWith(region)) {
        LOG.info("Deleting {}, which was left over", path);
        delete(fs, path);
      }
    }
  }
}
