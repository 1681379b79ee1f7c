package org.apache.hadoop.hbase.regionserver;

import java.io.IOException;
import java.io.UncheckedIOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.jspecify.annotations.NullMarked;

/**
 * A region's directory as a compaction at a daemon sees it: new files go into the attempt's own
 * directory, and nothing else is changed. In this package because the constructor and {@code
 * createStoreDir} are package-private.
 */
@NullMarked
public final class IssnRegionFileSystem extends HRegionFileSystem {
  private final Path attemptDirectory;
  private volatile boolean isBegun;

  public IssnRegionFileSystem(
      Configuration conf,
      FileSystem fs,
      Path tableDirectory,
      RegionInfo region,
      Path attemptDirectory) {
    super(conf, fs, tableDirectory, region);
    this.attemptDirectory = attemptDirectory;
  }

  /** From now on no file is begun where the attempt's directory has been deleted. */
  public void begin() {
    isBegun = true;
  }

  /**
   * Relies on HBase 2.6: each writer asks for it before it makes the directories that it needs.
   *
   * @throws UncheckedIOException if the attempt is over
   */
  @Override
  public Path getTempDir() {
    try {
      if (isBegun && !getFileSystem().exists(attemptDirectory)) {
        throw new IOException("The attempt is over");
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return attemptDirectory;
  }

  @Override
  Path createStoreDir(String familyName) {
    return getStoreDir(familyName);
  }

  @Override
  public void setStoragePolicy(String familyName, String policyName) {
    // The region server has done so.
  }
}
