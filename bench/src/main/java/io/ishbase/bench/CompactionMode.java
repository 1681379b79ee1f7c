package io.ishbase.bench;

import java.io.IOException;
import java.util.Locale;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;

/** Where the compactions of a table are carried out; a value of the table. */
public enum CompactionMode {
  STOCK,
  OFFLOAD;

  private static final String KEY = "ishbase.compaction";

  /** A table whose compactions are carried out in this way. */
  public TableDescriptorBuilder on(TableDescriptorBuilder table) {
    return table.setValue(KEY, toString());
  }

  /** Switches a table over, which opens its regions anew unless it is switched already. */
  public void switchOver(Connection connection, TableName table) throws IOException {
    try (Admin admin = connection.getAdmin()) {
      TableDescriptor now = admin.getDescriptor(table);
      if (!toString().equals(now.getValue(KEY))) {
        admin.modifyTable(on(TableDescriptorBuilder.newBuilder(now)).build());
      }
    }
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
