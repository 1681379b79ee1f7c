package io.ishbase.sim.compaction;

import io.ishbase.sim.engine.EventLoop;
import io.ishbase.sim.engine.Processors;

/** A machine that compactions need. */
final class Machine {
  private final String name;
  private final boolean isStorage;
  private final Processors disk;
  private final Port line;
  private final Port fabric;

  private Machine(String name, boolean isStorage, Processors disk, Port line, Port fabric) {
    this.name = name;
    this.isStorage = isStorage;
    this.disk = disk;
    this.line = line;
    this.fabric = fabric;
  }

  /** One with a single connection. */
  static Machine server(EventLoop loop, String name, double lineMbps) {
    Port line = Port.of(loop, lineMbps);
    return new Machine(name, false, new Processors(loop, 1, 1), line, line);
  }

  /** One with a connection to compute nodes and another to its like. */
  static Machine storageNode(EventLoop loop, String name, double lineMbps, double fabricMbps) {
    return new Machine(
        name, true, new Processors(loop, 1, 1), Port.of(loop, lineMbps), Port.of(loop, fabricMbps));
  }

  String name() {
    return name;
  }

  /** Reads files, one request at a time. */
  Processors disk() {
    return disk;
  }

  /** Sends bytes to another machine, or has them at once if that is this one. */
  void send(Machine to, long bytes, Runnable arrived) {
    if (to == this || bytes == 0) {
      arrived.run();
    } else if (isStorage && to.isStorage) {
      fabric.send(to.fabric, bytes, arrived);
    } else {
      line.send(to.line, bytes, arrived);
    }
  }
}
