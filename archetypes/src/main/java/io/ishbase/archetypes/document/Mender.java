package io.ishbase.archetypes.document;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.util.Bytes;

/** Makes the index and the documents agree, while both are written. Used once, by one thread. */
final class Mender {
  private static final int KEYS_AT_ONCE = 200;
  private static final int MOST_TRIES = 100;

  private final Rows rows;
  private final Entries entries;
  private final Indexes indexes;
  private final Writes writes;
  private final Selection indexed = new Selection();
  private long looked;
  private long documents;
  private long removed;
  private long added;

  Mender(Rows rows, Entries entries, Indexes indexes, Writes writes) {
    this.rows = rows;
    this.entries = entries;
    this.indexes = indexes;
    this.writes = writes;
    indexes.all().forEach(indexed::of);
  }

  Mended mend() throws IOException {
    entries.scan(
        new Scan(),
        KEYS_AT_ONCE,
        some -> {
          removeStale(some);
          return true;
        });
    addMissing();
    return new Mended(looked, documents, removed, added);
  }

  private void removeStale(List<Entries.Entry> some) throws IOException {
    looked += some.size();
    SortedMap<byte[], List<Entries.Entry>> byId = new TreeMap<>(Bytes.BYTES_COMPARATOR);
    for (Entries.Entry entry : some) {
      byId.computeIfAbsent(IndexKey.id(entry.key()), id -> new ArrayList<>()).add(entry);
    }
    List<byte[]> ids = new ArrayList<>(byId.keySet());
    List<Snapshot> snapshots = rows.get(ids, indexed);
    Map<Long, List<byte[]>> stale = new HashMap<>();
    for (int i = 0; i < ids.size(); i++) {
      byte[] id = ids.get(i);
      Snapshot now = snapshots.get(i);
      SortedSet<byte[]> keys = Indexes.keys(id, now.columns(), indexes.all());
      for (Entries.Entry entry : byId.getOrDefault(id, List.of())) {
        if (!keys.contains(entry.key())) {
          OptionalLong until = until(id, now, entry);
          if (until.isPresent()) {
            stale.computeIfAbsent(until.getAsLong(), v -> new ArrayList<>()).add(entry.key());
          }
        }
      }
    }
    for (Map.Entry<Long, List<byte[]>> one : stale.entrySet()) {
      entries.remove(one.getValue(), one.getKey());
      removed += one.getValue().size();
    }
  }

  /** The version up to which the entry can be removed. */
  private OptionalLong until(byte[] id, Snapshot now, Entries.Entry entry) throws IOException {
    if (!indexes.all().contains(IndexKey.pattern(entry.key()))) {
      // Of an index that was added after this store was opened.
      return OptionalLong.empty();
    }
    // A later entry is of a write that died, or is about to write the row.
    return entry.version() <= now.stamp().version()
        ? OptionalLong.of(now.stamp().version())
        : writes.fence(id, entry);
  }

  private void addMissing() throws IOException {
    List<Entries.Entry> wanted = new ArrayList<>();
    rows.scan(
        indexed,
        (id, now) -> {
          documents++;
          for (byte[] key : Indexes.keys(id, now.columns(), indexes.all())) {
            wanted.add(new Entries.Entry(key, now.stamp().version()));
          }
          if (wanted.size() >= KEYS_AT_ONCE) {
            add(wanted);
            wanted.clear();
          }
        });
    add(wanted);
  }

  private void add(List<Entries.Entry> wanted) throws IOException {
    SortedSet<byte[]> missing = new TreeSet<>(Bytes.BYTES_COMPARATOR);
    missing.addAll(entries.missing(wanted.stream().map(Entries.Entry::key).toList()));
    for (Entries.Entry entry : wanted) {
      if (missing.contains(entry.key())) {
        addIfMissed(entry);
      }
    }
  }

  /**
   * Adds an entry that was not there after its document was read, unless the document changed in
   * between.
   */
  private void addIfMissed(Entries.Entry entry) throws IOException {
    byte[] id = IndexKey.id(entry.key());
    long version = entry.version();
    for (int tries = 0; tries < MOST_TRIES; tries++) {
      Snapshot now = rows.get(id, indexed);
      if (!Indexes.keys(id, now.columns(), indexes.all()).contains(entry.key())) {
        return;
      }
      if (now.stamp().version() == version) {
        // It had the value before and after it was looked for in the index.
        break;
      }
      version = now.stamp().version();
      if (entries.missing(List.of(entry.key())).isEmpty()) {
        return;
      }
    }
    entries.add(List.of(entry.key()), version);
    added++;
  }
}
