package io.ishbase.archetypes.document;

import io.ishbase.archetypes.document.WriteSteps.Step;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RowMutations;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * How documents are written: read what matters, write new entries of the index, write the row if
 * its stamp is still the one that was read, remove old entries. If the stamp is another one: again.
 *
 * <p>A version is larger than all that the document had before, and is the time of all cells that
 * the write puts. So a delete marker of the version before hides all that was and nothing that is
 * put with it, however many writes fall into a millisecond.
 *
 * <p>A reader of the index finds every document that has the value all the time that it looks.
 * Proof: let the document have the value from version k on, until now. The write of k put the entry
 * with time k before it wrote the row. Whoever removes an entry knows the document without the
 * value at some version m, and removes times up to m only. If m is before k, the entry stays. If m
 * is after now, the document has changed. A write that read an older version than m writes no row,
 * whatever entries it has put.
 *
 * <p>Safe for use by several threads.
 */
final class Writes {
  /** Of what was read, when it is relied upon. */
  private static final long MOST_AGE_MILLIS = 3_600_000;

  private static final int ATTEMPTS = 500;
  private static final long PAUSE_NANOS = 500_000;

  /** A deleted document's version is remembered so long, in milliseconds. */
  private static final long REMEMBERED_MILLIS = 86_400_000;

  private final Connection connection;
  private final TableName name;
  private final Rows rows;
  private final Entries entries;
  private final Indexes indexes;
  private final int cellBytes;
  private final WriteSteps steps;

  Writes(
      Connection connection,
      TableName name,
      Rows rows,
      Entries entries,
      Indexes indexes,
      int cellBytes,
      WriteSteps steps) {
    this.connection = connection;
    this.name = name;
    this.rows = rows;
    this.entries = entries;
    this.indexes = indexes;
    this.cellBytes = cellBytes;
    this.steps = steps;
  }

  /** An attempt: what it puts and removes. */
  private record Attempt(
      long version, byte[] stamp, SortedSet<byte[]> added, SortedSet<byte[]> stale) {}

  /**
   * Does it.
   *
   * @return the version; empty if the plan's condition does not hold
   * @throws IOException if HBase fails. Whether the row was written is not known then
   */
  OptionalLong write(byte[] id, Change.Plan plan) throws IOException {
    Attempt lost = null;
    for (int attempts = 0; attempts < ATTEMPTS; attempts++) {
      long readMillis = System.currentTimeMillis();
      Snapshot now = rows.get(id, plan.reads());
      if (lost != null && Bytes.equals(lost.stamp, now.stamp().cell())) {
        // It was not lost, but its answer, and HBase's client sent it once more.
        return written(id, lost);
      }
      Change change = plan.change(now);
      if (change == null) {
        if (lost != null) {
          tidy(id, lost);
        }
        return OptionalLong.empty();
      }
      Attempt attempt = attempt(id, now, change);
      List<Mutation> mutations = mutations(id, now, change, attempt);
      entries.add(attempt.added, attempt.version);
      steps.reached(Step.ENTRIES_WRITTEN, Rows.id(id));
      // A stamp of a deleted document lives for a day: it says nothing to who has slept for as
      // long.
      boolean isOld = Math.abs(System.currentTimeMillis() - readMillis) > MOST_AGE_MILLIS;
      if (!isOld && writeRow(id, now.stamp(), mutations)) {
        return written(id, attempt);
      }
      lost = attempt;
      LockSupport.parkNanos(
          ThreadLocalRandom.current().nextLong(Math.min(attempts + 1, 20) * PAUSE_NANOS));
    }
    throw new IOException(
        "Document '" + Rows.id(id) + "' changed during each of " + ATTEMPTS + " attempts");
  }

  private OptionalLong written(byte[] id, Attempt attempt) throws IOException {
    steps.reached(Step.ROW_WRITTEN, Rows.id(id));
    entries.remove(attempt.stale, attempt.version);
    return OptionalLong.of(attempt.version);
  }

  private Attempt attempt(byte[] id, Snapshot now, Change change) throws IOException {
    SortedSet<byte[]> before = Indexes.keys(id, now.columns(), change.indexed());
    SortedSet<byte[]> after = Indexes.keys(id, change.after(), change.indexed());
    SortedSet<byte[]> added = new TreeSet<>(after);
    added.removeAll(before);
    SortedSet<byte[]> stale = new TreeSet<>(before);
    stale.removeAll(after);
    long version =
        Math.max(Math.max(now.stamp().version() + 1, steps.clockMillis()), change.atLeast());
    return new Attempt(version, Stamp.cell(version, change.live()), added, stale);
  }

  private boolean writeRow(byte[] id, Stamp read, List<Mutation> mutations) throws IOException {
    CheckAndMutate.Builder check = CheckAndMutate.newBuilder(id);
    byte[] cell = read.cell();
    if (cell == null) {
      check.ifNotExists(Layout.CELLS, Layout.STAMP);
    } else {
      check.ifEquals(Layout.CELLS, Layout.STAMP, cell);
    }
    try (Table table = connection.getTable(name)) {
      return table.checkAndMutate(check.build(RowMutations.of(mutations))).isSuccess();
    }
  }

  private List<Mutation> mutations(byte[] id, Snapshot now, Change change, Attempt attempt) {
    long version = attempt.version;
    Put stamp = new Put(id).addColumn(Layout.CELLS, Layout.STAMP, version, attempt.stamp);
    Delete delete = new Delete(id);
    if (change.whole()) {
      delete.addFamily(Layout.CELLS, version - 1).addFamily(Layout.LARGE, version - 1);
    }
    if (!change.live()) {
      // It keeps the next document of that id from getting a version that this one had.
      return List.of(delete, stamp.setTTL(REMEMBERED_MILLIS));
    }
    SortedMap<byte[], Column> before = new Columns().all();
    if (!change.whole()) {
      before = now.columns().all();
    }
    difference(before, change.after().all(), version, stamp, delete);
    List<Mutation> mutations = new ArrayList<>();
    if (!delete.isEmpty()) {
      mutations.add(delete);
    }
    mutations.add(stamp);
    return mutations;
  }

  /**
   * Adds to {@code put} and {@code delete} what makes the columns {@code after} of those before.
   */
  private void difference(
      SortedMap<byte[], Column> before,
      SortedMap<byte[], Column> after,
      long version,
      Put put,
      Delete delete) {
    long bytes = 0;
    for (var one : after.entrySet()) {
      Column old = before.get(one.getKey());
      Column column = one.getValue();
      if (old == null || !old.isSame(column)) {
        bytes += put(put, one.getKey(), column, version);
        if (bytes > Limits.WRITE_BYTES) {
          throw tooLarge("A write", Limits.WRITE_BYTES);
        }
      }
    }
    before.forEach(
        (place, column) -> {
          Column left = after.get(place);
          if (left == null) {
            delete.addColumns(Layout.CELLS, Layout.column(place), version - 1);
          }
          if (column.isLarge() && (left == null || !left.isLarge())) {
            delete.addColumns(Layout.LARGE, Layout.column(place), version - 1);
          }
        });
  }

  private int put(Put put, byte[] place, Column column, long version) {
    byte[] name = Layout.column(place);
    byte[] body = column.body();
    int overhead = put.getRow().length + name.length;
    if (overhead + Math.max(column.cell().length, body == null ? 0 : body.length) > cellBytes) {
      throw tooLarge("A string", cellBytes);
    }
    put.addColumn(Layout.CELLS, name, version, column.cell());
    if (body != null) {
      put.addColumn(Layout.LARGE, name, version, body);
    }
    return 2 * overhead + column.bytes();
  }

  private static DocumentException tooLarge(String what, int limit) {
    return new DocumentException(
        DocumentException.Problem.TOO_LARGE, what + " of more than " + limit + " bytes");
  }

  /** Removes what a write that was lost has put, if the document as it is has no such values. */
  private void tidy(byte[] id, Attempt lost) throws IOException {
    Selection all = new Selection();
    indexes.all().forEach(all::of);
    Snapshot now = rows.get(id, all);
    List<byte[]> stale = new ArrayList<>(lost.added);
    stale.removeIf(Indexes.keys(id, now.columns(), indexes.all())::contains);
    entries.remove(stale, now.stamp().version());
  }

  /**
   * Sees to it that no write that is under way writes the row and needs {@code entry}, by giving
   * the document another version, without a change.
   *
   * @return the document's version, up to which the entry can be removed; empty if the document has
   *     the value
   */
  OptionalLong fence(byte[] id, Entries.Entry entry) throws IOException {
    Selection all = new Selection();
    indexes.all().forEach(all::of);
    return write(
        id,
        new Change.Plan() {
          @Override
          public Selection reads() {
            return all;
          }

          @Override
          public @Nullable Change change(Snapshot now) throws IOException {
            if (Indexes.keys(id, now.columns(), indexes.all()).contains(entry.key())) {
              return null;
            }
            boolean live = now.stamp().live();
            return new Change(now.columns(), !live, live, List.of(), entry.version());
          }
        });
  }
}
