package io.ishbase.plugin.blockwarmup;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import org.apache.hadoop.hbase.io.hfile.BlockCache;
import org.apache.hadoop.hbase.io.hfile.BlockCacheKey;
import org.apache.hadoop.hbase.io.hfile.Cacheable;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * HBase's block cache, some of whose misses are filled from elsewhere. A filler that fails, however
 * it does, makes a miss of it, no more: what HBase's own cache throws, and nothing else, reaches
 * the reader.
 *
 * <p>A proxy, because the interface has some thirty methods, most of them with an implementation
 * that has to be the original's.
 */
final class FilledMisses {
  private static final Logger LOG = LoggerFactory.getLogger(FilledMisses.class);

  private FilledMisses() {}

  /** Asked for each block that the cache does not have; arguments and answer are its own. */
  interface Filler {
    @Nullable Cacheable missed(BlockCacheKey key, boolean caching, boolean repeat) throws Exception;
  }

  static BlockCache of(BlockCache original, Filler filler) {
    InvocationHandler handler =
        (proxy, method, arguments) -> {
          Object found;
          try {
            found = method.invoke(original, arguments);
          } catch (InvocationTargetException e) {
            throw e.getCause();
          }
          return found == null && method.getName().equals("getBlock")
              ? fill(filler, arguments)
              : found;
        };
    return (BlockCache)
        Proxy.newProxyInstance(
            BlockCache.class.getClassLoader(), new Class<?>[] {BlockCache.class}, handler);
  }

  @SuppressWarnings("checkstyle:IllegalCatch") // whatever it is, the block can be read from HDFS
  private static @Nullable Cacheable fill(Filler filler, Object[] arguments) {
    BlockCacheKey key = (BlockCacheKey) arguments[0];
    try {
      return filler.missed(key, (boolean) arguments[1], (boolean) arguments[2]);
    } catch (Exception e) {
      LOG.debug("Block {} is read by HBase's own path", key, e);
      return null;
    }
  }
}
