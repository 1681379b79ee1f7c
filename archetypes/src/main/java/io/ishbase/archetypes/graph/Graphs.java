package io.ishbase.archetypes.graph;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.io.encoding.DataBlockEncoding;

/** Makes, opens and drops graphs. */
public final class Graphs {
  /**
   * How long delete markers stay, counted from the write of what they hide: a step of a writer that
   * was slower than another's, and comes after a major compaction, must still find them.
   */
  private static final Duration MARKERS_STAY = Duration.ofHours(1);

  private Graphs() {}

  /**
   * Makes an empty graph.
   *
   * @param settings of its tables, as {@code ishbase.read}
   * @throws IOException if there is one already, or HBase fails
   */
  public static void create(
      Admin admin, Layout layout, TableName graph, Map<String, String> settings)
      throws IOException {
    List<Future<Void>> creations = new ArrayList<>();
    for (TableName table : layout.tables(graph)) {
      TableDescriptorBuilder descriptor =
          TableDescriptorBuilder.newBuilder(table)
              .setColumnFamily(
                  ColumnFamilyDescriptorBuilder.newBuilder(Keys.FAMILY)
                      // Qualifiers of a row begin alike.
                      .setDataBlockEncoding(DataBlockEncoding.FAST_DIFF)
                      .setConfiguration(
                          "hbase.hstore.time.to.purge.deletes", "" + MARKERS_STAY.toMillis())
                      .build());
      settings.forEach(descriptor::setValue);
      creations.add(admin.createTableAsync(descriptor.build()));
    }
    for (Future<Void> creation : creations) {
      await(creation);
    }
  }

  private static void await(Future<Void> creation) throws IOException {
    try {
      creation.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw (IOException) new InterruptedIOException("The graph is half made").initCause(e);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof IOException cause ? cause : new IOException(e.getCause());
    }
  }

  /** Drops a graph, with all that is in it; does nothing for what is not there. */
  public static void drop(Admin admin, Layout layout, TableName graph) throws IOException {
    for (TableName table : layout.tables(graph)) {
      if (admin.tableExists(table)) {
        if (admin.isTableEnabled(table)) {
          admin.disableTable(table);
        }
        admin.deleteTable(table);
      }
    }
  }

  /** Opens a graph, which must be closed; {@code connection} stays open. */
  public static Graph open(Connection connection, Layout layout, TableName graph)
      throws IOException {
    return open(connection, layout, graph, Progress.IGNORED);
  }

  /** The same; {@code progress} is told of each step of its writes. */
  public static Graph open(Connection connection, Layout layout, TableName graph, Progress progress)
      throws IOException {
    return new StoredGraph(GraphTables.open(connection, layout, graph), progress);
  }
}
