package io.ishbase.bench;

import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.io.compress.Compression;
import org.apache.hadoop.hbase.io.encoding.DataBlockEncoding;
import org.apache.hadoop.hbase.util.Bytes;

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
    int regions,
    Stores stores) {
  private static final int USUAL_BLOCK_BYTES = 64 << 10;
  private static final String FIELD = "field";
  private static final String FAMILY = "f";

  /** Neither so many files nor so many new ones make HBase compact, or wait with flushes. */
  private static final String NEVER = Integer.toString(1 << 20);

  /** About what a cell takes beside its value. */
  private static final int CELL_BYTES = 40;

  private static final int USUAL_ROW_BYTES = 1000;
  private static final long LEAST_ROWS = 32;
  private static final long MOST_BYTES_AT_ONCE = 64 << 20;

  /**
   * What a table's stores keep of what is written.
   *
   * @param families that the columns are divided over
   * @param versions how often each row is written, and how many versions the families keep
   * @param ttlSeconds after which cells expire; 0: never
   * @param files of each store. One: the table is compacted. More: it is flushed as often while it
   *     is written, and only who asks for a compaction gets one.
   */
  public record Stores(int families, int versions, int ttlSeconds, int files) {
    /** One family, one version, for ever, in one file. */
    public static final Stores USUAL = new Stores(1, 1, 0, 1);

    public Stores withFamilies(int count) {
      return new Stores(count, versions, ttlSeconds, files);
    }

    public Stores withVersions(int count) {
      return new Stores(families, count, ttlSeconds, files);
    }

    public Stores withTtl(int seconds) {
      return new Stores(families, versions, seconds, files);
    }

    public Stores withFiles(int count) {
      return new Stores(families, versions, ttlSeconds, count);
    }
  }

  /** Rows that no codec can shrink by much, in files as HBase makes them: neither is tried. */
  public static final TableFormat PLAIN =
      new TableFormat(
          1,
          1000,
          Values.YCSB,
          Compression.Algorithm.NONE,
          DataBlockEncoding.NONE,
          USUAL_BLOCK_BYTES,
          1,
          Stores.USUAL);

  /** As tables are kept in production: records of some columns, compressed, encoded, split. */
  public static final TableFormat TYPICAL =
      new TableFormat(
          10,
          100,
          Values.JSON,
          Compression.Algorithm.ZSTD,
          DataBlockEncoding.FAST_DIFF,
          USUAL_BLOCK_BYTES,
          8,
          Stores.USUAL);

  public TableFormat withColumns(int count, int bytes) {
    return new TableFormat(count, bytes, values, codec, encoding, blockBytes, regions, stores);
  }

  public TableFormat withValues(Values others) {
    return new TableFormat(
        columns, columnBytes, others, codec, encoding, blockBytes, regions, stores);
  }

  public TableFormat withCodec(Compression.Algorithm other) {
    return new TableFormat(
        columns, columnBytes, values, other, encoding, blockBytes, regions, stores);
  }

  public TableFormat withEncoding(DataBlockEncoding other) {
    return new TableFormat(columns, columnBytes, values, codec, other, blockBytes, regions, stores);
  }

  public TableFormat withBlocksOf(int bytes) {
    return new TableFormat(columns, columnBytes, values, codec, encoding, bytes, regions, stores);
  }

  public TableFormat withRegions(int count) {
    return new TableFormat(
        columns, columnBytes, values, codec, encoding, blockBytes, count, stores);
  }

  public TableFormat withStores(Stores others) {
    return new TableFormat(
        columns, columnBytes, values, codec, encoding, blockBytes, regions, others);
  }

  /** Bytes of a row's cells, about. */
  public long rowBytes() {
    return (long) columns * Math.max(columnBytes, CELL_BYTES);
  }

  /**
   * How many rows have about as many bytes as {@code rows} of 1 KB: as many, unless they are wider;
   * at least a few for each region.
   */
  public long rowsLike(long rows) {
    long wider = Math.max(USUAL_ROW_BYTES, rowBytes());
    return Math.max(rows * USUAL_ROW_BYTES / wider, Math.max(LEAST_ROWS, regions));
  }

  /** Whether so many rows can be asked for at once: clients and servers hold them in memory. */
  public boolean canReadAtOnce(int rows) {
    return rows * rowBytes() <= MOST_BYTES_AT_ONCE;
  }

  /** Names of the columns, in the order in which HBase sorts them. */
  public List<String> columnNames() {
    return IntStream.range(0, columns).mapToObj(column -> FIELD + column).sorted().toList();
  }

  /** The family of a column of that name: each has as many as the others. */
  public byte[] familyOf(String column) {
    return stores.families == 1
        ? Bytes.toBytes(FAMILY)
        : family(Integer.parseInt(column.substring(FIELD.length())) % stores.families);
  }

  /** Names of the families. */
  public List<byte[]> families() {
    return IntStream.range(0, stores.families).mapToObj(TableFormat::family).toList();
  }

  private static byte[] family(int number) {
    return Bytes.toBytes(number == 0 ? FAMILY : FAMILY + (number + 1));
  }

  /**
   * Gives a table its families, and what keeps its files as they are to be.
   *
   * @param further what else is to be settled of each family
   */
  public void applyTo(
      TableDescriptorBuilder table, Consumer<ColumnFamilyDescriptorBuilder> further) {
    for (byte[] name : families()) {
      ColumnFamilyDescriptorBuilder family = ColumnFamilyDescriptorBuilder.newBuilder(name);
      applyTo(family);
      further.accept(family);
      table.setColumnFamily(family.build());
    }
    if (stores.files > 1) {
      table.setValue("hbase.hstore.compaction.min", NEVER);
      table.setValue("hbase.hstore.blockingStoreFiles", NEVER);
    }
  }

  /** Makes a family keep its files so. */
  public void applyTo(ColumnFamilyDescriptorBuilder family) {
    family.setBlocksize(blockBytes).setCompressionType(codec).setDataBlockEncoding(encoding);
    family.setMaxVersions(stores.versions);
    if (stores.ttlSeconds > 0) {
      family.setTimeToLive(stores.ttlSeconds);
    }
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
    if (stores.families > 1) {
      words.append(", ").append(stores.families).append(" families");
    }
    if (stores.versions > 1) {
      words.append(", ").append(stores.versions).append(" versions");
    }
    if (stores.ttlSeconds > 0) {
      words.append(", TTL ").append(stores.ttlSeconds).append(" s");
    }
    if (stores.files > 1) {
      words.append(", ").append(stores.files).append(" files a store");
    }
    return words.toString();
  }
}
