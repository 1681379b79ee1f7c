package io.ishbase.plugin.compaction;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.regionserver.DateTieredStoreEngine;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.StoreEngine;
import org.apache.hadoop.hbase.regionserver.StripeStoreEngine;
import org.jspecify.annotations.Nullable;

/**
 * HBase's store engines that no setting gives another compactor, with one that offloads.
 *
 * <p>Relies on HBase 2.6: {@code createComponents} sets the field {@code compactor}, which only the
 * engine's own compactions use.
 */
public final class OffloadingEngines {
  private OffloadingEngines() {}

  /** The engine that {@code conf}, the store's, names, if it is one of those; otherwise null. */
  public static @Nullable StoreEngine<?, ?, ?, ?> of(
      HStore store, Configuration conf, CellComparator comparator) throws IOException {
    String named = conf.get(StoreEngine.STORE_ENGINE_CLASS_KEY, "");
    if (named.equals(StripeStoreEngine.class.getName())) {
      return new Striped(store, conf, comparator);
    }
    return named.equals(DateTieredStoreEngine.class.getName())
        ? new DateTiered(store, conf, comparator)
        : null;
  }

  private static final class Striped extends StripeStoreEngine {
    Striped(HStore store, Configuration conf, CellComparator comparator) throws IOException {
      createComponentsOnce(conf, store, comparator);
    }

    @Override
    protected void createComponents(Configuration conf, HStore store, CellComparator comparator)
        throws IOException {
      super.createComponents(conf, store, comparator);
      compactor = new OffloadingStripeCompactor(conf, store);
    }
  }

  private static final class DateTiered extends DateTieredStoreEngine {
    DateTiered(HStore store, Configuration conf, CellComparator comparator) throws IOException {
      createComponentsOnce(conf, store, comparator);
    }

    @Override
    protected void createComponents(Configuration conf, HStore store, CellComparator comparator)
        throws IOException {
      super.createComponents(conf, store, comparator);
      compactor = new OffloadingDateTieredCompactor(conf, store);
    }
  }
}
