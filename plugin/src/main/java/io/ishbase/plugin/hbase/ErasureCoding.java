package io.ishbase.plugin.hbase;

import org.apache.hadoop.fs.BlockLocation;

/** What HDFS says of erasure-coded files; the Hadoop that HBase 2.5 is built with says nothing. */
public final class ErasureCoding {
  private ErasureCoding() {}

  /** Whether each DataNode of {@code block} has a part of it only. */
  public static boolean isStriped(BlockLocation block) {
    try {
      return block.isStriped();
    } catch (NoSuchMethodError e) {
      return false;
    }
  }
}
