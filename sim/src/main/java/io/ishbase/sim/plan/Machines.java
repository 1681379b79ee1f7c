package io.ishbase.sim.plan;

/**
 * The machines that are there.
 *
 * @param spread the busiest storage node's part of the reads, as a multiple of the mean
 */
record Machines(int regionServers, int storageNodes, double spread) {}
