package io.ishbase.sim.compaction;

import io.ishbase.core.compaction.WarmUpThrottle;
import io.ishbase.sim.engine.EventLoop;
import io.ishbase.sim.workload.Parameters;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/** A region server and its one region, which has one store. */
final class Region {
  /** A file of the store. */
  static final class DataFile {
    private final long bytes;
    private boolean isCompacting;

    DataFile(long bytes) {
      this.bytes = bytes;
    }

    long bytes() {
      return bytes;
    }
  }

  private final int number;
  private final Machine machine;
  private final Reads reads;
  private final Exploring policy;
  private final WarmUpThrottle throttle;

  /** The oldest first. */
  private final List<DataFile> files = new ArrayList<>();

  /** Compactions that wait for the thread of large ones, and for that of the others. */
  private final List<ArrayDeque<Runnable>> waiting =
      List.of(new ArrayDeque<>(), new ArrayDeque<>());

  private final boolean[] busy = {false, false};
  private int compactingHere;
  private double broughtBytes;
  private boolean isRemote;
  private boolean majorIsDue;

  Region(EventLoop loop, Parameters parameters, int number, Popularity popularity) {
    this.number = number;
    this.machine =
        Machine.server(loop, "region server " + number, parameters.number("server.line.mbps"));
    this.reads = new Reads(parameters, popularity);
    this.policy =
        new Exploring(
            parameters.whole("files.min"),
            parameters.whole("files.max"),
            (long) parameters.number("files.least.bytes"),
            Long.MAX_VALUE,
            parameters.number("files.ratio"),
            parameters.whole("files.blocking"));
    this.throttle = new WarmUpThrottle((long) parameters.number("transfer.bytes"), loop::now);
    files.add(new DataFile((long) parameters.number("region.bytes")));
  }

  int number() {
    return number;
  }

  Machine machine() {
    return machine;
  }

  Reads reads() {
    return reads;
  }

  WarmUpThrottle throttle() {
    return throttle;
  }

  int files() {
    return files.size();
  }

  /** Files, of those that block writes. */
  double fill() {
    return (double) files.size() / policy.blockingFiles();
  }

  boolean holdsBackFlushes() {
    return policy.holdsBackFlushes(files.size());
  }

  /** Bytes of all files. */
  long bytes() {
    return files.stream().mapToLong(DataFile::bytes).sum();
  }

  void flush(long bytes) {
    files.add(new DataFile(bytes));
  }

  /** Takes the files of the next minor compaction; none if it does not pay. */
  List<DataFile> selectMinor() {
    int free = 0;
    int compacting = 0;
    for (int i = 0; i < files.size(); i++) {
      if (files.get(i).isCompacting) {
        compacting++;
        free = i + 1;
      }
    }
    long[] bytes = files.stream().mapToLong(DataFile::bytes).toArray();
    Exploring.Span span = policy.select(bytes, compacting, free);
    return take(files.subList(span.from(), span.to()));
  }

  /** Takes all files, or none and remembers it if a compaction has some. */
  List<DataFile> selectMajor() {
    majorIsDue = files.stream().anyMatch(file -> file.isCompacting);
    return majorIsDue ? List.of() : take(files);
  }

  boolean majorIsDue() {
    return majorIsDue;
  }

  private static List<DataFile> take(List<DataFile> selected) {
    selected.forEach(file -> file.isCompacting = true);
    return List.copyOf(selected);
  }

  /** A new file takes the place of others. */
  void replace(List<DataFile> old, long bytes) {
    int place = files.indexOf(old.get(0));
    files.removeAll(old);
    files.add(place, new DataFile(bytes));
  }

  // Threads of compactions: one for large ones, one for the others.

  /** Begins a compaction, or lets it wait for its thread. */
  void inThread(boolean isLarge, Runnable begin) {
    int thread = isLarge ? 1 : 0;
    if (busy[thread]) {
      waiting.get(thread).add(begin);
    } else {
      busy[thread] = true;
      begin.run();
    }
  }

  void threadIsFree(boolean isLarge) {
    int thread = isLarge ? 1 : 0;
    Runnable next = waiting.get(thread).poll();
    busy[thread] = next != null;
    if (next != null) {
      next.run();
    }
  }

  void compactsHere(int more) {
    compactingHere += more;
  }

  // What reads notice.

  void brought(long bytes) {
    broughtBytes += bytes;
  }

  /** From now on a compaction server has in memory what the block cache misses, or it has not. */
  void missesAreRemote(boolean remote) {
    isRemote = remote;
  }

  /** Milliseconds of a read in the next step. */
  double read(double seconds) {
    double ms = reads.step(seconds, files.size(), compactingHere, broughtBytes, isRemote);
    broughtBytes = 0;
    return ms;
  }
}
