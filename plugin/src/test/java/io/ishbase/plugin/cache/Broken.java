package io.ishbase.plugin.cache;

import io.ishbase.core.cache.Change;
import io.ishbase.core.cache.Merge;
import java.util.function.UnaryOperator;
import org.apache.hadoop.hbase.regionserver.HStore;

/** Cached rows of which a defect made something else. */
public final class Broken {
  private Broken() {}

  /** Makes {@code change} of what is held of a row, in its place between its neighbours. */
  public static void row(HStore store, byte[] row, UnaryOperator<byte[]> change) {
    CachedRows cache = ((CachingStoreEngine) store.getStoreEngine()).cached();
    try (Change changing = cache.rows().change()) {
      changing.merge(
          row,
          (columns, present, offset, length) -> {
            byte[] held = new byte[length];
            present.get(offset, held);
            return new Merge.Merged(change.apply(held), true, false);
          });
    }
  }
}
