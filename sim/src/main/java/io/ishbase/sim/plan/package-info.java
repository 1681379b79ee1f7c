/** What IS-HBase would save on a cluster that is described in a file, and what it would need. */
package io.ishbase.sim.plan;
