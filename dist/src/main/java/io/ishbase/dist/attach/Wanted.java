package io.ishbase.dist.attach;

import java.util.Optional;

/**
 * What is wanted of an attachment.
 *
 * @param compactions whether compactions are to be offloaded, or could be
 * @param segmentCacheBytes -1: as large as it comes
 * @param shortCircuit how daemons get at blocks beside them
 * @param user who runs HBase's servers and the daemons
 * @param lib directory of the jars on every machine
 * @param table that is to be switched; empty: none is named
 */
public record Wanted(
    boolean compactions,
    long segmentCacheBytes,
    ShortCircuit shortCircuit,
    String user,
    String lib,
    Optional<String> table) {
  /** How a daemon reads the blocks of the DataNode beside it. */
  public enum ShortCircuit {
    /** Descriptors are passed over a socket of the machine; needs Hadoop's native library. */
    DOMAIN_SOCKET,
    /** The daemon opens the DataNode's files; not where HDFS has Kerberos. */
    LEGACY,
    /** As it is configured. */
    KEEP,
    /** The first where there is a socket already, else as it is configured. */
    USUAL
  }
}
