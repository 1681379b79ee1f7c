package io.ishbase.dist.doctor;

import io.ishbase.core.Reason;

/** What to do about each reason of a fallback: the last column of docs/operations.md, "When". */
final class Remedies {
  static final String NOTHING = "nothing";

  private Remedies() {}

  /** What to do, without the marks of Markdown. */
  static String of(Reason reason) {
    return switch (reason) {
      case ENCRYPTED -> "TLS, or hbase.rpc.protection=privacy with Kerberos, or ishbase.encrypted";
      case REVERSED_HALF, RESTORED_HALF, WARMING_UP -> NOTHING;
      case OWN_READER ->
          "nothing; it ends for Phoenix's local indexes with the compaction after a split";
      case DIFFERENT ->
          "report it, with that line of the log; ishbase.read = stock until it is known why";
      case NO_DAEMON ->
          "start daemons; check their ZooKeeper quorum and zookeeper.znode.parent; upgrade the older"
              + " side";
      case UNPLACED ->
          "the NameNode: it takes long to answer, or fails; reads go over HBase's path";
      case UNREACHABLE, TIMEOUT, QUARANTINED ->
          "its host; its log, which names whom it refused; reads go on over HBase's path meanwhile";
      case BUSY -> "ishbase.issn.handlers, or more storage nodes";
      case STOPPING -> "start it again, if it is not being restarted";
      case LATE -> "the daemon's load and disks; ishbase.hedge.percent = 0 switches that off";
      case SILENT -> "its host, its log for long collections, its disks";
      case NO_ANSWER -> "the region server's log at DEBUG names it, and the daemon's log";
      case VERSION -> "upgrade the older side";
      case BAD_ANSWER, FAILED -> "report it, with the daemon's log";
      case NO_FILE -> "the daemon's hbase.rootdir, if it grows all the time";
      case REFUSED -> "the daemon's user and hbase.rootdir: both are the region servers'";
      case UNSUPPORTED -> "the daemon's class path: codecs, key providers; the family's BLOCKSIZE";
      case CORRUPT_FILE -> "what you do for a corrupt HFile in HBase";
      case FILTER -> "the daemon's class path and setting";
      case FILTER_FAILED -> "the daemon's log at DEBUG names it";
      case BAD_REQUEST -> "report it with the region server's log at DEBUG";
    };
  }
}
