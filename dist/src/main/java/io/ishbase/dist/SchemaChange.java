package io.ishbase.dist;

import io.ishbase.core.SettingScope;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.KeepDeletedCells;
import org.apache.hadoop.hbase.MemoryCompactionPolicy;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.exceptions.HBaseException;
import org.apache.hadoop.hbase.io.compress.Compression;
import org.apache.hadoop.hbase.io.encoding.DataBlockEncoding;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * A change of a table's or of a family's schema, as {@code KEY=VALUE} says it: a key in capitals is
 * one of HBase's attributes, any other goes to the configuration. An empty value takes a key away.
 */
final class SchemaChange {
  /** Fails for a value that an attribute cannot have; the message says what it must be. */
  private interface Check {
    void check(String value);
  }

  private static final Check NUMBER = mustBe("a whole number", Long::parseLong);
  private static final Check INTEGER = mustBe("a whole number of 32 bits", Integer::parseInt);
  private static final Check SHORT = mustBe("a whole number of 16 bits", Short::parseShort);
  private static final Check BOOLEAN = oneOf(true, false);

  private static final Map<String, Check> OF_TABLE =
      new TreeMap<>(
          Map.of(
              "MAX_FILESIZE", NUMBER,
              "MEMSTORE_FLUSHSIZE", NUMBER,
              "REGION_REPLICATION", INTEGER,
              "DURABILITY", oneOf((Object[]) Durability.values()),
              "COMPACTION_ENABLED", BOOLEAN,
              "SPLIT_ENABLED", BOOLEAN,
              "MERGE_ENABLED", BOOLEAN,
              "READONLY", BOOLEAN));

  private static final Map<String, Check> OF_FAMILY =
      new TreeMap<>(
          Map.ofEntries(
              Map.entry("VERSIONS", INTEGER),
              Map.entry("MIN_VERSIONS", INTEGER),
              Map.entry("TTL", mustBe("seconds, FOREVER, or as '1 DAY'", SchemaChange::timeToLive)),
              Map.entry("BLOCKSIZE", INTEGER),
              Map.entry("COMPRESSION", oneOf((Object[]) Compression.Algorithm.values())),
              Map.entry("DATA_BLOCK_ENCODING", oneOf((Object[]) DataBlockEncoding.values())),
              Map.entry("BLOOMFILTER", oneOf((Object[]) BloomType.values())),
              Map.entry("BLOCKCACHE", BOOLEAN),
              Map.entry("IN_MEMORY", BOOLEAN),
              Map.entry("IN_MEMORY_COMPACTION", oneOf((Object[]) MemoryCompactionPolicy.values())),
              Map.entry("KEEP_DELETED_CELLS", oneOf((Object[]) KeepDeletedCells.values())),
              Map.entry("REPLICATION_SCOPE", INTEGER),
              Map.entry("DFS_REPLICATION", SHORT)));

  private SchemaChange() {}

  /**
   * The changed schema.
   *
   * @param family whose schema is changed; null: the table's
   * @throws CliException that says in one line what cannot be right
   */
  static TableDescriptor apply(TableDescriptor table, String family, Map<String, String> changes) {
    OwnSettings.check(
        withoutRemovals(changes), family == null ? SettingScope.TABLE : SettingScope.FAMILY);
    return family == null ? ofTable(table, changes) : ofFamily(table, family, changes);
  }

  private static Map<String, String> withoutRemovals(Map<String, String> changes) {
    Map<String, String> values = new TreeMap<>(changes);
    values.values().removeIf(String::isEmpty);
    return values;
  }

  private static TableDescriptor ofTable(TableDescriptor table, Map<String, String> changes) {
    TableDescriptorBuilder builder = TableDescriptorBuilder.newBuilder(table);
    changes.forEach(
        (key, value) -> {
          check(key, value, OF_TABLE, OF_FAMILY, "a family: name it with --family");
          if (value.isEmpty()) {
            builder.removeValue(key);
          } else {
            builder.setValue(key, value);
          }
        });
    return builder.build();
  }

  private static TableDescriptor ofFamily(
      TableDescriptor table, String name, Map<String, String> changes) {
    byte[] family = BinaryText.of("family", name);
    TargetTable.requireFamily(table, family);
    ColumnFamilyDescriptorBuilder builder =
        ColumnFamilyDescriptorBuilder.newBuilder(table.getColumnFamily(family));
    changes.forEach(
        (key, value) -> {
          check(key, value, OF_FAMILY, OF_TABLE, "a table: leave --family away");
          set(builder, key, value);
        });
    ColumnFamilyDescriptor changed = builder.build();
    return TableDescriptorBuilder.newBuilder(table).modifyColumnFamily(changed).build();
  }

  private static void set(ColumnFamilyDescriptorBuilder builder, String key, String value) {
    if (!isAttribute(key)) {
      if (value.isEmpty()) {
        builder.removeConfiguration(key);
      } else {
        builder.setConfiguration(key, value);
      }
    } else if (key.equals("TTL") && !value.isEmpty()) {
      builder.setTimeToLive(timeToLive(value));
    } else {
      builder.setValue(key, value); // An empty value takes it away.
    }
  }

  private static boolean isAttribute(String key) {
    return key.matches("[A-Z_]+");
  }

  private static void check(
      String key, String value, Map<String, Check> known, Map<String, Check> others, String whose) {
    if (key.isEmpty()) {
      throw new CliException("'=" + value + "': KEY=VALUE needs a key");
    }
    if (!isAttribute(key)) {
      return;
    }
    Check check = known.get(key);
    if (check == null) {
      throw new CliException(
          others.containsKey(key)
              ? key + " is an attribute of " + whose
              : "There is no attribute "
                  + key
                  + " here; there are: "
                  + String.join(", ", known.keySet()));
    }
    if (!value.isEmpty()) {
      try {
        check.check(value);
      } catch (IllegalArgumentException e) {
        throw new CliException(key + "=" + value + ": must be " + e.getMessage(), e);
      }
    }
  }

  private static Check mustBe(String what, Function<String, ?> parser) {
    return value -> {
      try {
        Object unused = parser.apply(value);
      } catch (IllegalArgumentException e) {
        throw new IllegalArgumentException(what, e);
      }
    };
  }

  private static Check oneOf(Object... values) {
    List<String> names = Stream.of(values).map(Object::toString).toList();
    return value -> {
      if (!names.contains(value)) {
        throw new IllegalArgumentException("one of " + String.join(", ", names));
      }
    };
  }

  /** Seconds, as HBase stores them. */
  private static int timeToLive(String text) {
    if (!text.matches("(?i)forever|.*\\d.*")) {
      throw new IllegalArgumentException("HBase takes that for no time at all");
    }
    try {
      return ColumnFamilyDescriptorBuilder.newBuilder(Bytes.toBytes("f"))
          .setTimeToLive(text)
          .build()
          .getTimeToLive();
    } catch (HBaseException e) {
      throw new IllegalArgumentException(e);
    }
  }
}
