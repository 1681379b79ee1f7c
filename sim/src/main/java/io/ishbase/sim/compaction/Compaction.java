package io.ishbase.sim.compaction;

import io.ishbase.core.compaction.Patience;
import io.ishbase.sim.compaction.Region.DataFile;
import io.ishbase.sim.engine.EventLoop;
import java.util.List;

/** A compaction that was selected: what it is of, and when it came how far. */
final class Compaction {
  private final Region region;
  private final List<DataFile> files;
  private final boolean isMajor;
  private final String ticket;
  private final long bytes;
  private final long selectedNanos;
  private final Patience patience;
  private long begunNanos;

  Compaction(EventLoop loop, Region region, List<DataFile> files, boolean isMajor, String ticket) {
    this.region = region;
    this.files = files;
    this.isMajor = isMajor;
    this.ticket = ticket;
    this.bytes = files.stream().mapToLong(DataFile::bytes).sum();
    this.selectedNanos = loop.now();
    this.patience = new Patience(loop::now);
  }

  Region region() {
    return region;
  }

  List<DataFile> files() {
    return files;
  }

  boolean isMajor() {
    return isMajor;
  }

  String ticket() {
    return ticket;
  }

  /** Of its files. */
  long bytes() {
    return bytes;
  }

  long selectedNanos() {
    return selectedNanos;
  }

  Patience patience() {
    return patience;
  }

  long begunNanos() {
    return begunNanos;
  }

  void begins(long nanos) {
    begunNanos = nanos;
  }
}
