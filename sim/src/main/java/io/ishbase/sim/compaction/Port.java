package io.ishbase.sim.compaction;

import io.ishbase.sim.engine.Bandwidth;
import io.ishbase.sim.engine.EventLoop;
import io.ishbase.sim.engine.Link;

/** A machine's connection to a network: each direction has all the bandwidth. */
record Port(Link in, Link out) {
  static Port of(EventLoop loop, double mbps) {
    return new Port(
        new Link(loop, Bandwidth.constant(mbps)), new Link(loop, Bandwidth.constant(mbps)));
  }

  /**
   * Sends bytes from here to there. They have arrived once both ends have carried them, so the
   * slower of the two says how long it takes; the network between them has room for all.
   */
  void send(Port to, long bytes, Runnable arrived) {
    int[] left = {2};
    Runnable ended =
        () -> {
          if (--left[0] == 0) {
            arrived.run();
          }
        };
    out.send(new Link.Transfer(ended), bytes);
    to.in.send(new Link.Transfer(ended), bytes);
  }
}
