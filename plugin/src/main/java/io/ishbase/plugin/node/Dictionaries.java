package io.ishbase.plugin.node;

import io.ishbase.protocol.Dictionary;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongFunction;
import java.util.function.LongSupplier;
import org.apache.hadoop.hbase.ServerName;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The dictionaries of daemons, as far as they are here: each is fetched once, when a daemon first
 * says that its answers could be smaller with it. Thread safe.
 */
final class Dictionaries {
  private static final Logger LOG = LoggerFactory.getLogger(Dictionaries.class);

  /** Each takes some tens of KB. */
  private static final int MAX_DICTIONARIES = 256;

  private static final int MAX_STORES = 8192;

  /** Between two fetches from one daemon, whatever came of the first. */
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** Between two fetches of one dictionary. */
  private static final long LONG_PAUSE_NANOS = TimeUnit.HOURS.toNanos(1);

  private record Store(ServerName daemon, String directory) {}

  private static final class Recent<K, V> extends LinkedHashMap<K, V> {
    private static final long serialVersionUID = 1;

    private final int most;

    Recent(int most) {
      super(16, 0.75f, true);
      this.most = most;
    }

    @Override
    protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
      return size() > most;
    }
  }

  private final LongSupplier clock;
  private final Map<Store, Long> ids = new Recent<>(MAX_STORES);
  private final Map<Long, Dictionary> dictionaries = new Recent<>(MAX_DICTIONARIES);

  /** When they were last fetched, and when from that daemon. */
  private final Map<Long, Long> fetchedAt = new Recent<>(MAX_STORES);

  private final Map<ServerName, Long> askedAt = new Recent<>(MAX_STORES);

  /**
   * @param clock in nanoseconds
   */
  Dictionaries(LongSupplier clock) {
    this.clock = clock;
  }

  /** The one for answers of {@code daemon} from that store; null: none is here. */
  synchronized @Nullable Dictionary of(ServerName daemon, String directory) {
    Long id = ids.get(new Store(daemon, directory));
    return id == null ? null : dictionaries.get(id);
  }

  /**
   * Takes note that {@code daemon} has this one for that store.
   *
   * @param fetch has a dictionary sent; the content is null if there is none
   */
  void offered(
      ServerName daemon,
      String directory,
      long id,
      LongFunction<CompletableFuture<byte @Nullable []>> fetch) {
    synchronized (this) {
      ids.put(new Store(daemon, directory), id);
      long now = clock.getAsLong();
      if (dictionaries.containsKey(id)
          || isWithin(fetchedAt.get(id), LONG_PAUSE_NANOS, now)
          || isWithin(askedAt.get(daemon), PAUSE_NANOS, now)) {
        return;
      }
      fetchedAt.put(id, now);
      askedAt.put(daemon, now);
    }
    fetch
        .apply(id)
        .thenApply(content -> checked(content, id))
        .whenComplete((dictionary, failure) -> fetched(daemon, id, dictionary, failure));
  }

  private static boolean isWithin(@Nullable Long then, long nanos, long now) {
    return then != null && now - then < nanos;
  }

  private static Dictionary checked(byte @Nullable [] content, long id) {
    if (content == null || content.length > Dictionary.MAX_BYTES) {
      throw new IllegalStateException(
          content == null ? "there is none" : "it has " + content.length + " bytes");
    }
    Dictionary dictionary = new Dictionary(content);
    if (dictionary.id() != id) {
      throw new IllegalStateException("it is another");
    }
    return dictionary;
  }

  private synchronized void fetched(
      ServerName daemon, long id, @Nullable Dictionary dictionary, @Nullable Throwable failure) {
    if (dictionary != null) {
      dictionaries.put(id, dictionary);
    } else {
      // The daemon may have been too busy.
      fetchedAt.remove(id);
      LOG.info("Without the dictionary {} of {}: {}", Long.toHexString(id), daemon, failure);
    }
  }
}
