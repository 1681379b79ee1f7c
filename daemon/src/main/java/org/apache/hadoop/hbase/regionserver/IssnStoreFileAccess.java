package org.apache.hadoop.hbase.regionserver;

import java.util.SortedSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.io.HFileLink;
import org.apache.hadoop.hbase.io.Reference;
import org.apache.hadoop.hbase.io.hfile.FixedFileTrailer;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;

/**
 * The package-private members of HBase 2.6's store files that the storage daemon relies on: {@code
 * StoreFileReader.passesBloomFilter(Scan, SortedSet)}, {@code StoreFileScanner.getReader} and
 * {@code StoreFileWriter.getLiveFileWriter}.
 */
@NullMarked
public final class IssnStoreFileAccess {
  private IssnStoreFileAccess() {}

  /**
   * A file that is there, without asking the file system for its status.
   *
   * @param reference null: a whole file
   * @param link null: none
   */
  public static StoreFileInfo info(
      Configuration conf,
      FileSystem fs,
      Path file,
      @Nullable Reference reference,
      @Nullable HFileLink link) {
    try {
      return new StoreFileInfo(conf, fs, 0, file, 0, reference, link, true);
    } catch (NoSuchMethodError e) {
      // HBase 2.6.1.
      return new StoreFileInfo(conf, fs, new FileStatus(0, false, 0, 0, 0, file), reference, link);
    }
  }

  /** As HBase's own file scanner decides: false only if the file certainly lacks the scan's row. */
  public static boolean passesBloomFilter(
      StoreFileReader reader, Scan scan, @Nullable SortedSet<byte[]> columns) {
    return reader.passesBloomFilter(scan, columns);
  }

  /** The reader of a scanner. */
  public static StoreFileReader reader(StoreFileScanner scanner) {
    return scanner.getReader();
  }

  /** What writes the HFile; the live one where historical cells go into another. */
  public static HFile.Writer writer(StoreFileWriter file) {
    return file.getLiveFileWriter();
  }

  /**
   * How large blocks of a file are, on the mean, when they are unpacked. Less where that is not
   * known: in a file whose index has levels, which has many.
   */
  public static long meanBlockBytes(HFile.Reader file) {
    FixedFileTrailer trailer = file.getTrailer();
    int blocks = trailer.getDataIndexCount();
    return trailer.getNumDataIndexLevels() > 1 || blocks == 0
        ? 0
        : trailer.getTotalUncompressedBytes() / blocks;
  }
}
