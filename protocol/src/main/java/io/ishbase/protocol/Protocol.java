package io.ishbase.protocol;

import io.ishbase.core.LineMeter;
import io.ishbase.protocol.generated.CompactionProtos.CompactionService;
import io.ishbase.protocol.generated.CompactionProtos.ManagerService;
import io.ishbase.protocol.generated.IssnProtos.IssnService;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.protobuf.generated.AuthenticationProtos.TokenIdentifier.Kind;
import org.apache.hadoop.hbase.security.SecurityConstants;
import org.apache.hadoop.hbase.security.SecurityInfo;

/** What both ends of the protocol must agree on. */
public final class Protocol {
  /** Raised whenever a peer of the version before would misread a message. */
  public static final int VERSION = 5;

  /** A daemon drops the connection of a caller that sends more at once. */
  public static final int MAX_REQUEST_BYTES = 4 << 20;

  /** Of all messages in a request together, their fields; the largest read has half as many. */
  public static final int MAX_PARTS = 1 << 17;

  /** What an answer may say that was read for it: sums of them do not overflow. */
  public static final long MAX_TOLD_BYTES = 1L << 40;

  /** Bounds of one read. */
  public static final int MAX_FILES = 1000;

  public static final int MAX_RANGES = 10_000;

  /** Of HDFS's paths, which have no more by its own default. */
  public static final int MAX_PATH_CHARACTERS = 8_000;

  private static final int MAX_NAME_CHARACTERS = 255;
  public static final int MAX_COLUMNS = 10_000;

  /** Of a read's filter, and of its columns together, so that neither fills a request. */
  public static final int MAX_PUSHED_BYTES = 1 << 20;

  /** Lists and wrappers of a read's filter inside each other. */
  public static final int MAX_FILTER_DEPTH = 50;

  /** Reads of one shared request. */
  public static final int MAX_SHARED_READS = 64;

  /**
   * What a daemon says that answers aggregates. Raised whenever an aggregate is to be computed in
   * another way: a region server asks no daemon that says another number.
   */
  public static final int AGGREGATES = 1;

  /**
   * What a daemon says that knows handles ({@link ReadSet}). Raised whenever other fields of a read
   * are behind one: a region server sends none to a daemon that says another number.
   */
  public static final int HANDLES = 1;

  /** Of what is behind a handle. */
  public static final int MAX_HANDLE_BYTES = 128 << 10;

  /** Of an aggregate, the rows that are not looked at. */
  public static final int MAX_EXCEPT_ROWS = 1000;

  /** Of an answer that only measures the line. */
  public static final int MAX_PROBE_BYTES = LineMeter.LARGE_BYTES;

  /** The role of a daemon that answers reads. */
  public static final String SCAN = "scan";

  private Protocol() {}

  /**
   * Makes HBase's RPC authenticate the daemon's services with the region servers' Kerberos
   * principal, the manager's with the masters'. Without Kerberos it changes nothing.
   */
  public static void register() {
    for (String service :
        List.of(
            IssnService.getDescriptor().getName(), CompactionService.getDescriptor().getName())) {
      SecurityInfo.addInfo(
          service,
          new SecurityInfo(SecurityConstants.REGIONSERVER_KRB_PRINCIPAL, Kind.HBASE_AUTH_TOKEN));
    }
    SecurityInfo.addInfo(
        ManagerService.getDescriptor().getName(),
        new SecurityInfo(SecurityConstants.MASTER_KRB_PRINCIPAL, Kind.HBASE_AUTH_TOKEN));
  }

  /** Whether {@code name} is that of something in a directory, and of no other one. */
  public static boolean isFileName(String name) {
    return !name.isEmpty()
        && name.length() <= MAX_NAME_CHARACTERS
        && name.indexOf('/') < 0
        && !name.equals(".")
        && !name.equals("..");
  }

  /** The znode whose children are the registered daemons. */
  public static String daemonsZNode(Configuration conf) {
    return parent(conf) + "/ishbase/issn";
  }

  /** The znode whose child is the compaction manager. */
  public static String managerZNode(Configuration conf) {
    return parent(conf) + "/ishbase/manager";
  }

  private static String parent(Configuration conf) {
    return conf.get(HConstants.ZOOKEEPER_ZNODE_PARENT, HConstants.DEFAULT_ZOOKEEPER_ZNODE_PARENT);
  }
}
