package io.ishbase.plugin.hbase;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.io.HFileLink;
import org.apache.hadoop.hbase.regionserver.StoreFileInfo;

/**
 * Where the cells of store files lie: halves of split regions, and links of clones, have those of
 * other regions' files.
 *
 * <p>Relies on HBase 2.6: a file that its region has compacted keeps the names of region, family
 * and file in the archive.
 */
public final class DataFiles {
  private DataFiles() {}

  /**
   * The file of which {@code file} is a half, or itself: what a link leads to is not looked for.
   */
  public static Path whole(Path file) {
    if (!StoreFileInfo.isReference(file)) {
      return file;
    }
    Path whole = StoreFileInfo.getReferredToFile(file);
    // Where a link leads to only the file system knows.
    return HFileLink.isHFileLink(whole) ? file : whole;
  }

  /**
   * The file that has the cells of {@code file}, wherever that is now.
   *
   * @throws java.io.FileNotFoundException if a link leads nowhere
   */
  public static Path target(Configuration conf, FileSystem fs, Path file) throws IOException {
    Path whole = StoreFileInfo.isReference(file) ? StoreFileInfo.getReferredToFile(file) : file;
    return HFileLink.isHFileLink(whole)
        ? HFileLink.buildFromHFileLinkPattern(conf, whole).getAvailablePath(fs)
        : whole;
  }

  /**
   * Whether {@code file} lies in the directory of a region: not what a link leads to, nor what a
   * replica reads.
   *
   * @param encodedName of the region
   */
  public static boolean isOf(String encodedName, Path file) {
    String path = file.toUri().getPath();
    int family = path.lastIndexOf('/', path.lastIndexOf('/') - 1);
    int region = family - encodedName.length();
    return region > 0 && path.startsWith(encodedName, region);
  }

  /**
   * Where a region's file is now: there, or in the archive.
   *
   * @throws java.io.FileNotFoundException if it is nowhere
   */
  public static Path now(Configuration conf, FileSystem fs, Path file) throws IOException {
    Path family = file.getParent();
    Path region = family.getParent();
    Path table = region.getParent();
    return HFileLink.build(
            conf,
            TableName.valueOf(table.getParent().getName(), table.getName()),
            region.getName(),
            family.getName(),
            file.getName())
        .getAvailablePath(fs);
  }
}
