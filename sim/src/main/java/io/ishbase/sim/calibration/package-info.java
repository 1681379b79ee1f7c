/** Costs from measurements, and what the simulator predicts with them of others. */
package io.ishbase.sim.calibration;
