package io.ishbase.plugin.prewarm;

import io.ishbase.core.hot.HotInterval;
import io.ishbase.core.hot.HotIntervals;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.regionserver.HRegionFileSystem;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.StoreFileInfo;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.CommonFSUtils;
import org.jspecify.annotations.Nullable;

/**
 * The file in which a store's hot rows are remembered while no region server has it open: {@code
 * .ishbase-hot-FAMILY} in the directory of its region. What it says are hints: it is replaced in
 * place, and one that is torn or that somebody else wrote is ignored.
 *
 * <p>Relies on HBase 2.6: in a region's directory it looks for directories whose names are those of
 * families, which do not begin with a period, and for files that it knows by name; it deletes the
 * directory with all that is in it. It never creates the directory: a region server that was
 * thought dead must not bring back that of a region that is gone.
 */
final class HotRowsFile {
  private static final String PREFIX = ".ishbase-hot-";

  private HotRowsFile() {}

  private static Path path(Path regionDirectory, String family) {
    return new Path(regionDirectory, PREFIX + family);
  }

  /** Replaces the file. */
  static void write(HRegionFileSystem region, String family, HotIntervals hottest)
      throws IOException {
    byte[] encoded = hottest.encoded();
    FileSystem fs = region.getFileSystem();
    Path path = path(region.getRegionDir(), family);
    FsPermission permission =
        CommonFSUtils.getFilePermissions(fs, fs.getConf(), HConstants.DATA_FILE_UMASK_KEY);
    try (FSDataOutputStream out =
        fs.createNonRecursive(
            path,
            permission,
            true,
            encoded.length,
            fs.getDefaultReplication(path),
            fs.getDefaultBlockSize(path),
            null)) {
      out.write(encoded);
    }
  }

  /** Deletes the file, if there is one. */
  static void delete(HRegionFileSystem region, String family) throws IOException {
    region.getFileSystem().delete(path(region.getRegionDir(), family), false);
  }

  /** Deletes the files of all families but these. */
  static void deleteThoseOfDroppedFamilies(HRegionFileSystem region, Set<byte[]> families)
      throws IOException {
    FileStatus[] files =
        region.getFileSystem().globStatus(new Path(region.getRegionDir(), PREFIX + "*"));
    for (FileStatus file : files == null ? new FileStatus[0] : files) {
      String family = file.getPath().getName().substring(PREFIX.length());
      if (!families.contains(Bytes.toBytes(family))) {
        delete(region, family);
      }
    }
  }

  /**
   * What is remembered of a store by its own file.
   *
   * @return null if it has none
   * @throws IOException if it cannot be read, or is damaged
   */
  static @Nullable HotIntervals read(HRegionFileSystem region, String family) throws IOException {
    return read(region.getFileSystem(), path(region.getRegionDir(), family));
  }

  /**
   * What is remembered of a store by those of the regions that its region was made of.
   *
   * @param parents from {@link #parents}
   * @throws IOException if a file cannot be read, or is damaged
   */
  static HotIntervals ofParents(
      HRegionFileSystem region, RegionInfo info, String family, List<Path> parents)
      throws IOException {
    List<HotIntervals> all = new ArrayList<>();
    for (Path parent : parents) {
      HotIntervals ofParent = read(region.getFileSystem(), path(parent, family));
      if (ofParent != null && !ofParent.isEmpty()) {
        all.add(ofParent);
      }
    }
    // Parents lie side by side.
    all.sort(Comparator.comparing(each -> each.iterator().next().from(), Bytes.BYTES_COMPARATOR));
    HotIntervals.Builder mine = new HotIntervals.Builder(HotIntervals.MAX_BYTES);
    for (HotIntervals ofParent : all) {
      for (HotInterval each : ofParent) {
        HotInterval part = each.within(info.getStartKey(), info.getEndKey());
        if (part != null && !mine.add(part)) {
          return mine.build();
        }
      }
    }
    return mine.build();
  }

  /**
   * The directories of the regions that a region was made of by a split or merge. To be asked for
   * when it opens: its files refer to theirs until the first compaction.
   */
  static List<Path> parents(Iterable<HStoreFile> files) {
    List<Path> parents = new ArrayList<>();
    for (HStoreFile file : files) {
      if (file.isReference()) {
        Path parent = StoreFileInfo.getReferredToFile(file.getPath()).getParent().getParent();
        if (!parents.contains(parent)) {
          parents.add(parent);
        }
      }
    }
    return parents;
  }

  private static @Nullable HotIntervals read(FileSystem fs, Path path) throws IOException {
    try (FSDataInputStream in = fs.open(path)) {
      return HotIntervals.decode(in.readNBytes(HotIntervals.MAX_BYTES + 1));
    } catch (FileNotFoundException e) {
      return null;
    } catch (IllegalArgumentException e) {
      throw new IOException(path + ": " + e.getMessage(), e);
    }
  }
}
