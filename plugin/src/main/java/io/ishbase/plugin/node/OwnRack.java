package io.ishbase.plugin.node;

import io.ishbase.core.Topology;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.apache.hadoop.hbase.util.Threads;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds out this machine's rack, by a script of the site mostly, which may take its time, or not
 * work yet when the machine has just begun. Nobody waits for it. Thread safe.
 */
final class OwnRack {
  private static final Logger LOG = LoggerFactory.getLogger(OwnRack.class);

  private final Supplier<@Nullable String> rack;
  private final Topology topology;
  private final AtomicBoolean isAsked = new AtomicBoolean();
  private final AtomicBoolean saidUnknown = new AtomicBoolean();
  private volatile boolean isKnown;

  /**
   * @param rack finds it out; null: it cannot now
   */
  OwnRack(Supplier<@Nullable String> rack, Topology topology) {
    this.rack = rack;
    this.topology = topology;
  }

  /** Looks for it on a thread of its own, unless it is known or somebody does already. */
  void look() {
    if (!isKnown && isAsked.compareAndSet(false, true)) {
      Threads.setDaemonThreadRunning(new Thread(this::ask), "ishbase-rack");
    }
  }

  private void ask() {
    try {
      String found = rack.get();
      if (found != null) {
        topology.ownRack(found);
        isKnown = true;
      } else if (saidUnknown.compareAndSet(false, true)) {
        LOG.warn("The rack of this machine is not known yet: daemons of all racks are alike");
      }
    } finally {
      isAsked.set(false);
    }
  }
}
