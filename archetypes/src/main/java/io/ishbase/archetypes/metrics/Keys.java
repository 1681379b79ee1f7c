package io.ishbase.archetypes.metrics;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Row keys of a table of metrics. All of a metric is together, then what is of one kind, then a
 * series, its rows by time, and the shards of a row:
 *
 * <pre>
 * metric, 0, tags                              the series is in the directory
 * metric, 1, resolution, base                  which buckets of the metric are rolled up
 * metric, 16 + resolution, tags, base, shard   what was counted
 * </pre>
 *
 * A text is its UTF-8, with 0 as 00 FF, ended by 00 01; tags are ended by 00 00. So no key of a
 * series is the beginning of another's, and keys are in the order of what they stand for.
 */
final class Keys {
  /**
   * A row of buckets.
   *
   * @param base the number of the row, see {@link Resolution#base}
   * @param shard 0 unless the row is sharded
   */
  record DataRow(Series series, Resolution resolution, int base, int shard) {}

  private static final int DIRECTORY = 0;
  private static final int COVERAGE = 1;
  private static final int DATA = 16;
  private static final int ESCAPED = 0xFF;
  private static final int END_OF_TEXT = 1;
  private static final int END_OF_TAGS = 0;

  private Keys() {}

  /** What all rows of {@code metric} in the directory begin with. */
  static byte[] directory(String metric) {
    return ofMetric(metric, DIRECTORY).toByteArray();
  }

  static byte[] directory(Series series) {
    ByteArrayOutputStream key = ofMetric(series.metric(), DIRECTORY);
    tags(key, series.tags());
    return key.toByteArray();
  }

  static byte[] coverage(String metric, Resolution resolution, int base) {
    ByteArrayOutputStream key = ofMetric(metric, COVERAGE);
    key.write(resolution.ordinal());
    key.writeBytes(Bytes.toBytes(base));
    return key.toByteArray();
  }

  static byte[] data(Series series, Resolution resolution, int base, int shard) {
    ByteArrayOutputStream key = ofMetric(series.metric(), DATA + resolution.ordinal());
    tags(key, series.tags());
    key.writeBytes(Bytes.toBytes(base));
    key.write(shard);
    return key.toByteArray();
  }

  /** The series of a row of the directory; IllegalStateException: it is not one. */
  static Series seriesOf(byte[] row) {
    Parser parser = new Parser(row);
    String metric = parser.text();
    parser.expect(DIRECTORY);
    return new Series(metric, parser.tags());
  }

  /** The number of a row of {@link #coverage}; IllegalStateException: it is not one. */
  static int baseOfCoverage(byte[] row) {
    Parser parser = new Parser(row);
    parser.text();
    parser.expect(COVERAGE);
    parser.next();
    return parser.number();
  }

  /** What a row of buckets stands for; IllegalStateException: it is not one. */
  static DataRow dataRowOf(byte[] row) {
    Parser parser = new Parser(row);
    String metric = parser.text();
    int resolution = parser.next() - DATA;
    if (resolution < 0 || resolution >= Resolution.values().length) {
      throw parser.wrong();
    }
    return new DataRow(
        new Series(metric, parser.tags()),
        Resolution.values()[resolution],
        parser.number(),
        parser.next());
  }

  private static ByteArrayOutputStream ofMetric(String metric, int kind) {
    ByteArrayOutputStream key = new ByteArrayOutputStream();
    text(key, metric);
    key.write(kind);
    return key;
  }

  private static void tags(ByteArrayOutputStream key, SortedMap<String, String> tags) {
    tags.forEach(
        (name, value) -> {
          text(key, name);
          text(key, value);
        });
    key.write(0);
    key.write(END_OF_TAGS);
  }

  private static void text(ByteArrayOutputStream key, String text) {
    for (byte one : text.getBytes(StandardCharsets.UTF_8)) {
      key.write(one);
      if (one == 0) {
        key.write(ESCAPED);
      }
    }
    key.write(0);
    key.write(END_OF_TEXT);
  }

  /** Takes a key apart from left to right. */
  private static final class Parser {
    private final byte[] row;
    private int at;

    Parser(byte[] row) {
      this.row = row;
    }

    SortedMap<String, String> tags() {
      SortedMap<String, String> tags = new TreeMap<>();
      while (!atEndOfTags()) {
        String key = text();
        tags.put(key, text());
      }
      at += 2;
      return tags;
    }

    private boolean atEndOfTags() {
      return at + 1 < row.length && row[at] == 0 && row[at + 1] == END_OF_TAGS;
    }

    String text() {
      ByteArrayOutputStream text = new ByteArrayOutputStream();
      while (true) {
        int one = next();
        if (one == 0) {
          int second = next();
          if (second == END_OF_TEXT) {
            return text.toString(StandardCharsets.UTF_8);
          }
          if (second != ESCAPED) {
            throw wrong();
          }
        }
        text.write(one);
      }
    }

    int number() {
      byte[] bytes = Arrays.copyOfRange(row, at, at + Integer.BYTES);
      at += Integer.BYTES;
      if (at > row.length) {
        throw wrong();
      }
      return ByteBuffer.wrap(bytes).getInt();
    }

    void expect(int kind) {
      if (next() != kind) {
        throw wrong();
      }
    }

    int next() {
      if (at >= row.length) {
        throw wrong();
      }
      return Byte.toUnsignedInt(row[at++]);
    }

    IllegalStateException wrong() {
      return new IllegalStateException(
          "Not a row of a table of metrics: " + Bytes.toStringBinary(row));
    }
  }
}
