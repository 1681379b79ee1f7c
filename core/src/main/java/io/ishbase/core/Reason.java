package io.ishbase.core;

/**
 * Why a read, or a part of it, went over HBase's own read path although the table is switched to
 * in-storage reads. Every such decision is counted under its reason.
 */
public enum Reason {
  ENCRYPTED("cells that HBase or HDFS encrypts would cross the network in the clear"),
  REVERSED_HALF("HBase's reader of half a file may fail in a reverse scan"),
  RESTORED_HALF("what says which half of a file is read lies outside of the HBase root"),
  OWN_READER("a coprocessor reads the file with a reader of its own"),
  DIFFERENT("a read of the store was answered with other cells than HBase reads"),
  WARMING_UP("a warm-up is under way: all reads see old files and new ones alike"),
  NO_DAEMON("no storage daemon is registered and answers"),
  UNPLACED("the NameNode has not said where the file lies"),
  QUARANTINED("the storage node failed a short while ago"),
  BUSY("the storage daemon has too many requests"),
  STOPPING("the storage daemon is going away"),
  TIMEOUT("no answer within the deadline"),
  LATE("the answer is late for its kind, and no other storage node holds the files"),
  SILENT("the storage daemon answers nobody"),
  UNREACHABLE("the storage daemon cannot be reached"),
  NO_ANSWER("the storage daemon's server answered with an exception"),
  VERSION("the storage daemon speaks another protocol version"),
  BAD_ANSWER("the answer broke a rule of the protocol or failed its checksum"),
  NO_FILE("the storage daemon does not find the file"),
  REFUSED("the storage daemon refused"),
  UNSUPPORTED("the storage daemon cannot read the file"),
  CORRUPT_FILE("the storage daemon met a corrupt file"),
  FILTER("the storage daemon does not use filters of the class"),
  FILTER_FAILED("the filter failed at the storage daemon, or took too long"),
  BAD_REQUEST("the read is more than one request may ask for"),
  FAILED("the storage daemon failed to read the file");

  private final String description;

  Reason(String description) {
    this.description = description;
  }

  public String description() {
    return description;
  }

  // Of a filter and of a request beyond the bounds nobody else need know.

  /** Whether it is the node, not the file or the request, that should be left alone for a while. */
  public boolean isFaultOfNode() {
    return switch (this) {
      case STOPPING, TIMEOUT, SILENT, UNREACHABLE, NO_ANSWER, VERSION, BAD_ANSWER, REFUSED -> true;
      default -> false;
    };
  }

  /** Whether the node answers nobody, so that another that holds the files may be asked. */
  public boolean isNodeAway() {
    return switch (this) {
      case STOPPING, SILENT, UNREACHABLE -> true;
      default -> false;
    };
  }

  /** Whether it is the file that should be read over HBase's own path for a while. */
  public boolean isFaultOfFile() {
    return switch (this) {
      case NO_FILE, UNSUPPORTED, CORRUPT_FILE, FAILED -> true;
      default -> false;
    };
  }
}
