package io.ishbase.plugin.scan;

import io.ishbase.core.Reason;
import io.ishbase.plugin.hbase.CompactionHooks;
import io.ishbase.plugin.hbase.DataFiles;
import io.ishbase.plugin.hbase.FileReaders;
import io.ishbase.plugin.hbase.ServedRegion;
import io.ishbase.plugin.node.StorageNode;
import io.ishbase.plugin.node.WaitBudget;
import io.ishbase.protocol.Protocol;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.io.HalfStoreFileReader;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.KeyValueScanner;
import org.apache.hadoop.hbase.regionserver.StoreFileInfo;
import org.apache.hadoop.hbase.regionserver.StoreFileReader;
import org.apache.hadoop.hbase.regionserver.StoreFileScanner;
import org.apache.hadoop.hbase.regionserver.StoreFileScannerAccess;
import org.jspecify.annotations.Nullable;

/** Which of a store's files are read by which storage node, and which are read here. */
public final class ReadPlan {
  /**
   * A node and one of its directories: the files of one request share both.
   *
   * @param part of the files there, of which one request takes a number
   */
  private record Place(StorageNode node, String directory, int part) {}

  /**
   * The files of one request.
   *
   * @param guards HBase's scanners of them
   * @param names their names in the directory, in the same order
   */
  public record Part(
      StorageNode node, String directory, List<StoreFileScanner> guards, List<String> names) {
    List<String> paths() {
      return Guards.paths(directory, names);
    }
  }

  private final HStore store;
  private final boolean isOfSnapshot;
  private final ReadContext context;
  private final ReadSpec read;
  private final Map<Place, Part> parts = new LinkedHashMap<>();
  private final Set<StorageNode> chosen = new HashSet<>();

  /** Those that are chosen, and those that other Gets of the call have asked for the same files. */
  private final Set<StorageNode> preferred;

  /** For the NameNode, under the lock of the store's files. */
  private final WaitBudget budget = new WaitBudget();

  private final Map<StoreFileScanner, Reason> reasons = new HashMap<>();
  private final List<KeyValueScanner> others = new ArrayList<>();

  /**
   * @param scanners as HBase made them: of files in ascending order, then of memstores
   */
  public ReadPlan(
      HStore store, ReadContext context, ReadSpec read, List<KeyValueScanner> scanners) {
    this.store = store;
    this.isOfSnapshot = store.getHRegion() instanceof ServedRegion region && region.isOfSnapshot();
    this.context = context;
    this.read = read;
    this.preferred = read.multiGet() == null ? new HashSet<>() : read.multiGet().asked();
    for (KeyValueScanner scanner : scanners) {
      if (!(scanner instanceof StoreFileScanner file && place(file))) {
        others.add(scanner);
      }
    }
  }

  public Collection<Part> parts() {
    return parts.values();
  }

  /** Scanners that stay as HBase made them, those of memstores last. */
  public List<KeyValueScanner> others() {
    return others;
  }

  /** Why files that hold some of the rows are read here. */
  public Collection<Reason> reasons() {
    return reasons.values();
  }

  /**
   * Whether one request asks for all that the reader can see, and for nothing else. A secondary
   * replica is told of edits below the read point that it got from files.
   */
  public boolean isSole() {
    return parts.size() == 1
        && store.isPrimaryReplicaStore()
        && (read.readPoint() < Long.MAX_VALUE || isOfSnapshot)
        && !(read.scan().hasFilter() && CompactionHooks.mayHideCells(store))
        && others.stream().allMatch(other -> isEmpty(other, read.scan()));
  }

  /** Whether storage nodes read all files that may hold some of the rows. */
  public boolean hasAllFiles() {
    return others.stream()
        .allMatch(other -> !(other instanceof StoreFileScanner) || isEmpty(other, read.scan()));
  }

  /** Whether one request goes to all files of the store, whatever they hold. */
  public boolean isOneRequest() {
    return parts.size() == 1 && others.stream().noneMatch(StoreFileScanner.class::isInstance);
  }

  // A memstore scanner stands at the first cell that its reader may see; what is written later is
  // beyond the read point. A file without the scan's rows HBase drops in a moment.
  private static boolean isEmpty(KeyValueScanner scanner, Scan scan) {
    return scanner instanceof StoreFileScanner file
        ? !StoreFileScannerAccess.reader(file).passesKeyRangeFilter(scan)
        : scanner.peek() == null;
  }

  /** Whether a storage node reads the file. */
  private boolean place(StoreFileScanner scanner) {
    StoreFileReader reader = StoreFileScannerAccess.reader(scanner);
    if (read.multiGet() == null && !reader.passesKeyRangeFilter(read.scan())) {
      // HBase drops it in a moment, without I/O.
      return false;
    }
    // Of a link (snapshots, clones) HBase gives the file that it points to, of half a file the
    // reference.
    Path data = present(scanner.getFilePath());
    Reason reason = unsupported(reader, data);
    if (reason == null) {
      Path named = reader instanceof HalfStoreFileReader ? referenceOf(reader) : data;
      StorageNode node =
          context
              .locations()
              .nodeFor(store.getFileSystem(), DataFiles.whole(data), preferred, budget);
      if (node == null) {
        reason = context.locations().hasReaders() ? Reason.UNPLACED : Reason.NO_DAEMON;
      } else {
        String path = named == null ? null : named.toUri().getPath();
        if (path != null && admit(node, path)) {
          add(node, path, scanner);
          return true;
        }
        reason = Reason.QUARANTINED;
      }
    }
    reasons.put(scanner, reason);
    return false;
  }

  /**
   * Where a file is now that was there when it was opened. What other regions have compacted HBase
   * moves to the archive, and those who have opened it follow.
   */
  private Path present(Path opened) {
    return !isOfSnapshot && DataFiles.isOf(store.getRegionInfo().getEncodedName(), opened)
            || StoreFileInfo.isReference(opened)
        ? opened
        : context
            .locations()
            .present(
                store.getFileSystem(),
                store.getHRegion()::getReadOnlyConfiguration,
                opened,
                budget);
  }

  private void add(StorageNode node, String path, StoreFileScanner scanner) {
    chosen.add(node);
    preferred.add(node);
    int slash = path.lastIndexOf('/');
    String directory = path.substring(0, slash);
    Part part;
    int number = 0;
    do {
      part =
          parts.computeIfAbsent(
              new Place(node, directory, number++),
              place -> new Part(node, directory, new ArrayList<>(), new ArrayList<>()));
    } while (part.names.size() == Protocol.MAX_FILES);
    part.guards.add(scanner);
    part.names.add(path.substring(slash + 1));
  }

  private @Nullable Path referenceOf(StoreFileReader reader) {
    for (HStoreFile file : store.getStorefiles()) {
      if (file.getReader() == reader) {
        return file.getPath();
      }
    }
    return null;
  }

  // The node is asked once for all of a read's files on it: after a failure it gets one try, not
  // one for each file; and none for a file that is left alone.
  private boolean admit(StorageNode node, String path) {
    if (context.health().isClosed(path)
        || !chosen.contains(node) && !context.health().admits(node.name())) {
      return false;
    }
    if (context.health().admits(path)) {
      return true;
    }
    // Another read has just begun the file's one try.
    if (!chosen.contains(node)) {
      context.health().untried(node);
    }
    return false;
  }

  /** Nobody will be asked for any of it. */
  public void drop() {
    for (Part part : parts.values()) {
      context.health().untried(part.node, part::paths);
    }
  }

  private @Nullable Reason unsupported(StoreFileReader reader, Path data) {
    if (!FileReaders.isHBases(store, reader)) {
      return Reason.OWN_READER;
    }
    boolean hasKey = Confidentiality.hasKey(reader);
    if (!context.confidentiality().admits(store.getFileSystem(), data, hasKey, budget)) {
      return Reason.ENCRYPTED;
    }
    if (isOfSnapshot && reader instanceof HalfStoreFileReader) {
      return Reason.RESTORED_HALF;
    }
    // After the end of a lower half its seekTo() throws. HBase steps there less often than a
    // daemon.
    return read.scan().isReversed() && reader instanceof HalfStoreFileReader
        ? Reason.REVERSED_HALF
        : null;
  }

  /** Says in words whom the read would ask for what. */
  public void explain(List<String> lines) {
    for (Part part : parts.values()) {
      lines.add("asks " + part.node.name() + " for files of " + part.directory + ":");
      part.names.forEach(name -> lines.add("  " + name));
      Pushdown pushdown = context.pushdown(read, isSole(), part.node, true, false);
      pushdown.explain(isSole(), lines);
      if (pushdown.filterClass() != null) {
        context.health().untriedFilter(part.node, pushdown.filterClass());
      }
      if (read.isMob()) {
        lines.add(
            pushdown.mobWish(false) != null
                ? "  sends large objects behind the references to them"
                : "  sends references to large objects, which are not resolved there");
      }
    }
    boolean memstoreHasCells = false;
    for (KeyValueScanner other : others) {
      if (other instanceof StoreFileScanner file) {
        Reason reason = reasons.get(file);
        lines.add(
            reason == null
                ? "does not read " + file.getFilePath() + ": it has none of the rows"
                : "reads " + file.getFilePath() + " itself: " + reason.description());
      } else {
        memstoreHasCells |= other.peek() != null;
      }
    }
    lines.add(memstoreHasCells ? "the memstore has cells" : "the memstore has no cells");
    int atATime = read.rowLimit().atATime();
    if (atATime > 0) {
      lines.add("the client takes " + atATime + " rows at most at a time");
    }
  }
}
