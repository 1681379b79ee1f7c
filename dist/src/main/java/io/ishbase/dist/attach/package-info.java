/**
 * Switches IS-HBase on and off in the configuration of an existing HBase: reads its files, says
 * what changes, what stands in the way and who is restarted when, and writes changed copies.
 */
package io.ishbase.dist.attach;
