package org.apache.hadoop.hbase.regionserver;

import java.util.SortedSet;
import org.apache.hadoop.hbase.client.Scan;
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
}
