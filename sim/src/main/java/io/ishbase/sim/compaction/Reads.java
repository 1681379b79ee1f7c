package io.ishbase.sim.compaction;

import io.ishbase.sim.workload.Parameters;
import java.util.Arrays;
import java.util.List;

/**
 * Reads of one region server by threads in a closed loop, not one by one but as a flow: in each
 * step as many as come around the loop of client, processors and disk, where those that wait for a
 * processor or the disk are as many as in queues with random arrivals (M/M/c, M/M/1).
 */
final class Reads {
  private static final int HALVINGS = 40;

  private final List<Popularity.BlockClass> classes;

  /** Of each class, the part that is cached. */
  private final double[] cached;

  private final double threads;
  private final double processors;
  private final double clientSeconds;
  private final double getSeconds;
  private final double fileSeconds;
  private final double diskSeconds;
  private final double remoteSeconds;
  private final double bringingSeconds;

  /** The part of a processor that each compaction here has. */
  private double processorOfCompaction = 1;

  /** Everything is cached at first. */
  Reads(Parameters parameters, Popularity popularity) {
    classes = popularity.classes();
    cached = new double[classes.size()];
    Arrays.fill(cached, 1);
    threads = parameters.number("read.threads");
    processors = parameters.number("read.processors");
    clientSeconds = parameters.nanos("read.client.ms") / 1e9;
    getSeconds = parameters.nanos("read.get.ms") / 1e9;
    fileSeconds = parameters.nanos("read.file.ms") / 1e9;
    diskSeconds = parameters.nanos("read.disk.ms") / 1e9;
    remoteSeconds = parameters.nanos("read.remote.ms") / 1e9;
    bringingSeconds = parameters.number("read.cached.ns") / 1e9;
  }

  /**
   * Goes on for a step.
   *
   * @param files over which a read goes
   * @param compactions that use the same processors
   * @param broughtBytes that were put into the block cache meanwhile
   * @param isRemote whether a compaction server has in memory what is missing
   * @return milliseconds of a read
   */
  double step(double seconds, int files, int compactions, double broughtBytes, boolean isRemote) {
    double work = getSeconds + fileSeconds * Math.max(0, files - 1);
    double others = compactions * processorOfCompaction + broughtBytes / seconds * bringingSeconds;
    double capacity = Math.max(processors / threads, processors - others) / work;
    double fromDisk = isRemote ? 0 : missing() * diskSeconds;
    double idle = clientSeconds + (isRemote ? missing() * remoteSeconds : 0);
    double least = 0;
    double most = fromDisk == 0 ? capacity : Math.min(capacity, 1 / fromDisk);
    for (int i = 0; i < HALVINGS; i++) {
      double perSecond = (least + most) / 2;
      double takes =
          idle + atProcessors(work, perSecond / capacity) + fromDisk / (1 - perSecond * fromDisk);
      if (perSecond * takes < threads) {
        least = perSecond;
      } else {
        most = perSecond;
      }
    }
    load(least * seconds);
    double runnable = least * atProcessors(work, least / capacity);
    double share = Math.min(1, processors / (runnable + Math.max(1, compactions)));
    // The mean of old and new, because each changes the other.
    processorOfCompaction = (processorOfCompaction + share) / 2;
    return threads / least * 1e3;
  }

  private double atProcessors(double work, double load) {
    return work / (1 - StrictMath.pow(load, processors));
  }

  /** What is missing and read is cached from then on. */
  private void load(double reads) {
    for (int i = 0; i < cached.length; i++) {
      Popularity.BlockClass one = classes.get(i);
      double ofEach = reads * one.share() / one.blocks();
      cached[i] += (1 - cached[i]) * (1 - StrictMath.exp(-ofEach));
    }
  }

  /** The part of a processor that each compaction beside the reads has. */
  double processorOfCompaction() {
    return processorOfCompaction;
  }

  /** The share of reads whose block is not cached. */
  private double missing() {
    double missing = 0;
    for (int i = 0; i < cached.length; i++) {
      missing += classes.get(i).share() * (1 - cached[i]);
    }
    return missing;
  }

  /** A part of the blocks, of any popularity, goes. */
  void lose(double part) {
    for (int i = 0; i < cached.length; i++) {
      cached[i] *= 1 - part;
    }
  }

  /** All blocks are cached. */
  void fill() {
    Arrays.fill(cached, 1);
  }

  /** No more than this part of the blocks, of any popularity, stays. */
  void keep(double part) {
    for (int i = 0; i < cached.length; i++) {
      cached[i] = Math.min(cached[i], part);
    }
  }
}
