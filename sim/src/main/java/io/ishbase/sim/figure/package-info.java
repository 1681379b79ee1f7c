/** The figures: which runs each needs, and how it is shown. */
package io.ishbase.sim.figure;
