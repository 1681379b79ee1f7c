package org.apache.hadoop.hbase.regionserver;

/**
 * HBase's switch for lazy seeks, which is package-private: {@code
 * StoreScanner.enableLazySeekGlobally}.
 */
public final class LazySeek {
  private LazySeek() {}

  public static void enable(boolean enabled) {
    StoreScanner.enableLazySeekGlobally(enabled);
  }
}
