package io.ishbase.archetypes.queue;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.filter.ColumnPrefixFilter;
import org.apache.hadoop.hbase.util.Bytes;

/** What exactly-once groups have made of messages: columns on the rows of their positions. */
final class Results {
  private static final byte SUM = '+';
  private static final byte VALUE = '=';

  private Results() {}

  static byte[] sum(String name) {
    return qualifier(SUM, name);
  }

  static byte[] value(String name) {
    return qualifier(VALUE, name);
  }

  static void checkName(String name) {
    if (name.isEmpty()) {
      throw new IllegalArgumentException("a result needs a name");
    }
    utf8(name);
  }

  private static byte[] qualifier(byte kind, String name) {
    return Bytes.add(new byte[] {kind}, utf8(name));
  }

  /** Refuses half a surrogate pair: to {@code String.getBytes} all of them are the same. */
  private static byte[] utf8(String name) {
    try {
      ByteBuffer encoded = UTF_8.newEncoder().encode(CharBuffer.wrap(name));
      byte[] bytes = new byte[encoded.remaining()];
      encoded.get(bytes);
      return bytes;
    } catch (CharacterCodingException e) {
      throw new IllegalArgumentException("the name of a result is no text: " + name, e);
    }
  }

  /** The sums of all lanes together. */
  static SortedMap<String, Long> sums(Store store, Keys keys, String group) throws IOException {
    SortedMap<String, Long> sums = new TreeMap<>();
    for (Result row : rows(store, keys, group, SUM)) {
      for (Cell cell : row.rawCells()) {
        sums.merge(name(cell), Bytes.toLong(CellUtil.cloneValue(cell)), Long::sum);
      }
    }
    return sums;
  }

  /** The values of each lane. */
  static SortedMap<Long, SortedMap<String, byte[]>> values(Store store, Keys keys, String group)
      throws IOException {
    SortedMap<Long, SortedMap<String, byte[]>> values = new TreeMap<>();
    for (Result row : rows(store, keys, group, VALUE)) {
      SortedMap<String, byte[]> ofLane = new TreeMap<>();
      for (Cell cell : row.rawCells()) {
        ofLane.put(name(cell), CellUtil.cloneValue(cell));
      }
      values.put(Keys.laneOfProgress(row.getRow()), ofLane);
    }
    return values;
  }

  private static List<Result> rows(Store store, Keys keys, String group, byte kind)
      throws IOException {
    List<Result> rows = new ArrayList<>();
    for (int shard = 0; shard < keys.shards(); shard++) {
      rows.addAll(
          store.scan(
              prefixScan(keys.progressPrefix(shard, group))
                  .addFamily(Keys.STATE)
                  .setFilter(new ColumnPrefixFilter(new byte[] {kind})),
              Integer.MAX_VALUE));
    }
    return rows;
  }

  /** All rows that begin with {@code prefix}, whose last byte is zero. */
  static Scan prefixScan(byte[] prefix) {
    byte[] stop = prefix.clone();
    stop[stop.length - 1]++;
    return new Scan().withStartRow(prefix).withStopRow(stop);
  }

  private static String name(Cell cell) {
    byte[] qualifier = CellUtil.cloneQualifier(cell);
    return new String(qualifier, 1, qualifier.length - 1, UTF_8);
  }
}
