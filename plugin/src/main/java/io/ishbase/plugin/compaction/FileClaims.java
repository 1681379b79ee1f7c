package io.ishbase.plugin.compaction;

import java.io.Closeable;
import java.io.IOException;
import java.util.Arrays;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.StoreFileReader;
import org.apache.hadoop.hbase.regionserver.StoreFileScanner;
import org.apache.hadoop.hbase.util.Bytes;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a new file says of its cells, for which HBase leaves it out of reads, or drops markers: its
 * range of times, its Bloom filters, its earliest put. HBase is asked itself.
 */
final class FileClaims implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(FileClaims.class);

  private final HStore store;
  private final HFile.Reader cells;
  private final HStoreFile file;
  private final StoreFileReader reader;
  private final StoreFileScanner scanner;
  private final boolean isByColumn;
  private final byte @Nullable [] earliestPut;

  /** Null: none was asked about. */
  private byte @Nullable [] askedRow;

  /**
   * @param cells of the file; the caller closes it
   * @throws IOException if the file cannot be opened
   */
  FileClaims(HStore store, HFile.Reader cells) throws IOException {
    this.store = store;
    this.cells = cells;
    this.file = store.getStoreEngine().createStoreFileAndReader(cells.getPath());
    this.reader = file.getReader();
    this.isByColumn = reader.getBloomFilterType() == BloomType.ROWCOL;
    this.earliestPut = file.getMetadataValue(HStoreFile.EARLIEST_PUT_TS);
    this.scanner = file.getPreadScanner(true, Long.MAX_VALUE, 0, false);
  }

  HFile.Reader cells() {
    return cells;
  }

  /** Why HBase would not find a cell that is in the file; null: it finds it. Ask in order. */
  @Nullable String denies(Cell cell) throws IOException {
    long time = cell.getTimestamp();
    if (time < file.getMinimumTimestamp().orElse(time)
        || time > file.getMaximumTimestamp().orElse(time)) {
      return "its range of times";
    }
    byte[] row = CellUtil.cloneRow(cell);
    switch (KeyValue.Type.codeToType(cell.getTypeByte())) {
      case DeleteFamily, DeleteFamilyVersion -> {
        if (!reader.passesDeleteFamilyBloomFilter(row, 0, row.length)) {
          return "its Bloom filter of deleted families";
        }
      }
      case Put -> {
        if (earliestPut != null && Bytes.toLong(earliestPut) > time) {
          return "its earliest put";
        }
      }
      default -> {
        // Counts nowhere else.
      }
    }
    boolean isNewRow = !Arrays.equals(row, askedRow);
    askedRow = row;
    if (!isNewRow && !isByColumn) {
      return null;
    }
    Get get = new Get(row).addColumn(CellUtil.cloneFamily(cell), CellUtil.cloneQualifier(cell));
    return scanner.shouldUseScanner(new Scan(get), store, Long.MIN_VALUE)
        ? null
        : "its Bloom filter, or its first and last key";
  }

  @Override
  public void close() {
    scanner.close();
    try {
      file.closeStoreFile(true);
    } catch (IOException e) {
      LOG.debug("Cannot close {}", file, e);
    }
  }
}
