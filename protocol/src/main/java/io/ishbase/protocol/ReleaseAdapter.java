package io.ishbase.protocol;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.function.IntConsumer;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.InnerStoreCellComparator;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.ipc.RpcCall;
import org.apache.hadoop.hbase.regionserver.KeyValueScanner;
import org.apache.hadoop.hbase.regionserver.ScannerContext;
import org.apache.hadoop.hbase.regionserver.ScannerContext.LimitScope;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;

/**
 * What HBase 2.5, and the Hadoop that it is built with, do otherwise than HBase 2.6, with which
 * this is compiled. Other classes refer to what is not there only in methods that HBase 2.6 alone
 * calls: {@code ./ishbase versions} looks at each reference.
 */
public final class ReleaseAdapter {
  /** HBase 2.6.1 is of that line and has none. */
  private static final boolean HAS_QUERY_METRICS = has(Scan.class, "isQueryMetricsEnabled");

  /**
   * Whether HBase is of the line 2.6 or later. Then it counts the bytes of blocks that were read,
   * has a comparator of its own for stores, and asks its writer of blocks whether one is full.
   */
  public static final boolean IS_2_6 = has(KeyValueScanner.class, "recordBlockSize");

  private ReleaseAdapter() {}

  static boolean has(Class<?> type, String name) {
    return Arrays.stream(type.getMethods()).anyMatch(method -> method.getName().equals(name));
  }

  /** Whether the scan's client asks what was read for it, as none of HBase 2.5 can. */
  public static boolean asksWhatIsRead(Scan scan) {
    return IS_2_6
        && (scan.isScanMetricsEnabled() || HAS_QUERY_METRICS && scan.isQueryMetricsEnabled());
  }

  /** Says the size of the scanner's current block, unless it was said before; of HBase 2.6 only. */
  public static void recordBlockSize(KeyValueScanner scanner, IntConsumer consumer) {
    scanner.recordBlockSize(consumer);
  }

  /** Bytes of blocks that were read for a call; 0 with HBase 2.5. */
  public static long blockBytes(RpcCall call) {
    return IS_2_6 ? call.getBlockBytesScanned() : 0;
  }

  /** Counts bytes of blocks in; HBase 2.5 has no such count. */
  public static void addBlockBytes(RpcCall call, long bytes) {
    if (IS_2_6) {
      call.incrementBlockBytesScanned(bytes);
    }
  }

  /** Limits what is returned, in and on the heap, to so many bytes, but not what is read. */
  public static ScannerContext.Builder limitBytes(ScannerContext.Builder builder, long bytes) {
    if (IS_2_6) {
      return builder.setSizeLimit(LimitScope.BETWEEN_CELLS, bytes, bytes, Long.MAX_VALUE);
    }
    return (ScannerContext.Builder)
        called(builder, "setSizeLimit", LimitScope.BETWEEN_CELLS, bytes, bytes);
  }

  /** Whether it is the comparator of the stores of an ordinary table of HBase 2.6. */
  public static boolean isInnerStoreComparator(CellComparator comparator) {
    return IS_2_6 && comparator == InnerStoreCellComparator.INNER_STORE_COMPARATOR;
  }

  /** Where a block lies; Hadoop 3.2 returns another type. */
  public static DatanodeInfo[] locations(LocatedBlock block) {
    return (DatanodeInfo[]) called(block, "getLocations");
  }

  /** What a public method returns of which there is one with so many parameters. */
  private static Object called(Object target, String name, Object... arguments) {
    try {
      for (Method method : target.getClass().getMethods()) {
        if (method.getName().equals(name) && method.getParameterCount() == arguments.length) {
          return method.invoke(target, arguments);
        }
      }
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
    throw new NoSuchMethodError(target.getClass() + "." + name);
  }
}
