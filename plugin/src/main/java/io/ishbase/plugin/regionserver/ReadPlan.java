package io.ishbase.plugin.regionserver;

import io.ishbase.core.Reason;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.KeyValueScanner;
import org.apache.hadoop.hbase.regionserver.StoreFileReader;
import org.apache.hadoop.hbase.regionserver.StoreFileScanner;
import org.apache.hadoop.hbase.regionserver.StoreFileScannerAccess;

/** Which of a store's files are read by which storage node, and which are read here. */
final class ReadPlan {
  /**
   * The files of one request.
   *
   * @param guards HBase's scanners of them
   * @param names their names in the directory, in the same order
   */
  record Part(
      StorageNode node, String directory, List<StoreFileScanner> guards, List<String> names) {}

  private final StorageNodes nodes;
  private final NodeRead read;
  private final FilePlaces places;
  private final Map<FilePlaces.Place, Part> parts = new LinkedHashMap<>();
  private final Map<StoreFileScanner, Reason> reasons = new HashMap<>();
  private final List<KeyValueScanner> others = new ArrayList<>();

  /**
   * @param scanners as HBase made them: of files in ascending order, then of memstores
   */
  ReadPlan(HStore store, StorageNodes nodes, NodeRead read, List<KeyValueScanner> scanners) {
    this.nodes = nodes;
    this.read = read;
    this.places = new FilePlaces(store, nodes, read.scan().isReversed());
    for (KeyValueScanner scanner : scanners) {
      if (!(scanner instanceof StoreFileScanner file && place(file))) {
        others.add(scanner);
      }
    }
  }

  Collection<Part> parts() {
    return parts.values();
  }

  /** Scanners that stay as HBase made them, those of memstores last. */
  List<KeyValueScanner> others() {
    return others;
  }

  /** Why files that hold some of the rows are read here. */
  Collection<Reason> reasons() {
    return reasons.values();
  }

  /** Whether one request asks for all that the reader can see. */
  boolean isSole() {
    return parts.size() == 1
        && read.readPoint() < Long.MAX_VALUE
        && others.stream().allMatch(other -> isEmpty(other, read.scan()));
  }

  /** Whether storage nodes read all files that may hold some of the rows. */
  boolean hasAllFiles() {
    return others.stream()
        .allMatch(other -> !(other instanceof StoreFileScanner) || isEmpty(other, read.scan()));
  }

  /** Whether one request goes to all files of the store, whatever they hold. */
  boolean isOneRequest() {
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
    FilePlaces.Placed placed = places.place(reader);
    if (placed.reason() != null) {
      reasons.put(scanner, placed.reason());
      return false;
    }
    Part part =
        parts.computeIfAbsent(
            placed.place(),
            place ->
                new Part(place.node(), place.directory(), new ArrayList<>(), new ArrayList<>()));
    part.guards.add(scanner);
    part.names.add(placed.name());
    return true;
  }

  /** Says in words whom the read would ask for what. */
  void explain(List<String> lines) {
    for (Part part : parts.values()) {
      lines.add("asks " + part.node.name() + " for files of " + part.directory + ":");
      part.names.forEach(name -> lines.add("  " + name));
      nodes.pushdown(read, isSole(), part.node, true).explain(isSole(), lines);
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
    if (read.rowLimit() > 0) {
      lines.add("the client takes " + read.rowLimit() + " rows at most at a time");
    }
  }
}
