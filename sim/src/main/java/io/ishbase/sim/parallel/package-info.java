/** Runs side by side, each on one thread and none aware of another. */
package io.ishbase.sim.parallel;
