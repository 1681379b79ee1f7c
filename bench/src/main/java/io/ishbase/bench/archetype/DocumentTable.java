package io.ishbase.bench.archetype;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.ishbase.archetypes.document.DocumentSchema;
import io.ishbase.archetypes.document.DocumentStore;
import io.ishbase.archetypes.document.Fragment;
import io.ishbase.archetypes.document.Path;
import io.ishbase.bench.Load;
import io.ishbase.bench.Moved;
import io.ishbase.bench.TableFormat;
import io.ishbase.bench.Tally;
import io.ishbase.bench.Workers;
import io.ishbase.cluster.Progress;
import io.ishbase.cluster.Tables;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.util.Bytes;

/** Documents of sixty strings each, of which a few are read. */
public final class DocumentTable {
  public static final int PATHS = 60;

  /** Paths of a read. */
  public static final int READ = 3;

  private static final int VALUE_BYTES = 60;

  /** A cell with its key, about. */
  private static final int CELL_BYTES = 100;

  private static final int WRITERS = 8;
  private static final byte[] CELLS = Bytes.toBytes("d");

  private final Connection connection;
  private final TableName name;
  private final long documents;
  private final TableFormat format;

  /**
   * A table.
   *
   * @param format what the values are like and how files keep them
   */
  public DocumentTable(Connection connection, String name, long documents, TableFormat format) {
    this.connection = connection;
    this.name = TableName.valueOf(name);
    this.documents = documents;
    this.format = format;
  }

  /** How many documents have about as many bytes as {@code rows} rows of 1 KB. */
  public static long like(long rows) {
    return Math.max(100, rows * 1000 / (PATHS * CELL_BYTES));
  }

  /**
   * Creates it anew, full, each store in one file.
   *
   * @param read {@code ishbase.read} of the table
   */
  public void create(String read) throws IOException {
    List<TableDescriptor> tables =
        DocumentSchema.of(name).value("ishbase.read", read).descriptors();
    for (TableDescriptor table : tables) {
      Tables.recreate(connection, Formats.of(format, table, CELLS));
    }
    try (Progress progress =
        new Progress(
            String.format(
                Locale.ROOT, "loading %s, %,d documents of %d paths", name, documents, PATHS),
            documents)) {
      Workers.run(
          WRITERS,
          worker -> {
            DocumentStore store = DocumentStore.open(connection, name);
            for (long number = worker; number < documents; number += WRITERS) {
              store.put(id(number), document(number));
              progress.add(1);
            }
          });
      Tables.intoOneFileEach(connection, name);
      progress.done("");
    }
  }

  private JsonNode document(long number) {
    ObjectNode document = JsonNodeFactory.instance.objectNode();
    for (int path = 0; path < PATHS; path++) {
      document.put(path(path), value(number, path));
    }
    return document;
  }

  private static String id(long number) {
    return "document" + number;
  }

  private static String path(int path) {
    return "field" + path;
  }

  private String value(long number, int path) {
    return format.values().of(id(number), path(path), VALUE_BYTES);
  }

  /** Reads of {@value #READ} paths of random documents; every value is checked. */
  public Load reads(long seed) {
    return worker -> {
      DocumentStore store = DocumentStore.open(connection, name);
      SplittableRandom random = new SplittableRandom(seed + worker);
      return tally -> read(store, random, tally);
    };
  }

  private void read(DocumentStore store, SplittableRandom random, Tally tally) throws IOException {
    long number = random.nextLong(documents);
    int first = random.nextInt(PATHS);
    List<Integer> paths = new ArrayList<>();
    for (int i = 0; i < READ; i++) {
      paths.add((first + i * (PATHS / READ)) % PATHS);
    }
    Fragment read =
        store
            .get(id(number), paths.stream().map(DocumentTable::path).toArray(String[]::new))
            .orElseThrow(() -> new IOException("no document " + id(number)));
    for (int path : paths) {
      JsonNode value = read.parts().get(Path.of(path(path)));
      if (value == null || !value.textValue().equals(value(number, path))) {
        throw new IOException(id(number) + ": " + path(path) + " is " + value);
      }
    }
    tally.read(new Moved(1, (long) READ * VALUE_BYTES, (long) READ * CELL_BYTES));
  }
}
