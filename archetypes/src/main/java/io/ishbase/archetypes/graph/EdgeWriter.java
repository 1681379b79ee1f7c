package io.ishbase.archetypes.graph;

import io.ishbase.archetypes.graph.Keys.Side;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.CheckAndMutateResult;
import org.apache.hadoop.hbase.client.Delete;
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
 * <p>An addition has a new one, a removal old ones, a change both. What has old ones is decided
 * only if the one of them that counts is still there ({@code checkAndMutate}): else the edge was
 * changed or mended meanwhile, and who wants the change must look again. Whoever reads the far end
 * verifies what is in doubt at the near end. A writer that dies leaves doubt, which costs a look,
 * and the entry at the far end stays until all else of its incarnation is gone, so that {@link
 * Mender} finds what is left.
 *
 * <p>The second run of a step does nothing: it writes cells that are there, with the same times, or
 * deletes cells that are gone; and cells of a later step have later times, so a write that arrives
 * late changes nothing either.
 */
final class EdgeWriter {
  /** So many changes are announced, decided and settled together. */
  static final int AT_ONCE = 500;

  /** What the near end holds where the properties are elsewhere; not empty, see PropertiesCodec. */
  private static final byte[] THERE = {1};

  /**
   * A change of an edge.
   *
   * @param before the incarnations that go, the one that counts first
   * @param after the one that comes, with the properties; null: the edge is removed
   */
  record Change(Edge edge, List<Incarnation> before, @Nullable Incarnation after) {}

  private final GraphTables tables;
  private final Progress progress;

  EdgeWriter(GraphTables tables, Progress progress) {
    this.tables = tables;
    this.progress = progress;
  }

  /**
   * Carries out changes of different edges.
   *
   * @return those that were overtaken: what they were to replace was replaced or removed by
   *     somebody else meanwhile, and nothing of them is done
   */
  List<Change> write(List<Change> all) throws IOException {
    List<Change> overtaken = new ArrayList<>();
    for (int from = 0; from < all.size(); from += AT_ONCE) {
      List<Change> changes = all.subList(from, Math.min(from + AT_ONCE, all.size()));
      prepare(changes);
      overtaken.addAll(decide(changes));
    }
    return overtaken;
  }

  private List<Change> decide(List<Change> changes) throws IOException {
    List<Change> made = new ArrayList<>();
    List<Change> failed = new ArrayList<>();
    additions(changes, made);
    replacements(changes, made, failed);
    List<Change> overtaken = new ArrayList<>();
    List<Change> remains = new ArrayList<>();
    List<List<Incarnation>> there = tables.incarnations(failed.stream().map(Change::edge).toList());
    for (int i = 0; i < failed.size(); i++) {
      Change change = failed.get(i);
      List<Incarnation> now = there.get(i);
      // The client may have repeated a check that had succeeded.
      if (change.after() != null && isAmong(now, change.after())) {
        made.add(change);
      } else {
        overtaken.add(change);
        Change gone = remains(change, now);
        if (!gone.before().isEmpty()) {
          remains.add(gone);
        }
      }
    }
    if (!remains.isEmpty()) {
      finish(remains);
    }
    if (!made.isEmpty()) {
      progress.done(Step.DECIDED);
      finish(made);
      progress.done(Step.SETTLED);
    }
    return overtaken;
  }

  private static boolean isAmong(List<Incarnation> now, Incarnation one) {
    return now.stream().anyMatch(each -> each.stamp() == one.stamp());
  }

  /** A removal of all that an overtaken change speaks of and the near end does not have. */
  private static Change remains(Change change, List<Incarnation> now) {
    List<Incarnation> gone = new ArrayList<>(change.before());
    if (change.after() != null) {
      gone.add(change.after());
    }
    gone.removeIf(each -> isAmong(now, each));
    return new Change(change.edge(), gone, null);
  }

  private void additions(List<Change> changes, List<Change> made) throws IOException {
    List<RowMutations> near = new ArrayList<>();
    for (Change change : changes) {
      if (change.before().isEmpty()) {
        near.add(near(change));
        made.add(change);
      }
    }
    if (!near.isEmpty()) {
      mutate(tables.out(), near);
    }
  }

  /**
   * Replaces or removes what is still there. The one that counts tells for all: whoever changes an
   * edge takes away all that he sees.
   */
  private void replacements(List<Change> changes, List<Change> made, List<Change> failed)
      throws IOException {
    List<Change> replacing = changes.stream().filter(each -> !each.before().isEmpty()).toList();
    if (replacing.isEmpty()) {
      return;
    }
    List<CheckAndMutate> checks = new ArrayList<>();
    for (Change change : replacing) {
      byte[] prefix = Keys.prefix(Side.NEAR, change.edge());
      byte[] column = Keys.stamped(prefix, change.before().get(0).stamp());
      checks.add(
          CheckAndMutate.newBuilder(Keys.row(Side.NEAR, change.edge()))
              // That it exists: HBase takes a column that is not there for an empty value, which
              // none of ours is.
              .ifMatches(Keys.FAMILY, column, CompareOperator.NOT_EQUAL, new byte[0])
              .build(near(change)));
    }
    List<CheckAndMutateResult> results = tables.out().checkAndMutate(checks);
    for (int i = 0; i < results.size(); i++) {
      (results.get(i).isSuccess() ? made : failed).add(replacing.get(i));
    }
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
        .get(GraphTables.record(edge, near))
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
