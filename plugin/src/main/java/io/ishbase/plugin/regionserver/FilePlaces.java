package io.ishbase.plugin.regionserver;

import io.ishbase.core.Reason;
import java.util.HashSet;
import java.util.Set;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.io.HalfStoreFileReader;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.StoreFileReader;

/** Where the files of one read lie: the fewer storage nodes, the better. */
final class FilePlaces {
  /** A node and one of its directories: the files of one request share both. */
  record Place(StorageNode node, String directory) {}

  /**
   * Where a file is to be read.
   *
   * @param place null: here
   * @param name its name there
   * @param reason why here; null if not
   */
  record Placed(Place place, String name, Reason reason) {}

  private final HStore store;
  private final StorageNodes nodes;
  private final boolean reversed;
  private final Set<StorageNode> chosen = new HashSet<>();

  FilePlaces(HStore store, StorageNodes nodes, boolean reversed) {
    this.store = store;
    this.nodes = nodes;
    this.reversed = reversed;
  }

  Placed place(StoreFileReader reader) {
    Reason reason = unsupported(reader);
    if (reason != null) {
      return new Placed(null, null, reason);
    }
    // Of a link (snapshots, clones) and of half a file HBase gives the file that it points to.
    Path data = reader.getHFileReader().getPath();
    Path named = reader instanceof HalfStoreFileReader ? referenceOf(reader) : data;
    StorageNode node = nodes.nodeFor(store.getFileSystem(), data, chosen);
    if (node == null) {
      return new Placed(null, null, Reason.NO_DAEMON);
    }
    if (named == null || !admits(node) || !nodes.admits(named.toUri().getPath())) {
      return new Placed(null, null, Reason.QUARANTINED);
    }
    chosen.add(node);
    return new Placed(new Place(node, named.getParent().toUri().getPath()), named.getName(), null);
  }

  private Path referenceOf(StoreFileReader reader) {
    for (HStoreFile file : store.getStorefiles()) {
      if (file.getReader() == reader) {
        return file.getPath();
      }
    }
    return null;
  }

  // Asked once for all of a read's files on the node: after a failure the node gets one try, not
  // one for each file.
  private boolean admits(StorageNode node) {
    return chosen.contains(node) || nodes.admits(node.name());
  }

  private Reason unsupported(StoreFileReader reader) {
    if (!nodes.readEncrypted() && reader.getHFileReader().getTrailer().getEncryptionKey() != null) {
      return Reason.ENCRYPTED;
    }
    // After the end of a lower half its seekTo() throws. HBase steps there less often than a
    // daemon.
    return reversed && reader instanceof HalfStoreFileReader ? Reason.REVERSED_HALF : null;
  }
}
