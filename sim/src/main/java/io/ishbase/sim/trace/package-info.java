/**
 * Traces: what clients asked of a table, in a format of ours and in those of others, and how one is
 * played to the simulator.
 */
package io.ishbase.sim.trace;
