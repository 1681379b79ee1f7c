package io.ishbase.sim.plan;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What the reads, writes and compactions of a cluster demand of its machines, each second.
 *
 * <p>Bytes: a block or an answer comes in over the line, requests, the log, flushes and what
 * compactions at region servers write go out. Answers to clients leave, and Puts arrive, by the
 * region servers' same NICs, but not over the line. Between storage nodes goes each further replica
 * of what is written.
 *
 * @param idle what is demanded if nobody asks for anything: major compactions come with time; null:
 *     this is it
 */
record Load(
    Values values,
    Machines machines,
    @Nullable Load idle,
    List<ReadCosts> reads,
    double puts,
    double inBytes,
    double outBytes,
    double clientInBytes,
    double clientOutBytes,
    double replicaBytes,
    double serverSeconds,
    double storageSeconds,
    double daemonSeconds,
    double diskReads) {

  /**
   * Something that can be busy.
   *
   * @param part how much of it is, from 0
   * @param isLine whether it is part of the way between region servers and storage nodes
   */
  record Resource(String name, double part, boolean isLine) {
    static Resource ofNode(String name, double part) {
      return new Resource(name, part, false);
    }

    static Resource ofLine(String name, double part) {
      return new Resource(name, part, true);
    }
  }

  static Load of(
      Side side, Inputs inputs, Values values, List<TableCurves> curves, Machines machines) {
    double cache =
        machines.regionServers()
            * (side == Side.TODAY ? values.of("block.cache") : values.segmentCache());
    double[] shares = CacheShares.of(side, values, inputs.tables(), curves, cache);
    List<ReadCosts> reads = new ArrayList<>();
    double puts = 0;
    double written = 0;
    for (int i = 0; i < shares.length; i++) {
      Inputs.Table table = inputs.tables().get(i);
      var fetches = curves.get(i).at(side, values.of(table, "skew"), shares[i]);
      reads.add(ReadCosts.ofGet(side, values, table, fetches));
      reads.add(ReadCosts.ofScan(side, values, table, fetches));
      puts += values.of(table, "puts");
      written += values.of(table, "puts") * values.of(table, "row.bytes");
    }
    double majors = Compactions.majorBytesPerSecond(inputs, values);
    double compacted = Compactions.of(inputs, values).bytesPerSecond();
    Load idle = of(side, values, machines, null, List.of(), 0, 0, majors);
    return of(side, values, machines, idle, reads, puts, written, compacted);
  }

  private static Load of(
      Side side,
      Values values,
      Machines machines,
      @Nullable Load idle,
      List<ReadCosts> reads,
      double puts,
      double written,
      double compacted) {
    double compacting = compacted / (values.of("compaction.mb.s") * (1 << 20));
    boolean isHere = side == Side.TODAY;
    double logged = written * values.of("wal.factor") + written;
    double in = isHere ? compacted : 0;
    double out = logged + (isHere ? compacted : 0);
    double server = puts * values.seconds("cpu.put.us") + (isHere ? compacting : 0);
    double daemon = isHere ? 0 : compacting;
    double clientOut = 0;
    double disk = 0;
    double storage = 0;
    for (ReadCosts read : reads) {
      double fetches = read.aSecond() * read.fetches();
      in += fetches * read.inBytes() + read.aSecond() * read.unaskedInBytes();
      double unasked = read.aSecond() * read.unasked();
      out += (fetches + unasked) * read.outBytes();
      server += read.aSecond() * read.serverSeconds();
      storage += fetches * read.storageSeconds() + read.aSecond() * read.unaskedStorageSeconds();
      clientOut += read.aSecond() * read.answerBytes();
      disk += (fetches + unasked) * (1 - values.of("page.cache"));
    }
    return new Load(
        values,
        machines,
        idle,
        reads,
        puts,
        in,
        out,
        written,
        clientOut,
        (Math.min(values.of("replication"), machines.storageNodes()) - 1) * (logged + compacted),
        server,
        storage + daemon,
        isHere ? 0 : storage + daemon,
        disk);
  }

  /** With so many times as many operations. Major compactions come as often as now. */
  Load times(double times) {
    if (idle == null) {
      return this;
    }
    return new Load(
        values,
        machines,
        idle,
        reads.stream().map(read -> read.times(times)).toList(),
        puts * times,
        idle.inBytes + times * (inBytes - idle.inBytes),
        idle.outBytes + times * (outBytes - idle.outBytes),
        idle.clientInBytes + times * (clientInBytes - idle.clientInBytes),
        idle.clientOutBytes + times * (clientOutBytes - idle.clientOutBytes),
        idle.replicaBytes + times * (replicaBytes - idle.replicaBytes),
        idle.serverSeconds + times * (serverSeconds - idle.serverSeconds),
        idle.storageSeconds + times * (storageSeconds - idle.storageSeconds),
        idle.daemonSeconds + times * (daemonSeconds - idle.daemonSeconds),
        idle.diskReads + times * (diskReads - idle.diskReads));
  }

  /** Operations a second that this is the load of. */
  double operations() {
    return puts + reads.stream().mapToDouble(ReadCosts::aSecond).sum();
  }

  /** Bytes a second over the line, both directions. */
  double lineBytes() {
    return inBytes + outBytes;
  }

  /** Bytes a second that leave their rack. Of further replicas HDFS has one in another. */
  double farBytes() {
    double further = Math.min(values.of("replication"), machines.storageNodes()) - 1;
    return (1 - values.of("near.part")) * lineBytes() + (further < 1 ? 0 : replicaBytes / further);
  }

  /** Bytes a second from one machine to another of its rack. */
  double nearBytes() {
    return lineBytes() + replicaBytes - farBytes();
  }

  /** Reads at the busiest storage node, as a part of the sum of all nodes. */
  private double ofBusiest() {
    return machines.spread() / machines.storageNodes();
  }

  /** How busy each of the machines' parts is. */
  List<Resource> resources() {
    double servers = machines.regionServers();
    double serverNic = servers * values.bytesPerSecond("region.server.mbps");
    double storageNic = values.bytesPerSecond("storage.mbps");
    double core = values.bytesPerSecond("core.mbps");
    List<Resource> all =
        new ArrayList<>(
            List.of(
                Resource.ofNode(
                    "region servers' processors",
                    serverSeconds / (servers * values.of("region.server.cores"))),
                Resource.ofLine("region servers' NICs, in", (inBytes + clientInBytes) / serverNic),
                Resource.ofLine(
                    "region servers' NICs, out", (outBytes + clientOutBytes) / serverNic),
                Resource.ofNode(
                    "storage nodes' processors",
                    storageSeconds * ofBusiest() / values.of("storage.cores")),
                Resource.ofLine(
                    "storage nodes' NICs, out",
                    (inBytes * ofBusiest() + replicaBytes / machines.storageNodes()) / storageNic),
                Resource.ofLine(
                    "storage nodes' NICs, in",
                    (outBytes + replicaBytes) / machines.storageNodes() / storageNic),
                Resource.ofNode(
                    "storage nodes' disks", diskReads * ofBusiest() / values.of("disk.reads"))));
    if (core > 0) {
      all.add(Resource.ofLine("line between, to region servers", inBytes / core));
      all.add(Resource.ofLine("line between, to storage", outBytes / core));
    }
    return all;
  }

  /** What is busiest. */
  Resource bottleneck() {
    return resources().stream().max(Comparator.comparingDouble(Resource::part)).orElseThrow();
  }

  /**
   * By what the operations may grow until the busiest is as busy as it may be; 0 if it is without
   * any.
   */
  double headroom() {
    return headroom(load -> load.resources().stream().mapToDouble(Resource::part).toArray());
  }

  /**
   * The same.
   *
   * @param parts how busy each of some things is under a load
   */
  double headroom(Function<Load, double[]> parts) {
    double limit = values.of("load.limit");
    double[] now = parts.apply(this);
    double[] before = idle == null ? now : parts.apply(idle);
    double most = Double.POSITIVE_INFINITY;
    for (int i = 0; i < now.length; i++) {
      if (before[i] >= limit) {
        return 0;
      }
      if (now[i] > before[i]) {
        most = Math.min(most, (limit - before[i]) / (now[i] - before[i]));
      }
    }
    return most;
  }

  /** Operations a second that the machines carry. */
  double carried() {
    return operations() == 0 ? 0 : operations() * headroom();
  }
}
