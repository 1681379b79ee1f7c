package io.ishbase.sim.compaction;

import io.ishbase.core.compaction.Worker;

/** A dedicated compaction server. */
final class Server {
  private final Machine machine;
  private final int slots;
  private final long memoryBytes;
  private int running;
  private long begun;
  private long backlogBytes;

  Server(Machine machine, int slots, long memoryBytes) {
    this.machine = machine;
    this.slots = slots;
    this.memoryBytes = memoryBytes;
  }

  Machine machine() {
    return machine;
  }

  void begins(long bytes) {
    running++;
    begun++;
    backlogBytes += bytes;
  }

  void ends(long bytes) {
    running--;
    backlogBytes -= bytes;
  }

  /** As it describes itself. */
  Worker describe() {
    return new Worker(
        machine.name(), slots, running, backlogBytes, memoryBytes, 0, 0, 0, false, begun);
  }
}
