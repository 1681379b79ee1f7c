/**
 * Compactions in virtual time: what HBase selects, where it is carried out, over which lines its
 * bytes go, who waits for whom in the manager's queue that ships, and what reads notice of it.
 */
package io.ishbase.sim.compaction;
