package io.ishbase.plugin.node;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.ishbase.core.BatchGrowth;
import io.ishbase.protocol.Protocol;
import io.ishbase.protocol.ReadSet;
import io.ishbase.protocol.generated.IssnProtos.ReadRequest;
import java.util.List;
import org.apache.hadoop.hbase.ServerName;
import org.jspecify.annotations.Nullable;

/**
 * What reads have in common, by daemon: hashed once, told once. A flush, a compaction or a bulk
 * load makes another set of files, so another of these; the old ones go as they are not used any
 * more. Bounded in bytes. Thread safe.
 */
final class ToldSets {
  /** Of all of them, about: some thousands of stores. */
  private static final int MAX_BYTES = 16 << 20;

  /** What one takes beside its strings, and how often it has those, at the most. */
  private static final int OVERHEAD_BYTES = 1000;

  private static final int COPIES = 4;

  private static final int PACKS = 1;
  private static final int HAS_DICTIONARY = 2;

  /** Else it would have to say so, if a scan had told the daemon. */
  private static final int IS_OF_GETS = 4;

  /**
   * What is equal in all reads of a set.
   *
   * @param trimVersions -1: none
   */
  private record Key(
      ServerName daemon,
      String directory,
      List<String> files,
      int trimVersions,
      int flags,
      long dictionary) {}

  private final Cache<Key, ToldSet> sets =
      Caffeine.newBuilder()
          .maximumWeight(MAX_BYTES)
          .weigher((Key key, ToldSet set) -> OVERHEAD_BYTES + COPIES * set.bytes())
          .executor(Runnable::run)
          .build();

  /**
   * The one of {@code full}, as it is told to {@code daemon}; null: this is no read that should
   * have a handle.
   */
  @Nullable ToldSet of(ServerName daemon, ReadRequest full) {
    if (full.getVersion() != Protocol.VERSION
        || full.getFileCount() == 0
        || !full.hasReadPoint()
        || !full.hasMaxBytes()) {
      return null;
    }
    List<String> files = full.getFileList();
    int trimVersions = full.hasTrimVersions() ? full.getTrimVersions() : -1;
    int flags =
        (full.getPack() ? PACKS : 0)
            | (full.hasDictionary() ? HAS_DICTIONARY : 0)
            | (full.getMaxBytes() == BatchGrowth.GET_BYTES ? IS_OF_GETS : 0);
    Key key =
        new Key(daemon, full.getDirectory(), files, trimVersions, flags, full.getDictionary());
    ToldSet set = sets.getIfPresent(key);
    if (set == null) {
      set = new ToldSet(ReadSet.of(full));
      // Its list would hold on to the request.
      Key kept =
          new Key(daemon, key.directory, List.copyOf(files), trimVersions, flags, key.dictionary);
      ToldSet other = sets.asMap().putIfAbsent(kept, set);
      set = other == null ? set : other;
    }
    return set.bytes() > Protocol.MAX_HANDLE_BYTES ? null : set;
  }
}
