/** Compactions, their workers and the manager's queue that ships, in virtual time. */
package io.ishbase.sim.compaction;
