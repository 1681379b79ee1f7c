/**
 * Virtual time: events, links and processors. Knows nothing of HBase. Everything here is for one
 * thread; times are nanoseconds since a run began.
 */
package io.ishbase.sim.engine;
