package io.ishbase.dist.example;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.ishbase.archetypes.document.DocumentSchema;
import io.ishbase.archetypes.document.DocumentStore;
import io.ishbase.archetypes.document.Mended;
import io.ishbase.archetypes.document.Update;
import io.ishbase.bench.Workers;
import io.ishbase.cluster.Tables;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;

/** Modules and classes of the running JDK as JSON documents. */
final class DocumentExample implements Example {
  private static final TableName NAME = TableName.valueOf("jdk_documents");
  private static final int CLASSES = 2_000;
  private static final int STORERS = 4;
  private static final int READS = 200;
  private static final int LARGE_BYTES = 4 << 10;
  private static final int BAR = 40;

  @Override
  public String name() {
    return "document";
  }

  @Override
  public String description() {
    return "JSON by paths: modules and classes of this JDK, found by what they require and implement";
  }

  @Override
  public void run(Connection connection, PrintStream out) throws IOException {
    List<TableName> tables = new ArrayList<>();
    for (TableDescriptor table : descriptors()) {
      Tables.recreate(connection, table);
      tables.add(table.getTableName());
    }
    DocumentStore store = DocumentStore.open(connection, NAME);
    List<Path> files = JdkDocuments.classFiles(CLASSES);
    store(store, files, out);
    for (TableName table : tables) {
      Tables.flush(connection, table);
    }
    read(connection, store, files, out);
    find(store, out);
    change(store, files.get(0), out);
    picture(store, out);
  }

  /** Nothing is cached, so that each read is seen to cost what it costs. */
  private static List<TableDescriptor> descriptors() {
    List<TableDescriptor> tables = new ArrayList<>();
    DocumentSchema schema =
        DocumentSchema.of(NAME)
            .index("requires[*].name", "super", "interfaces[*]", "pool.strings[*]")
            .largeAbove(LARGE_BYTES);
    for (TableDescriptor table : schema.descriptors()) {
      TableDescriptorBuilder builder = TableDescriptorBuilder.newBuilder(table);
      for (ColumnFamilyDescriptor family : table.getColumnFamilies()) {
        builder.modifyColumnFamily(
            ColumnFamilyDescriptorBuilder.newBuilder(family).setBlockCacheEnabled(false).build());
      }
      tables.add(builder.build());
    }
    return tables;
  }

  private static void store(DocumentStore store, List<Path> files, PrintStream out)
      throws IOException {
    out.printf(
        "%n%-10s %10s %10s %12s %10s%n", "stored", "documents", "columns", "JSON bytes", "seconds");
    Map<String, ObjectNode> modules = JdkDocuments.modules();
    long start = System.nanoTime();
    AtomicLong places = new AtomicLong();
    AtomicLong bytes = new AtomicLong();
    for (Map.Entry<String, ObjectNode> module : modules.entrySet()) {
      put(store, module.getKey(), module.getValue(), places, bytes);
    }
    line(out, "modules", modules.size(), places.getAndSet(0), bytes.getAndSet(0), start);
    long then = System.nanoTime();
    Workers.run(
        STORERS,
        worker -> {
          for (int i = worker; i < files.size(); i += STORERS) {
            Path file = files.get(i);
            put(store, JdkDocuments.id(file), JdkDocuments.document(file), places, bytes);
          }
        });
    line(out, "classes", files.size(), places.get(), bytes.get(), then);
  }

  private static void put(
      DocumentStore store, String id, JsonNode document, AtomicLong places, AtomicLong bytes)
      throws IOException {
    store.put(id, document);
    places.addAndGet(places(document));
    bytes.addAndGet(document.toString().length());
  }

  /** Each is a column. */
  private static long places(JsonNode node) {
    long places = 1;
    for (JsonNode child : node) {
      places += places(child);
    }
    return places;
  }

  private static void line(
      PrintStream out, String what, long documents, long places, long bytes, long start) {
    out.printf("%-10s %,10d %,10d %,12d %10.1f%n", what, documents, places, bytes, seconds(start));
  }

  private static double seconds(long start) {
    return (System.nanoTime() - start) / 1e9;
  }

  private static void read(
      Connection connection, DocumentStore store, List<Path> files, PrintStream out)
      throws IOException {
    out.printf(
        "%n%-34s %12s %14s %8s%n",
        "read of " + READS + " classes, by place", "JSON bytes", "from storage", "ms each");
    String[][] reads = {
      {""}, {"name", "super", "interfaces"}, {"methods[0].name"}, {"pool.strings"}, {"file"}
    };
    for (String[] paths : reads) {
      long before = StorageTraffic.settled(connection);
      long start = System.nanoTime();
      long bytes = 0;
      for (int i = 0; i < READS; i++) {
        String id = JdkDocuments.id(files.get(i * (files.size() / READS)));
        for (JsonNode part : store.get(id, paths).orElseThrow().parts().values()) {
          bytes += part.toString().length();
        }
      }
      double millis = seconds(start) * 1000 / READS;
      long moved = StorageTraffic.settled(connection) - before;
      String what = paths[0].isEmpty() ? "(whole documents)" : String.join(", ", paths);
      out.printf("%-34s %,12d %,14d %8.2f%n", what, bytes, moved, millis);
    }
  }

  private static void find(DocumentStore store, PrintStream out) throws IOException {
    out.printf("%n%-52s %9s %9s%n", "found by a value at a path", "documents", "ms");
    String[][] finds = {
      {"requires[*].name", "java.logging"},
      {"requires[*].name", "java.base"},
      {"interfaces[*]", "java/lang/Runnable"},
      {"interfaces[*]", "java/io/Serializable"},
      {"super", "java/io/InputStream"},
      {"pool.strings[*]", "UTF-8"}
    };
    for (String[] one : finds) {
      long start = System.nanoTime();
      List<String> found = find(store, one[0], one[1]);
      out.printf(
          "%-52s %,9d %9.0f%n", one[0] + " = " + one[1], found.size(), seconds(start) * 1000);
    }
    out.println();
    out.println("modules that require java.logging:");
    find(store, "requires[*].name", "java.logging")
        .forEach(id -> out.println("  " + id.substring("module/".length())));
  }

  private static List<String> find(DocumentStore store, String path, String value)
      throws IOException {
    return store.find(
        io.ishbase.archetypes.document.Path.of(path),
        TextNode.valueOf(value),
        "",
        Integer.MAX_VALUE);
  }

  private static void change(DocumentStore store, Path file, PrintStream out) throws IOException {
    String id = JdkDocuments.id(file);
    out.printf("%nchanged: %s%n", id);
    store.update(id, new Update().append("interfaces", "\"example/Seen\"").set("seen.by", "1"));
    out.println("  example/Seen is implemented by " + find(store, "interfaces[*]", "example/Seen"));
    out.println("  seen = " + store.get(id, "seen").orElseThrow().parts());
    Mended mended = store.mend();
    out.printf(
        "  mended: of %,d entries %d removed, for %,d documents %d added%n",
        mended.entries(), mended.removed(), mended.documents(), mended.added());
  }

  /** Which modules others require most. */
  private static void picture(DocumentStore store, PrintStream out) throws IOException {
    Map<String, Integer> dependents = new TreeMap<>();
    Set<String> modules = JdkDocuments.modules().keySet();
    for (String id : modules) {
      String module = id.substring("module/".length());
      dependents.put(module, find(store, "requires[*].name", module).size());
    }
    out.println();
    out.println("modules that require it:");
    dependents.entrySet().stream()
        .sorted(Map.Entry.comparingByValue(Comparator.reverseOrder()))
        .limit(12)
        .forEach(
            one ->
                out.printf(
                    "%28s %s %d%n",
                    one.getKey(),
                    "█".repeat(Math.max(1, one.getValue() * BAR / modules.size())),
                    one.getValue()));
  }
}
