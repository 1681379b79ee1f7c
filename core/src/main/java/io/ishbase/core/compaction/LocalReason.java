package io.ishbase.core.compaction;

/**
 * Why a region server carries out a compaction itself although the table is switched to offloaded
 * ones. Every such compaction is counted under its reason.
 */
public enum LocalReason {
  SMALL("the files are smaller than ishbase.compaction.min.bytes"),
  MOB("a major compaction that was asked for writes large objects anew"),
  ENGINE(
      "the store's engine, or hbase.hstore.defaultengine.compactor.class, has another compactor"),
  TRACKER("the store's file tracker is not one of HBase's own"),
  ENCRYPTED("the family is encrypted and ishbase.encrypted is off"),
  CACHED(
      "hbase.rs.cachecompactedblocksonwrite has what is written cached for reads that are stock"),
  COPROCESSOR("a coprocessor has a part in what a compaction reads or writes"),
  NO_WORKER("no storage daemon is registered"),
  BUSY("the worker has no free slot"),
  STOPPING("the worker is going away, or cancelled"),
  UNREACHABLE("the worker cannot be reached"),
  TIMEOUT("the worker did not answer in the lease"),
  STALLED("the worker answered but did not get on"),
  VERSION("the worker speaks another protocol version"),
  REFUSED("the worker refused"),
  FORGOTTEN("the worker does not know the attempt any more: it has restarted"),
  NO_FILE("the worker does not find a file"),
  CORRUPT_FILE("the worker met a corrupt file"),
  BAD_ANSWER("what the worker says it wrote is not there, or not what was asked for"),
  HERE(
      "the region server could not have it carried out, or HDFS or a worker's memory refused what that takes"),
  WRONG_CELLS("what the worker wrote has not the cells that HBase's rules keep"),
  DOUBTED("that was so of a compaction of this region server, not long ago"),
  FAILED("the worker failed");

  private final String description;

  LocalReason(String description) {
    this.description = description;
  }

  public String description() {
    return description;
  }

  /** Whether it is the worker that should be left alone for a while. */
  public boolean isFaultOfWorker() {
    return switch (this) {
      case STOPPING, UNREACHABLE, TIMEOUT, STALLED, VERSION, REFUSED, FORGOTTEN -> true;
      case BAD_ANSWER, WRONG_CELLS, FAILED -> true;
      default -> false;
    };
  }

  /**
   * Of a fault of the worker, whether it may be for what the table is: a codec that daemons lack,
   * say, or a lease that is shorter than a pause.
   */
  public boolean mayBeOfTable() {
    return this == FAILED || this == STALLED || this == STOPPING;
  }
}
