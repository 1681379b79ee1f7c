package io.ishbase.plugin.hbase;

import org.apache.hadoop.hbase.io.HalfStoreFileReader;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.io.hfile.HFilePreadReader;
import org.apache.hadoop.hbase.io.hfile.HFileStreamReader;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.StoreFileReader;

/**
 * Tells readers of store files that HBase made from those that a coprocessor put in their place
 * ({@code preStoreFileReaderOpen}, {@code postStoreFileReaderOpen}). What such a reader shows of
 * its file nobody else knows: the file is read through it alone, and its cells are not cached.
 */
public final class FileReaders {
  private FileReaders() {}

  /** Whether {@code reader}, of a file of {@code store}, shows just what a daemon would. */
  public static boolean isHBases(HStore store, StoreFileReader reader) {
    Class<?> type = reader.getClass();
    HFile.Reader file = reader.getHFileReader();
    boolean isKnown =
        file != null
            && (file.getClass() == HFilePreadReader.class
                || file.getClass() == HFileStreamReader.class);
    if (type == HalfStoreFileReader.class) {
      // A coprocessor's may be another half than the reference says.
      return isKnown && !CompactionHooks.mayReplaceReaders(store);
    }
    return isKnown && type == StoreFileReader.class;
  }
}
