package io.ishbase.bench;

import java.util.Locale;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.io.compress.Compression;
import org.apache.hadoop.hbase.io.encoding.DataBlockEncoding;

/**
 * What the rows of a table are like, and how its files keep them.
 *
 * @param columns of each row
 * @param columnBytes bytes of each value
 * @param blockBytes size of the HFiles' blocks
 * @param regions of about as many rows each; they are not split further
 */
public record TableFormat(
    int columns,
    int columnBytes,
    Values values,
    Compression.Algorithm codec,
    DataBlockEncoding encoding,
    int blockBytes,
    int regions) {
  private static final int USUAL_BLOCK_BYTES = 64 << 10;

  /** Rows that no codec can shrink by much, in files as HBase makes them: neither is tried. */
  public static final TableFormat PLAIN =
      new TableFormat(
          1,
          1000,
          Values.YCSB,
          Compression.Algorithm.NONE,
          DataBlockEncoding.NONE,
          USUAL_BLOCK_BYTES,
          1);

  /** As tables are kept in production: records of some columns, compressed, encoded, split. */
  public static final TableFormat TYPICAL =
      new TableFormat(
          10,
          100,
          Values.JSON,
          Compression.Algorithm.ZSTD,
          DataBlockEncoding.FAST_DIFF,
          USUAL_BLOCK_BYTES,
          8);

  public TableFormat withColumns(int count, int bytes) {
    return new TableFormat(count, bytes, values, codec, encoding, blockBytes, regions);
  }

  public TableFormat withValues(Values others) {
    return new TableFormat(columns, columnBytes, others, codec, encoding, blockBytes, regions);
  }

  public TableFormat withCodec(Compression.Algorithm other) {
    return new TableFormat(columns, columnBytes, values, other, encoding, blockBytes, regions);
  }

  public TableFormat withEncoding(DataBlockEncoding other) {
    return new TableFormat(columns, columnBytes, values, codec, other, blockBytes, regions);
  }

  public TableFormat withBlocksOf(int bytes) {
    return new TableFormat(columns, columnBytes, values, codec, encoding, bytes, regions);
  }

  public TableFormat withRegions(int count) {
    return new TableFormat(columns, columnBytes, values, codec, encoding, blockBytes, count);
  }

  /** Makes a family keep its files so. */
  public void applyTo(ColumnFamilyDescriptorBuilder family) {
    family.setBlocksize(blockBytes).setCompressionType(codec).setDataBlockEncoding(encoding);
  }

  @Override
  public String toString() {
    StringBuilder words = new StringBuilder();
    words.append(columns).append(" × ").append(columnBytes).append(" bytes");
    if (values != Values.YCSB) {
      words.append(" like ").append(values.name().toLowerCase(Locale.ROOT));
    }
    if (codec != Compression.Algorithm.NONE) {
      words.append(", ").append(codec);
    }
    if (encoding != DataBlockEncoding.NONE) {
      words.append(", ").append(encoding);
    }
    if (blockBytes != USUAL_BLOCK_BYTES) {
      words.append(", blocks of ").append(blockBytes).append(" bytes");
    }
    return words.toString();
  }
}
