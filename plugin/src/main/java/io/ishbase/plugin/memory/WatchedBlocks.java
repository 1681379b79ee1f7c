package io.ishbase.plugin.memory;

import io.ishbase.core.memory.ReuseCurve;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import org.apache.hadoop.hbase.io.hfile.BlockCache;
import org.apache.hadoop.hbase.io.hfile.BlockCacheKey;
import org.jspecify.annotations.Nullable;

/**
 * HBase's block cache, of which a {@link ReuseCurve} is told which blocks are asked for, and how
 * long it takes to read those that it does not have. Nothing else is changed.
 *
 * <p>A proxy, because the interface has some thirty methods, most of them with an implementation
 * that has to be the original's.
 *
 * <p>Relies on HBase 2.6: a reader that misses a block, and is going to cache it, reads it and
 * calls {@code cacheBlock} on the same thread; {@code repeat} says that it has asked for the block
 * before.
 */
final class WatchedBlocks {
  /** A block of the sample that a thread has missed: its key's hash, and when. */
  private record Miss(int hash, long nanos) {}

  private final ReuseCurve curve;
  private final ThreadLocal<@Nullable Miss> missed = new ThreadLocal<>();

  private WatchedBlocks(ReuseCurve curve) {
    this.curve = curve;
  }

  static BlockCache of(BlockCache original, ReuseCurve curve) {
    WatchedBlocks watched = new WatchedBlocks(curve);
    InvocationHandler handler =
        (proxy, method, arguments) -> {
          Object answer;
          try {
            answer = method.invoke(original, arguments);
          } catch (InvocationTargetException e) {
            throw e.getCause();
          }
          switch (method.getName()) {
            case "getBlock" -> watched.asked(arguments, answer == null);
            case "cacheBlock" -> watched.cached((BlockCacheKey) arguments[0]);
            default -> {
              // Nothing to do with what is asked for.
            }
          }
          return answer;
        };
    return (BlockCache)
        Proxy.newProxyInstance(
            BlockCache.class.getClassLoader(), new Class<?>[] {BlockCache.class}, handler);
  }

  private void asked(Object[] arguments, boolean isMissing) {
    boolean caching = (boolean) arguments[1];
    boolean repeat = (boolean) arguments[2];
    if (!caching || repeat) {
      return;
    }
    int hash = arguments[0].hashCode();
    if (curve.accessed(hash) && isMissing) {
      missed.set(new Miss(hash, System.nanoTime()));
    }
  }

  private void cached(BlockCacheKey key) {
    Miss miss = missed.get();
    if (miss != null) {
      missed.remove();
      if (miss.hash == key.hashCode()) {
        curve.missTook(System.nanoTime() - miss.nanos);
      }
    }
  }
}
