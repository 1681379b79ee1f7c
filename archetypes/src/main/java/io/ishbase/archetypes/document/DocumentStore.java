package io.ishbase.archetypes.document;

import com.fasterxml.jackson.databind.JsonNode;
import io.ishbase.archetypes.document.DocumentException.Problem;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.TableNotFoundException;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.util.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * JSON documents in a table of HBase, each a row, each place in it a column. Of a document, parts
 * can be read and changed without the rest; documents are found by values at paths that have an
 * index.
 *
 * <p>A read sees a document as it was at one moment. A write is seen whole or not at all, and is
 * repeated until no other came between. What a caller does wrong is a {@link DocumentException};
 * what HBase cannot do is an {@link IOException}, after which the write may have been done or not,
 * but not by halves.
 *
 * <p>Safe for use by several threads, and by several clients at once. It owns nothing: the
 * connection is the caller's.
 */
public final class DocumentStore {
  /** Beyond values, of a cell. */
  private static final int CELL_OVERHEAD = 64;

  private final Indexes indexes;
  private final int largeAbove;
  private final Rows rows;
  private final Entries entries;
  private final Writes writes;

  private DocumentStore(Connection connection, TableDescriptor table, WriteSteps steps) {
    indexes = Indexes.parse(table.getValue(Layout.INDEXES));
    largeAbove = DocumentSchema.largeAbove(table);
    rows = new Rows(connection, table.getTableName());
    entries = new Entries(connection, Layout.index(table.getTableName()));
    int largest = connection.getConfiguration().getInt("hbase.client.keyvalue.maxsize", 10 << 20);
    writes =
        new Writes(
            connection,
            table.getTableName(),
            rows,
            entries,
            indexes,
            (largest <= 0 ? 10 << 20 : largest) - CELL_OVERHEAD,
            steps);
  }

  /**
   * The documents of a table that {@link DocumentSchema} created. Which paths have an index is read
   * now.
   *
   * @throws DocumentException if there is no such table
   * @throws IOException if HBase fails
   */
  public static DocumentStore open(Connection connection, TableName name) throws IOException {
    return open(connection, name, WriteSteps.NONE);
  }

  /**
   * As {@link #open(Connection, TableName)}.
   *
   * @param steps is told of each step of a write
   */
  public static DocumentStore open(Connection connection, TableName name, WriteSteps steps)
      throws IOException {
    try (Table table = connection.getTable(name);
        Table index = connection.getTable(Layout.index(name))) {
      TableDescriptor documents = DocumentSchema.check(table.getDescriptor());
      DocumentSchema.checkIndex(index.getDescriptor());
      return new DocumentStore(connection, documents, steps);
    } catch (TableNotFoundException e) {
      throw new DocumentException(
          Problem.NO_TABLE, "No table '" + e.getMessage() + "': DocumentSchema creates it", e);
    }
  }

  /**
   * The whole document.
   *
   * @throws DocumentException if {@code id} cannot be one
   * @throws IOException if HBase fails
   */
  public Optional<Document> get(String id) throws IOException {
    Snapshot now = rows.get(row(id), new Selection().under(Path.ROOT));
    JsonNode body = now.stamp().live() ? now.columns().at(Layout.NONE) : null;
    return body == null
        ? Optional.empty()
        : Optional.of(new Document(id, now.stamp().version(), body));
  }

  /**
   * What is at {@code paths} of the document; only that is read. Empty if there is no document.
   *
   * @throws DocumentException if {@code id} cannot be one, or a path is a pattern
   * @throws IOException if HBase fails
   */
  public Optional<Fragment> get(String id, Path... paths) throws IOException {
    Snapshot now = rows.get(row(id), selection(paths));
    return now.stamp().live() ? Optional.of(fragment(id, now, paths)) : Optional.empty();
  }

  /** {@link #get(String, Path...)} of paths as text. */
  public Optional<Fragment> get(String id, String... paths) throws IOException {
    return get(id, paths(paths));
  }

  /**
   * What is at {@code paths} of each of the documents; of those that are not there, nothing. In the
   * order of {@code ids}.
   *
   * @throws DocumentException if an id cannot be one, or a path is a pattern
   * @throws IOException if HBase fails
   */
  public List<Fragment> get(Collection<String> ids, String... paths) throws IOException {
    List<String> names = List.copyOf(ids);
    Path[] wanted = paths(paths);
    List<Snapshot> all =
        rows.get(names.stream().map(DocumentStore::row).toList(), selection(wanted));
    List<Fragment> fragments = new ArrayList<>();
    for (int i = 0; i < all.size(); i++) {
      if (all.get(i).stamp().live()) {
        fragments.add(fragment(names.get(i), all.get(i), wanted));
      }
    }
    return fragments;
  }

  /**
   * What is at {@code paths} of all documents, in the order of ids. Each is as it was at one
   * moment, not all at the same.
   *
   * @throws DocumentException if a path is a pattern
   * @throws IOException if HBase fails
   */
  public void scan(Consumer<Fragment> each, String... paths) throws IOException {
    Path[] wanted = paths(paths);
    rows.scan(selection(wanted), (row, now) -> each.accept(fragment(Rows.id(row), now, wanted)));
  }

  private static Path[] paths(String... paths) {
    Path[] parsed = new Path[paths.length];
    for (int i = 0; i < paths.length; i++) {
      parsed[i] = Path.of(paths[i]);
    }
    return parsed;
  }

  private static Selection selection(Path... paths) {
    Selection selection = new Selection();
    for (Path path : paths) {
      selection.under(path.ofOnePlace());
    }
    return selection;
  }

  private static Fragment fragment(String id, Snapshot now, Path... paths) throws IOException {
    Map<Path, JsonNode> parts = new LinkedHashMap<>();
    for (Path path : paths) {
      JsonNode part = now.columns().at(PathBytes.encode(path));
      if (part != null) {
        parts.put(path, part);
      }
    }
    return new Fragment(id, now.stamp().version(), parts);
  }

  /**
   * Writes the document, in place of all that it was.
   *
   * @return its version
   * @throws DocumentException if {@code id} cannot be one, or {@code json} is not to be stored
   * @throws IOException if HBase fails
   */
  public long put(String id, String json) throws IOException {
    return put(id, Json.parse(json));
  }

  /** {@link #put(String, String)} of a tree. */
  public long put(String id, JsonNode body) throws IOException {
    return replace(id, body, OptionalLong.empty()).orElseThrow();
  }

  /**
   * Writes the document, in place of all that it was, if its version is still {@code version}; 0
   * stands for no document.
   *
   * @return its new version; empty if it had another
   * @throws DocumentException if {@code id} cannot be one, or {@code json} is not to be stored
   * @throws IOException if HBase fails
   */
  public OptionalLong putIf(String id, long version, String json) throws IOException {
    return replace(id, Json.parse(json), OptionalLong.of(version));
  }

  private OptionalLong replace(String id, JsonNode body, OptionalLong version) throws IOException {
    Columns after = new Columns();
    after.flatten(Layout.NONE, 0, 0, Json.canonical(body), largeAbove);
    return replace(id, after, true, version);
  }

  /**
   * Deletes the document.
   *
   * @return whether there was one
   * @throws DocumentException if {@code id} cannot be one
   * @throws IOException if HBase fails
   */
  public boolean delete(String id) throws IOException {
    return replace(id, new Columns(), false, OptionalLong.empty()).isPresent();
  }

  /**
   * Deletes the document if its version is still {@code version}.
   *
   * @return whether it had that version
   * @throws DocumentException if {@code id} cannot be one
   * @throws IOException if HBase fails
   */
  public boolean deleteIf(String id, long version) throws IOException {
    return replace(id, new Columns(), false, OptionalLong.of(version)).isPresent();
  }

  private OptionalLong replace(String id, Columns after, boolean live, OptionalLong version)
      throws IOException {
    Selection reads = new Selection();
    indexes.all().forEach(reads::of);
    return write(
        id,
        reads,
        now -> {
          boolean holds =
              version.isEmpty()
                  || version.getAsLong() == (now.stamp().live() ? now.stamp().version() : 0);
          return holds && (live || now.stamp().live())
              ? new Change(after, true, live, indexes.all(), 0)
              : null;
        });
  }

  /**
   * Changes parts of the document, together. Read of it is only what the changes, their conditions
   * and the index need.
   *
   * @return its new version; empty if there is no document or a condition does not hold
   * @throws DocumentException if {@code id} cannot be one, or a path leads through a value in which
   *     there is no such place
   * @throws IOException if HBase fails
   */
  public OptionalLong update(String id, Update update) throws IOException {
    Selection reads = new Selection();
    Collection<Path> indexed = new TreeSet<>();
    for (Update.Change change : update.changes()) {
      Path touched = touched(change);
      reads.above(touched);
      if (change instanceof Update.Append) {
        // An append takes no entry away: what is there already need not be known.
        reads.own(touched);
      } else {
        reads.under(touched);
        indexes.meeting(touched).forEach(reads::of);
      }
      indexed.addAll(indexes.meeting(touched));
    }
    update.expected().forEach(expected -> reads.under(expected.path()));
    return write(id, reads, now -> holds(update, now) ? changed(update, now, indexed) : null);
  }

  /** Where the change may change anything: behind a removed element, others move up. */
  private static Path touched(Update.Change change) {
    Path path = change.path();
    return change instanceof Update.Remove && path.last() instanceof Path.Element
        ? path.parent()
        : path;
  }

  private static boolean holds(Update update, Snapshot now) throws IOException {
    if (!now.stamp().live()
        || update.version().isPresent() && update.version().getAsLong() != now.stamp().version()) {
      return false;
    }
    for (Update.Expected expected : update.expected()) {
      JsonNode found = now.columns().at(PathBytes.encode(expected.path()));
      if (expected.value() == null ? found != null : !expected.value().equals(found)) {
        return false;
      }
    }
    return true;
  }

  private Change changed(Update update, Snapshot now, Collection<Path> indexed) throws IOException {
    Columns after = now.columns().copy();
    Draft draft = new Draft(after, largeAbove);
    for (Update.Change change : update.changes()) {
      draft.make(change);
    }
    return new Change(after, false, true, indexed, 0);
  }

  /** What to do with a row as it is now. */
  private interface Decision {
    @Nullable Change change(Snapshot now) throws IOException;
  }

  private OptionalLong write(String id, Selection reads, Decision decision) throws IOException {
    return writes.write(
        row(id),
        new Change.Plan() {
          @Override
          public Selection reads() {
            return reads;
          }

          @Override
          public @Nullable Change change(Snapshot now) throws IOException {
            return decision.change(now);
          }
        });
  }

  /**
   * The ids of all documents that have {@code value} at {@code path}, in their order; numbers are
   * found however they are written. Each was compared with the document itself.
   *
   * @param path as it was given to {@link DocumentSchema#index}
   * @throws DocumentException if the path has no index, or the value is an object or array
   * @throws IOException if HBase fails
   */
  public List<String> find(String path, String value) throws IOException {
    return find(Path.of(path), Json.parse(value), "", Integer.MAX_VALUE);
  }

  /**
   * As {@link #find(String, String)}, page by page.
   *
   * @param after ids behind this one; all if it is empty
   * @param limit so many at most
   */
  public List<String> find(Path path, JsonNode value, String after, int limit) throws IOException {
    indexes.require(path);
    JsonNode wanted = Json.canonical(value);
    if (wanted.isContainerNode()) {
      throw new DocumentException(
          Problem.NOT_INDEXED, "Objects and arrays have no entries in an index");
    }
    if (limit <= 0) {
      throw new IllegalArgumentException("At most " + limit + " documents");
    }
    byte[] prefix = IndexKey.prefix(path, wanted);
    Scan scan = new Scan().setStartStopRowForPrefixScan(prefix);
    if (!after.isEmpty()) {
      scan.withStartRow(Bytes.add(prefix, row(after)), false);
    }
    List<String> found = new ArrayList<>();
    Selection reads = new Selection().of(path);
    entries.scan(
        scan,
        limit,
        some -> {
          verify(some, path, reads, found);
          return found.size() < limit;
        });
    return found.size() <= limit ? found : found.subList(0, limit);
  }

  /** Adds to {@code found} the documents that have the values of their entries. */
  private void verify(List<Entries.Entry> some, Path path, Selection reads, List<String> found)
      throws IOException {
    List<byte[]> ids = new ArrayList<>();
    for (Entries.Entry entry : some) {
      ids.add(IndexKey.id(entry.key()));
    }
    List<Snapshot> all = rows.get(ids, reads);
    for (int i = 0; i < all.size(); i++) {
      if (Indexes.keys(ids.get(i), all.get(i).columns(), List.of(path))
          .contains(some.get(i).key())) {
        found.add(Rows.id(ids.get(i)));
      }
    }
  }

  /**
   * Makes the index agree with the documents: removes what writes that died have left, and adds
   * entries of an index that was added later. Others may read and write meanwhile; a write that
   * stands between its two tables just then is repeated, and a condition on the document's version
   * may fail for it.
   *
   * @throws IOException if HBase fails; then some is mended
   */
  public Mended mend() throws IOException {
    return new Mender(rows, entries, indexes, writes).mend();
  }

  private static byte[] row(String id) {
    byte[] row = Utf8.encode(id, Problem.INVALID_ID);
    if (row.length == 0 || row.length > Limits.ID_BYTES) {
      throw new DocumentException(
          Problem.INVALID_ID,
          "An id of " + row.length + " bytes: 1 to " + Limits.ID_BYTES + " are allowed");
    }
    return row;
  }
}
