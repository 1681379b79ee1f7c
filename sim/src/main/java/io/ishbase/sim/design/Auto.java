package io.ishbase.sim.design;

import io.ishbase.core.Gate;
import io.ishbase.core.Gates;
import io.ishbase.core.cache.Ticket;
import io.ishbase.sim.workload.Parameters;

/**
 * Reads by blocks or in-storage, whichever the gate that ships says. What the segment cache has of
 * a Get is asked of nobody, and a Get fills it over either route, as in the plug-in.
 */
final class Auto implements Design, AutoCloseable {
  private final Data data;
  private final RegionServer server;
  private final Gates gates = new Gates();
  private final BlockCache blocks;
  private final InStorage inStorage;
  private final boolean limitKnown;

  Auto(Parameters parameters, Data data, RegionServer server, double cacheBytes) {
    this.data = data;
    this.server = server;
    double ofBlocks = parameters.number("auto.block.share") * cacheBytes;
    blocks = new BlockCache(data, ofBlocks, parameters.number("bookkeeping.block.bytes"));
    inStorage = new InStorage(parameters, data, server, cacheBytes - ofBlocks);
    limitKnown = parameters.is("scan.limit", "known");
  }

  private record Timed(Gate gate, Gate.Choice choice, long begun, Ticket ticket) {}

  @Override
  public boolean goesOn(Read read) {
    Timed timed = (Timed) read.gated;
    boolean isNew = timed == null;
    if (timed == null) {
      if (read.isGet() && inStorage.isCached(read)) {
        return false;
      }
      Gate gate = gates.of(kind(read));
      timed = new Timed(gate, gate.choose(), server.nanos(), inStorage.ticket());
      read.gated = timed;
    }
    boolean needs =
        timed.choice.route() == Gate.Route.BLOCK
            ? blocks.goesOn(read)
            : isNew && read.isGet() ? inStorage.fetchRow(read) : inStorage.goesOn(read);
    if (!needs) {
      if (timed.choice.route() == Gate.Route.BLOCK && read.isGet()) {
        inStorage.fill(read.key(), timed.ticket);
      }
      long nanos = server.nanos() - timed.begun;
      timed.gate.observe(timed.choice, (double) nanos / (1 + read.rows()));
    }
    return needs;
  }

  private Gates.Kind kind(Read read) {
    return read.isGet()
        ? Gates.Kind.ofGet(false, false, false)
        : Gates.Kind.ofScan(limitKnown ? read.rows() : 0, false, false, data.isFiltered());
  }

  @Override
  public void flushed(int[] keys, int count) {
    inStorage.flushed(keys, count);
  }

  @Override
  public long upgrades() {
    return inStorage.upgrades();
  }

  @Override
  public void close() {
    inStorage.close();
  }
}
