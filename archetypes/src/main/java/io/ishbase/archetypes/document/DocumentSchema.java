package io.ishbase.archetypes.document;

import io.ishbase.archetypes.document.DocumentException.Problem;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;

/**
 * The two tables of a set of documents: that of the documents, and, named like it with {@code
 * _index}, that of their index. Made by one thread.
 */
public final class DocumentSchema {
  private static final int LARGE_BYTES = 100 << 10;

  /** Its files hold references of a hundred bytes, and where the strings are each is a block. */
  private static final int LARGE_BLOCK = 8 << 10;

  private final TableName name;
  private final List<Path> indexes = new ArrayList<>();
  private final Map<String, String> values = new LinkedHashMap<>();
  private int largeAbove = LARGE_BYTES;

  private DocumentSchema(TableName name) {
    this.name = name;
  }

  /** Documents in a table of that name. */
  public static DocumentSchema of(TableName name) {
    return new DocumentSchema(name);
  }

  /**
   * Lets documents be found by the plain values at each of {@code paths}, in which {@code [*]}
   * stands for all elements of an array.
   *
   * @throws DocumentException if one is no path
   */
  public DocumentSchema index(String... paths) {
    for (String path : paths) {
      indexes.add(indexable(path));
    }
    return this;
  }

  /** A path that fits into the keys of an index. */
  private static Path indexable(String path) {
    Path indexed = Path.of(path);
    PathBytes.encode(indexed);
    return indexed;
  }

  /**
   * Keeps strings of more bytes than this in UTF-8 as HBase's medium-sized objects; 100 KB if not
   * said.
   */
  public DocumentSchema largeAbove(int bytes) {
    if (bytes < 0) {
      throw new IllegalArgumentException("Strings above " + bytes + " bytes");
    }
    largeAbove = bytes;
    return this;
  }

  /** A value of both tables' descriptors, for instance {@code ishbase.read}. */
  public DocumentSchema value(String key, String value) {
    values.put(key, value);
    return this;
  }

  /** The tables as HBase is to create them. */
  public List<TableDescriptor> descriptors() {
    TableDescriptorBuilder index =
        TableDescriptorBuilder.newBuilder(Layout.index(name))
            .setColumnFamily(ColumnFamilyDescriptorBuilder.of(Layout.ENTRY));
    TableDescriptorBuilder documents =
        TableDescriptorBuilder.newBuilder(name)
            .setColumnFamily(ColumnFamilyDescriptorBuilder.of(Layout.CELLS))
            .setColumnFamily(
                ColumnFamilyDescriptorBuilder.newBuilder(Layout.LARGE)
                    .setMobEnabled(true)
                    .setMobThreshold(largeAbove)
                    .setBlocksize(LARGE_BLOCK)
                    .build())
            .setValue(Layout.INDEXES, new Indexes(indexes).text());
    values.forEach(
        (key, value) -> {
          index.setValue(key, value);
          documents.setValue(key, value);
        });
    return List.of(index.build(), documents.build());
  }

  /**
   * Creates both tables, first that of the index, unless a creation that failed has left it.
   *
   * @throws IOException if there is one of documents already, or HBase fails
   */
  public void create(Admin admin) throws IOException {
    for (TableDescriptor table : descriptors()) {
      if (!table.getTableName().equals(name) && admin.tableExists(table.getTableName())) {
        checkIndex(admin.getDescriptor(table.getTableName()));
      } else {
        admin.createTable(table);
      }
    }
  }

  /**
   * Adds an index to documents that are there. Clients write its entries once they have opened the
   * store anew; {@link DocumentStore#mend} then adds those of the documents written before.
   *
   * @throws DocumentException if it is no path, or the table was not made for documents
   * @throws IOException if HBase fails
   */
  public static void addIndex(Admin admin, TableName name, String path) throws IOException {
    TableDescriptor old = check(admin.getDescriptor(name));
    List<Path> all = new ArrayList<>(Indexes.parse(old.getValue(Layout.INDEXES)).all());
    Path added = indexable(path);
    if (!all.contains(added)) {
      all.add(added);
      admin.modifyTable(
          TableDescriptorBuilder.newBuilder(old)
              .setValue(Layout.INDEXES, new Indexes(all).text())
              .build());
    }
  }

  /** The descriptor, if it is one of a table for documents. */
  static TableDescriptor check(TableDescriptor table) {
    ColumnFamilyDescriptor large = table.getColumnFamily(Layout.LARGE);
    if (large == null
        || !large.isMobEnabled()
        || !table.hasColumnFamily(Layout.CELLS)
        || table.getValue(Layout.INDEXES) == null) {
      throw new DocumentException(
          Problem.NO_TABLE,
          "Table '" + table.getTableName() + "' was not created by DocumentSchema");
    }
    return table;
  }

  /** Throws if it is not a table for index entries. */
  static void checkIndex(TableDescriptor table) {
    if (table.getColumnFamilyCount() != 1 || !table.hasColumnFamily(Layout.ENTRY)) {
      throw new DocumentException(
          Problem.NO_TABLE,
          "Table '" + table.getTableName() + "' is no index that DocumentSchema created");
    }
  }

  /** From which length on strings of that table are large, in bytes. */
  static int largeAbove(TableDescriptor table) {
    return (int) table.getColumnFamily(Layout.LARGE).getMobThreshold();
  }
}
