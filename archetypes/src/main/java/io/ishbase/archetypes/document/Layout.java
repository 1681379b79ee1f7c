package io.ishbase.archetypes.document;

import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.util.Bytes;

/** Names of tables, families and columns. */
final class Layout {
  /** Family of the stamp and of all places. */
  static final byte[] CELLS = Bytes.toBytes("d");

  /** Family of large strings. */
  static final byte[] LARGE = Bytes.toBytes("l");

  /** Column of the {@link Stamp}. */
  static final byte[] STAMP = Bytes.toBytes("m");

  /** What the names of columns of places begin with. */
  private static final byte[] PLACE = Bytes.toBytes("p");

  /** Family of the index's only column, whose name and value are empty. */
  static final byte[] ENTRY = Bytes.toBytes("e");

  static final byte[] NONE = new byte[0];

  /** Of the table of documents: a JSON array of the paths that have an index. */
  static final String INDEXES = "document.indexes";

  private Layout() {}

  /** The name, or its beginning, of the columns of a place. */
  static byte[] column(byte[] place) {
    return Bytes.add(PLACE, place);
  }

  static boolean isPlace(byte[] column) {
    return Bytes.startsWith(column, PLACE);
  }

  /** The place of a column's name, with what ends it. */
  static byte[] place(byte[] column) {
    return Bytes.tail(column, column.length - PLACE.length);
  }

  static TableName index(TableName documents) {
    return TableName.valueOf(
        documents.getNamespaceAsString(), documents.getQualifierAsString() + "_index");
  }
}
