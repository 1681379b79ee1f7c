package io.ishbase.plugin.hbase;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.HStoreFile;

/**
 * The compacted files of a closing store. HBase leaves those where they are that a scanner has
 * open. For all that lies there a split or a merge makes references, and where a file with puts was
 * left and that with their delete markers was not, deleted rows come back. Scanners of a closed
 * region find nothing any more.
 */
public final class CompactedFiles {
  private CompactedFiles() {}

  /** Those of {@code store} that scanners have open. */
  public static List<HStoreFile> beingRead(HStore store) {
    return store.getCompactedFiles().stream().filter(HStoreFile::isReferencedInReads).toList();
  }

  /**
   * Archives what HBase left of {@code compacted} when it closed {@code store}.
   *
   * @throws IOException if that fails: as with files that nobody reads, the region must not count
   *     as closed then
   */
  public static void archive(HStore store, Collection<HStoreFile> compacted) throws IOException {
    if (!store.isPrimaryReplicaStore()) {
      return;
    }
    List<HStoreFile> left = new ArrayList<>();
    for (HStoreFile file : compacted) {
      // HBase has archived it if its last scanner was closed in time.
      if (store.getFileSystem().exists(file.getPath())) {
        left.add(file);
      }
    }
    if (!left.isEmpty()) {
      store.getHRegion().getRegionFileSystem().removeStoreFiles(store.getColumnFamilyName(), left);
    }
  }
}
