package io.ishbase.dist;

import io.ishbase.bench.TableFormat;
import io.ishbase.bench.Values;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.hbase.io.compress.Compression;
import org.apache.hadoop.hbase.io.encoding.DataBlockEncoding;
import picocli.CommandLine.Option;

/** What the usual table of a benchmark is like, as the user says it. */
final class TableOptions {
  private static final Pattern COLUMNS = Pattern.compile("([1-9]\\d{0,5})x([1-9]\\d{0,6})");

  /** Names: HBase's enumeration reads hbase-site.xml, which may be wrong, where it is loaded. */
  private static final Set<String> CODECS = Set.of("none", "gz", "snappy", "zstd");

  private static final int MAX_REGIONS = 100;
  private static final int MAX_BLOCK_KB = 4096;
  private static final int MAX_ROW_MB = 32;
  private static final int MAX_VERSIONS = 100;
  private static final int MAX_FAMILIES = 20;
  private static final int MAX_FILES = 200;

  /** Longer than a benchmark lasts: rows that expire meanwhile would be missed by its checks. */
  private static final int LEAST_TTL_SECONDS = 86_400;

  @Option(
      names = "--table",
      description = {
        "The usual table: plain (1 column of 1 KB that no codec shrinks by much, as HBase makes"
            + " tables), or typical (10 columns of 100 B like JSON, ZSTD, FAST_DIFF, 8 regions);"
            + " plain. The options below change it."
      })
  private String table = "plain";

  @Option(names = "--columns", paramLabel = "NxBYTES", description = "Columns of each row.")
  private String columns;

  @Option(names = "--values", description = "What values are like: ycsb, json, log, metrics.")
  private String values;

  @Option(names = "--codec", description = "Compression of its files: none, gz, snappy, zstd.")
  private String codec;

  @Option(
      names = "--encoding",
      description = "Encoding of its blocks: none, prefix, diff, fast_diff, row_index_v1.")
  private String encoding;

  @Option(names = "--block-kb", description = "Size of its blocks in KB.")
  private Integer blockKb;

  @Option(names = "--regions", description = "How many it has.")
  private Integer regions;

  @Option(
      names = "--versions",
      description = "How often each row is written, and versions that its family keeps.")
  private Integer versions;

  @Option(
      names = "--ttl",
      paramLabel = "SECONDS",
      description = "After which its cells expire; " + LEAST_TTL_SECONDS + " or more.")
  private Integer ttl;

  @Option(names = "--families", description = "That its columns are divided over.")
  private Integer families;

  @Option(
      names = "--files",
      description = "HFiles of each store; with more than 1 it is flushed, not compacted.")
  private Integer files;

  /**
   * The table.
   *
   * @throws CliException if an option has no such value
   */
  TableFormat format() {
    TableFormat format =
        switch (table) {
          case "plain" -> TableFormat.PLAIN;
          case "typical" -> TableFormat.TYPICAL;
          default -> throw new CliException("--table is plain or typical, not " + table);
        };
    if (columns != null) {
      Matcher matcher = COLUMNS.matcher(columns);
      if (!matcher.matches()) {
        throw new CliException("--columns is like 10x100, columns times bytes, not " + columns);
      }
      format =
          format.withColumns(
              Integer.parseInt(matcher.group(1)), Integer.parseInt(matcher.group(2)));
      if (format.rowBytes() > MAX_ROW_MB << 20) {
        throw new CliException(
            "--columns "
                + columns
                + ": a row of "
                + (format.rowBytes() >> 20)
                + " MB; benchmarks read rows of "
                + MAX_ROW_MB
                + " MB at most");
      }
    }
    if (values != null) {
      format = format.withValues(one(Values.class, "--values", values));
    }
    if (codec != null) {
      if (!CODECS.contains(codec.toLowerCase(Locale.ROOT))) {
        throw new CliException(
            "--codec: no benchmark has " + codec + ", but none, gz, snappy, zstd");
      }
      format = format.withCodec(one(Compression.Algorithm.class, "--codec", codec));
    }
    if (encoding != null) {
      format = format.withEncoding(one(DataBlockEncoding.class, "--encoding", encoding));
    }
    if (blockKb != null) {
      format = format.withBlocksOf(within("--block-kb", blockKb, MAX_BLOCK_KB) << 10);
    }
    if (regions != null) {
      format = format.withRegions(within("--regions", regions, MAX_REGIONS));
    }
    return format.withStores(stores(format));
  }

  private TableFormat.Stores stores(TableFormat format) {
    TableFormat.Stores stores = format.stores();
    if (versions != null) {
      stores = stores.withVersions(within("--versions", versions, MAX_VERSIONS));
    }
    if (ttl != null) {
      if (ttl < LEAST_TTL_SECONDS) {
        throw new CliException(
            "--ttl is "
                + LEAST_TTL_SECONDS
                + " or more: what expires while it is read would count as lost");
      }
      stores = stores.withTtl(ttl);
    }
    if (families != null) {
      stores = stores.withFamilies(within("--families", families, MAX_FAMILIES));
      if (families > format.columns()) {
        throw new CliException(
            "--families " + families + ": a row has " + format.columns() + " columns");
      }
    }
    if (files != null) {
      stores = stores.withFiles(within("--files", files, MAX_FILES));
    }
    return stores;
  }

  private static int within(String option, int value, int most) {
    if (value < 1 || value > most) {
      throw new CliException(option + " is 1 to " + most + ", not " + value);
    }
    return value;
  }

  private static <E extends Enum<E>> E one(Class<E> type, String option, String name) {
    try {
      return Enum.valueOf(type, name.toUpperCase(Locale.ROOT));
    } catch (IllegalArgumentException e) {
      throw new CliException(option + ": there is no " + name);
    }
  }
}
