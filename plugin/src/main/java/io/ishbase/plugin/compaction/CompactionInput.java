package io.ishbase.plugin.compaction;

import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.io.hfile.HFileInfo;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionRequestImpl;

/**
 * What is compacted, by the files' own words. Of halves of files it is the whole: a bound.
 *
 * @param cells in all files together
 * @param bytes of these cells, neither compressed nor encoded, without their tags
 */
record CompactionInput(long cells, long bytes) {
  static CompactionInput of(CompactionRequestImpl request) {
    long cells = 0;
    long bytes = 0;
    for (HStoreFile file : request.getFiles()) {
      // Of half a file HBase's store file reader would only guess.
      HFile.Reader reader = file.getReader().getHFileReader();
      HFileInfo info = reader.getHFileInfo();
      long cellBytes =
          (long) KeyValue.KEYVALUE_INFRASTRUCTURE_SIZE
              + info.getAvgKeyLen()
              + info.getAvgValueLen();
      cells += reader.getEntries();
      bytes += reader.getEntries() * cellBytes;
    }
    return new CompactionInput(cells, bytes);
  }
}
