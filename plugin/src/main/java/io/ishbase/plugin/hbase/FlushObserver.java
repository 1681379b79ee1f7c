package io.ishbase.plugin.hbase;

import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.regionserver.ChangedReadersObserver;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.KeyValueScanner;

/**
 * A scanner as its store knows it, for which a flush brings no files that it has.
 *
 * <p>HBase adds the files of a flush to the store and then tells the open scanners of them: also
 * one that was made in between, be the file compacted since, and on a secondary replica one made
 * since it looked for files. HBase's own scanner passes over cells that it sees twice. But where a
 * storage daemon or the segment cache has judged a row by all of its cells and left it out, the
 * file alone would bring a part of it back.
 *
 * <p>Relies on HBase 2.6: a {@code StoreScanner} registers itself in its constructor, before it
 * chooses files and under the same hold of the store engine's lock.
 */
public final class FlushObserver implements ChangedReadersObserver {
  private final ChangedReadersObserver scanner;
  private final Collection<HStoreFile> known;

  /** Whose cells are in those. */
  private final Collection<HStoreFile> compacted;

  /** Of a scanner that is about to choose files of {@code store}. */
  public FlushObserver(ChangedReadersObserver scanner, HStore store) {
    this.scanner = scanner;
    this.known = store.getStorefiles();
    this.compacted = store.getCompactedFiles();
  }

  @Override
  public long getReadPoint() {
    return scanner.getReadPoint();
  }

  @Override
  public void updateReaders(List<HStoreFile> files, List<KeyValueScanner> memstores)
      throws IOException {
    List<HStoreFile> unknown = files.stream().filter(file -> !isKnown(file)).toList();
    if (unknown.isEmpty() && !files.isEmpty()) {
      // It has the memstore as the flush left it, too.
      memstores.forEach(KeyValueScanner::close);
    } else {
      scanner.updateReaders(unknown, memstores);
    }
  }

  /** By path: a replica that looks for files has other objects of the same. */
  private boolean isKnown(HStoreFile file) {
    return Stream.of(known, compacted)
        .flatMap(Collection::stream)
        .anyMatch(other -> other.getPath().equals(file.getPath()));
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof FlushObserver that && that.scanner == scanner;
  }

  @Override
  public int hashCode() {
    return System.identityHashCode(scanner);
  }
}
