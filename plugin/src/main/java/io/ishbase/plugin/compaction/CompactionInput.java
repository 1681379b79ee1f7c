package io.ishbase.plugin.compaction;

import io.ishbase.protocol.generated.CompactionProtos.CompactRequest;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.io.hfile.HFileInfo;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.StripeStoreFileManager;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionRequestImpl;
import org.apache.hadoop.hbase.shaded.protobuf.ProtobufUtil;
import org.apache.hadoop.hbase.util.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * What is compacted, by the files' own words. Of halves of files it is the whole: a bound.
 *
 * @param cells in all files together
 * @param bytes of these cells, neither compressed nor encoded, without their tags
 * @param maxSequenceId the greatest of the files'
 * @param firstKey null: there are no cells
 * @param lastKey null: there are no cells
 */
record CompactionInput(
    long cells, long bytes, long maxSequenceId, @Nullable Cell firstKey, @Nullable Cell lastKey) {
  static CompactionInput of(CompactionRequestImpl request, CellComparator order) {
    // Of half a file HBase's store file reader would only guess.
    List<HFile.Reader> readers =
        request.getFiles().stream().map(file -> file.getReader().getHFileReader()).toList();
    return new CompactionInput(
        readers.stream().mapToLong(HFile.Reader::getEntries).sum(),
        readers.stream().mapToLong(CompactionInput::bytes).sum(),
        request.getFiles().stream().mapToLong(HStoreFile::getMaxSequenceId).reduce(0, Math::max),
        readers.stream().flatMap(reader -> reader.getFirstKey().stream()).min(order).orElse(null),
        readers.stream().flatMap(reader -> reader.getLastKey().stream()).max(order).orElse(null));
  }

  private static int compareRows(HFile.Reader file, Cell cell, byte[] row) {
    return file.getComparator().compareRows(cell, row, 0, row.length);
  }

  private static long bytes(HFile.Reader reader) {
    HFileInfo info = reader.getHFileInfo();
    return reader.getEntries()
        * (KeyValue.KEYVALUE_INFRASTRUCTURE_SIZE
            + (long) info.getAvgKeyLen()
            + info.getAvgValueLen());
  }

  /**
   * Checks what HBase will believe of a new file: up to where edits of the log are in it, which
   * other files it stands for, and which rows it has.
   *
   * @param request to which the file is the answer
   * @throws IOException if it cannot have come of this
   */
  void check(HFile.Reader result, CompactRequest request) throws IOException {
    HFileInfo info = result.getHFileInfo();
    byte[] sequenceId = info.get(HStoreFile.MAX_SEQ_ID_KEY);
    if (sequenceId == null || Bytes.toLong(sequenceId) != maxSequenceId) {
      throw new IOException(
          "The new file's sequence id is "
              + (sequenceId == null ? "missing" : Bytes.toLong(sequenceId))
              + " instead of "
              + maxSequenceId);
    }
    for (String name :
        ProtobufUtil.toCompactedStoreFiles(info.get(HStoreFile.COMPACTION_EVENT_KEY))) {
      // Those that were compacted before may still be there.
      if (!request.getFileList().contains(name) && !request.getCompactedList().contains(name)) {
        throw new IOException("The new file stands for " + name + ", which was not compacted");
      }
    }
    Cell first = result.getFirstKey().orElse(null);
    Cell last = result.getLastKey().orElse(null);
    if (first != null
        && (firstKey == null
            || last == null
            || lastKey == null
            || result.getComparator().compare(first, firstKey) < 0
            || result.getComparator().compare(last, lastKey) > 0)) {
      throw new IOException("The new file's keys lie outside of those that were compacted");
    }
    byte[] stripe = info.get(StripeStoreFileManager.STRIPE_START_KEY);
    byte[] stripeEnd = info.get(StripeStoreFileManager.STRIPE_END_KEY);
    if (first != null
        && last != null
        && (stripe != null && compareRows(result, first, stripe) < 0
            || stripeEnd != null
                && stripeEnd.length > 0
                && compareRows(result, last, stripeEnd) >= 0)) {
      throw new IOException("The new file's keys lie outside of its stripe");
    }
  }
}
