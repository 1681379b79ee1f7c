package io.ishbase.archetypes.graph;

import io.ishbase.archetypes.graph.Keys.Side;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Row;
import org.apache.hadoop.hbase.client.RowMutations;
import org.apache.hadoop.hbase.client.Table;
import org.jspecify.annotations.Nullable;

/**
 * Changes edges, whose two ends are two rows that HBase does not change together. The near end
 * decides; the far end never says "there" of an incarnation that is not, nor knows nothing of one
 * that is:
 *
 * <pre>
 *   ANNOUNCED  far end:   new one in doubt, old ones in doubt     one Put
 *   RECORDED   edge row:  new one                                 EDGE_TABLE only
 *   DECIDED    near end:  new one there, old ones gone            one row, at once
 *   FORGOTTEN  edge row:  old ones gone                           EDGE_TABLE only
 *   SETTLED    far end:   new one sure, old ones gone             one row, at once
 * </pre>
 *
 * <p>An addition has a new one, a removal old ones, a change both. Whoever reads the far end
 * verifies what is in doubt at the near end. A writer that dies leaves doubt, which costs a look,
 * and the entry at the far end stays until all else of its incarnation is gone, so that {@link
 * Mender} finds what is left.
 *
 * <p>The second run of a step does nothing: it writes cells that are there, with the same times, or
 * deletes cells that are gone; and cells of a later step have later times, so a write that arrives
 * late changes nothing either.
 */
final class EdgeWriter {
  private static final int AT_ONCE = 500;

  /** What the near end holds where the properties are elsewhere; not empty, see PropertiesCodec. */
  private static final byte[] THERE = {1};

  /**
   * A change of an edge.
   *
   * @param before the incarnations that go
   * @param after the one that comes, with the properties; null: the edge is removed
   */
  record Change(Edge edge, List<Incarnation> before, @Nullable Incarnation after) {}

  private final GraphTables tables;
  private final Progress progress;

  EdgeWriter(GraphTables tables, Progress progress) {
    this.tables = tables;
    this.progress = progress;
  }

  /** Carries out changes of different edges. */
  void write(List<Change> all) throws IOException {
    for (int from = 0; from < all.size(); from += AT_ONCE) {
      List<Change> changes = all.subList(from, Math.min(from + AT_ONCE, all.size()));
      prepare(changes);
      List<RowMutations> near = new ArrayList<>();
      for (Change change : changes) {
        near.add(near(change));
      }
      mutate(tables.out(), near);
      progress.done(Step.DECIDED);
      finish(changes);
    }
  }

  /**
   * Writes an edge anew with the properties it has, unless it is removed or changed meanwhile.
   *
   * @param before its incarnations, the one that counts first
   * @return whether it did
   */
  boolean rewrite(Edge edge, List<Incarnation> before, byte[] properties) throws IOException {
    Incarnation after = Incarnation.after(before, properties);
    Change change = new Change(edge, before, after);
    prepare(List.of(change));
    byte[] row = Keys.row(Side.NEAR, edge);
    byte[] column = Keys.stamped(Keys.prefix(Side.NEAR, edge), before.get(0).stamp());
    boolean decided =
        tables
            .out()
            .checkAndMutate(
                CheckAndMutate.newBuilder(row)
                    .ifEquals(Keys.FAMILY, column, before.get(0).value())
                    .build(near(change)))
            .isSuccess();
    // The client may have repeated a check that had succeeded.
    if (!decided
        && tables.incarnations(edge).stream().noneMatch(now -> now.stamp() == after.stamp())) {
      finish(List.of(new Change(edge, List.of(after), null)));
      return false;
    }
    progress.done(Step.DECIDED);
    finish(List.of(change));
    return true;
  }

  private void prepare(List<Change> changes) throws IOException {
    List<Put> announcements = new ArrayList<>();
    List<Put> records = new ArrayList<>();
    for (Change change : changes) {
      announcements.add(announcement(change));
      Incarnation after = change.after();
      if (after != null) {
        records.add(after.put(Keys.row(change.edge()), Keys.RECORD));
      }
    }
    tables.in().put(announcements);
    progress.done(Step.ANNOUNCED);
    if (tables.edges() != null && !records.isEmpty()) {
      tables.edges().put(records);
      progress.done(Step.RECORDED);
    }
  }

  private static Put announcement(Change change) {
    byte[] row = Keys.row(Side.FAR, change.edge());
    byte[] prefix = Keys.prefix(Side.FAR, change.edge());
    Put put = new Put(row);
    if (change.after() != null) {
      add(put, prefix, EdgeEntry.announced(change.after()));
    }
    change.before().forEach(before -> add(put, prefix, EdgeEntry.leaving(before)));
    return put;
  }

  private static void add(Put put, byte[] prefix, Incarnation each) {
    put.addColumn(Keys.FAMILY, Keys.stamped(prefix, each.stamp()), each.time(), each.value());
  }

  private RowMutations near(Change change) throws IOException {
    byte[] row = Keys.row(Side.NEAR, change.edge());
    byte[] prefix = Keys.prefix(Side.NEAR, change.edge());
    RowMutations mutations = new RowMutations(row);
    Incarnation after = change.after();
    if (after != null) {
      byte[] value = tables.edges() == null ? after.value() : THERE;
      mutations.add(new Incarnation(after.stamp(), after.time(), value).put(row, prefix));
    }
    for (Incarnation before : change.before()) {
      mutations.add(before.delete(row, prefix));
    }
    return mutations;
  }

  private void finish(List<Change> changes) throws IOException {
    List<Delete> records = new ArrayList<>();
    List<RowMutations> settled = new ArrayList<>();
    for (Change change : changes) {
      byte[] row = Keys.row(Side.FAR, change.edge());
      byte[] prefix = Keys.prefix(Side.FAR, change.edge());
      RowMutations far = new RowMutations(row);
      if (change.after() != null) {
        far.add(EdgeEntry.settled(change.after()).put(row, prefix));
      }
      for (Incarnation before : change.before()) {
        records.add(before.delete(Keys.row(change.edge()), Keys.RECORD));
        far.add(EdgeEntry.leaving(before).delete(row, prefix));
      }
      settled.add(far);
    }
    if (tables.edges() != null && !records.isEmpty()) {
      tables.edges().delete(records);
      progress.done(Step.FORGOTTEN);
    }
    mutate(tables.in(), settled);
    progress.done(Step.SETTLED);
  }

  private static void mutate(Table table, List<RowMutations> mutations) throws IOException {
    List<Row> rows = new ArrayList<>();
    for (RowMutations each : mutations) {
      List<Mutation> ofRow = each.getMutations();
      // HBase carries out many single mutations together, but not many that are atomic each.
      rows.add(ofRow.size() == 1 ? ofRow.get(0) : each);
    }
    try {
      table.batch(rows, new Object[rows.size()]);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw (IOException)
          new InterruptedIOException("A change of edges is unfinished").initCause(e);
    }
  }

  /** The properties of an incarnation that is there; null if it is gone meanwhile. */
  byte @Nullable [] properties(Edge edge, Incarnation near) throws IOException {
    if (tables.edges() == null) {
      return near.value();
    }
    return tables
        .edges()
        .get(
            new Get(Keys.row(edge)).addColumn(Keys.FAMILY, Keys.stamped(Keys.RECORD, near.stamp())))
        .getValue(Keys.FAMILY, Keys.stamped(Keys.RECORD, near.stamp()));
  }

  /** Removes what is left of an incarnation that the near end does not have. */
  void clear(Edge edge, Incarnation far) throws IOException {
    if (tables.edges() != null) {
      tables.edges().delete(far.delete(Keys.row(edge), Keys.RECORD));
    }
    // Not later than what was seen: a writer that is merely slow may yet settle it.
    tables.in().delete(far.delete(Keys.row(Side.FAR, edge), Keys.prefix(Side.FAR, edge)));
  }
}
