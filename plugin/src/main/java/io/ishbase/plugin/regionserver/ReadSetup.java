package io.ishbase.plugin.regionserver;

import io.ishbase.plugin.aggregate.AggregateWish;
import io.ishbase.plugin.cache.CacheVisibility;
import io.ishbase.plugin.cache.CachedRowScanner;
import io.ishbase.plugin.cache.RowFill;
import io.ishbase.plugin.gate.TimedRead;
import io.ishbase.plugin.scan.ReadFill;
import io.ishbase.plugin.scan.ReadSpec;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a read of a store is to be answered: what {@link StoreReads} has settled before HBase makes
 * the read's scanner.
 */
sealed interface ReadSetup {
  /** The read's way, as traces name it. */
  String BLOCK = "block";

  String IN_STORAGE = "in-storage";
  String CACHE = "cache";

  /** Which way the read goes. */
  default String route() {
    return BLOCK;
  }

  /** Measures the read for a gate; null: nobody does. */
  default @Nullable TimedRead timed() {
    return null;
  }

  /** Lets go of what the setup holds: there will be no scanner. */
  default void abandon() {}

  /**
   * As HBase does.
   *
   * @param timed null: nobody measures the read
   */
  record Stock(@Nullable TimedRead timed) implements ReadSetup {}

  /** A Get, from the segment cache and the memstores. */
  record CachedGet(CachedRowScanner row) implements ReadSetup {
    @Override
    public String route() {
      return CACHE;
    }

    @Override
    public void abandon() {
      row.close();
    }
  }

  /**
   * A Get as HBase does it, whose row goes into the segment cache.
   *
   * @param cutOff timestamp before which it may lack what has expired
   * @param timed null: nobody measures the read
   */
  record Filling(RowFill fill, long cutOff, @Nullable TimedRead timed) implements ReadSetup {
    @Override
    public void abandon() {
      fill.abandon();
    }
  }

  /**
   * From the storage nodes and the memstores.
   *
   * @param cached what a scan may take from the segment cache; null: nothing
   * @param fill takes what comes into the cache; null: it does not go there
   * @param timed null: nobody measures the read
   */
  record InStorage(
      ReadSpec read,
      CacheVisibility.@Nullable Reader cached,
      @Nullable ReadFill fill,
      @Nullable TimedRead timed)
      implements ReadSetup {
    @Override
    public String route() {
      return IN_STORAGE;
    }

    @Override
    public void abandon() {
      if (fill != null) {
        fill.abandon();
      }
    }
  }

  /** Not at all: it is for an aggregate, which is formed in another way, or of another read. */
  record Aggregated(ReadSpec read, AggregateWish wish) implements ReadSetup {
    @Override
    public String route() {
      return IN_STORAGE;
    }
  }

  /**
   * Not at all: how it would be done is written down.
   *
   * @param lines take the words
   */
  record Explained(ReadSpec read, List<String> lines) implements ReadSetup {}
}
