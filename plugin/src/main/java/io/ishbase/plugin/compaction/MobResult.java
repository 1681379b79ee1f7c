package io.ishbase.plugin.compaction;

import io.ishbase.protocol.AttemptDirectory;
import io.ishbase.protocol.generated.CompactionProtos.MobCells;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.mob.MobUtils;
import org.apache.hadoop.hbase.regionserver.HMobStore;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.util.EnvironmentEdgeManager;
import org.apache.hadoop.hbase.util.MD5Hash;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The MOB files of one attempt on their way into the table's MOB directory. HBase's compactor moves
 * each there once it is closed; these stay in the attempt's directory, where no cleaner looks and
 * with which they go, until the region server has the result. From then on it is as with HBase: who
 * dies before the store's commit leaves a MOB file to which nothing refers.
 *
 * <p>HBase's cleaner archives such files of the region server's own regions when they are older
 * than an hour. It looks at the stores' references first, then at the directory: what comes and is
 * referred to in between is saved by its age alone. So a file is as old as its move.
 *
 * <p>Relies on HBase 2.6: {@code HMobStore.commitFile} opens a file before it moves it, and {@code
 * RSMobFileCleanerChore} goes by the time of modification.
 */
final class MobResult {
  private static final Logger LOG = LoggerFactory.getLogger(MobResult.class);

  private final HMobStore store;
  private final FileSystem fs;
  private final Path directory;
  private final Pattern names;
  private final List<String> files = new ArrayList<>();
  private final List<Path> committed = new ArrayList<>();

  /** {@code attempt} is the attempt's directory. */
  MobResult(HMobStore store, Path attempt) {
    this.store = store;
    this.fs = store.getFileSystem();
    this.directory = new Path(attempt, AttemptDirectory.MOB);
    byte[] startKey = store.getRegionInfo().getStartKey();
    // As HBase's MobFileName: start key, day of the newest cell, one of a kind, region.
    this.names =
        Pattern.compile(
            MD5Hash.getMD5AsHex(startKey, 0, startKey.length)
                + "[0-9]{8,16}[0-9a-f]{32}_"
                + store.getRegionInfo().getEncodedName());
  }

  /** Whether a worker's {@code output} is one of these files. */
  static boolean isOne(String output) {
    return output.startsWith(AttemptDirectory.MOB);
  }

  /**
   * Takes note of one.
   *
   * @throws IOException if the region has no MOB files of that name
   */
  void add(String output) throws IOException {
    String name = output.substring(AttemptDirectory.MOB.length());
    if (!names.matcher(name).matches()) {
      throw new IOException("'" + output + "' is no MOB file of the region");
    }
    files.add(name);
  }

  /**
   * Moves them to where {@code newFile}'s cells look for them.
   *
   * @throws IOException if that fails, or they are not those to which the file refers
   */
  void commit(Path newFile) throws IOException {
    checkReferences(newFile);
    for (String name : files) {
      Path written = new Path(directory, name);
      fs.setTimes(written, EnvironmentEdgeManager.currentTime(), -1);
      store.commitFile(written, store.getPath());
      committed.add(new Path(store.getPath(), name));
    }
  }

  /** Counts what was moved as HBase's compactor does, which did so at the worker. */
  void count(MobCells moved) {
    store.updateCellsCountCompactedToMob(Math.max(0, moved.getTo()));
    store.updateCellsSizeCompactedToMob(Math.max(0, moved.getBytesTo()));
    store.updateCellsCountCompactedFromMob(Math.max(0, moved.getFrom()));
    store.updateCellsSizeCompactedFromMob(Math.max(0, moved.getBytesFrom()));
  }

  /** Deletes what was moved, before anything of the store refers to it. */
  void undo() {
    for (Path file : committed) {
      try {
        fs.delete(file, false);
      } catch (IOException e) {
        LOG.warn("Cannot delete {}, to which nothing refers; HBase's cleaner will", file, e);
      }
    }
  }

  /**
   * Each new MOB file is new and referred to, and each that is referred to is new, or was before.
   */
  private void checkReferences(Path newFile) throws IOException {
    byte[] written;
    try (HFile.Reader reader =
        HFile.createReader(
            fs, newFile, CacheConfig.DISABLED, true, store.getReadOnlyConfiguration())) {
      written = reader.getHFileInfo().get(HStoreFile.MOB_FILE_REFS);
    }
    if (written == null) {
      throw new IOException(newFile + " does not say to which MOB files it refers");
    }
    Set<Map.Entry<TableName, String>> missing = references(written);
    for (String name : files) {
      if (!missing.remove(Map.entry(store.getTableName(), name))) {
        throw new IOException(newFile + " does not refer to " + name);
      }
      // Cells of other files refer to it.
      if (exists(store.getTableName(), name)) {
        throw new IOException(name + " is there already");
      }
    }
    for (HStoreFile file : store.getStorefiles()) {
      missing.removeAll(references(file.getMetadataValue(HStoreFile.MOB_FILE_REFS)));
    }
    // Files loaded in bulk need not say to which they refer.
    for (Map.Entry<TableName, String> reference : missing) {
      if (!exists(reference.getKey(), reference.getValue())) {
        throw new IOException(newFile + " refers to " + reference + ", which is not there");
      }
    }
  }

  private boolean exists(TableName table, String name) throws IOException {
    for (Path location : store.getLocations(table)) {
      if (fs.exists(new Path(location, name))) {
        return true;
      }
    }
    return false;
  }

  /** In tables cloned from a snapshot cells refer to the MOB files of the original. */
  private static Set<Map.Entry<TableName, String>> references(byte @Nullable [] serialized)
      throws IOException {
    if (serialized == null) {
      return Set.of();
    }
    try {
      return new HashSet<>(MobUtils.deserializeMobFileRefs(serialized).build().entries());
    } catch (RuntimeException e) {
      throw new IOException("References to MOB files that cannot be read", e);
    }
  }
}
