package io.ishbase.bench.archetype;

import io.ishbase.bench.TableFormat;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;

/** Tables of the libraries with the files that a benchmark's user wants. */
final class Formats {
  private Formats() {}

  /** The table with files of {@code format} in its family of that name, if it has it. */
  static TableDescriptor of(TableFormat format, TableDescriptor table, byte[] family) {
    ColumnFamilyDescriptor old = table.getColumnFamily(family);
    if (old == null) {
      return table;
    }
    ColumnFamilyDescriptorBuilder formatted = ColumnFamilyDescriptorBuilder.newBuilder(old);
    formatted
        .setBlocksize(format.blockBytes())
        .setCompressionType(format.codec())
        .setDataBlockEncoding(format.encoding());
    return TableDescriptorBuilder.newBuilder(table).modifyColumnFamily(formatted.build()).build();
  }
}
