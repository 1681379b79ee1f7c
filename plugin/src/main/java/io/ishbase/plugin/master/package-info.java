/** The compaction manager in the HMaster. Knows the nodes; has no region, no scan and no cache. */
package io.ishbase.plugin.master;
