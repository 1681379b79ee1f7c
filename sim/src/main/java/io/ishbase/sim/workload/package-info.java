/** What clients ask for: parameters, draws of keys and of requests. */
package io.ishbase.sim.workload;
