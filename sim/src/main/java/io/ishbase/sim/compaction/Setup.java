package io.ishbase.sim.compaction;

import io.ishbase.core.compaction.WarmUpMode;

/**
 * Region servers of a region each, and who compacts for them.
 *
 * @param compactionServers dedicated ones
 * @param warmUp after a compaction at a compaction server
 * @param seconds of the run
 * @param majorAt second of the only major compaction of each region; 0: they come in intervals,
 *     beginning at random
 */
public record Setup(
    int regionServers,
    int compactionServers,
    Who who,
    WarmUpMode warmUp,
    int seconds,
    int majorAt) {}
