/**
 * The region and the store that HBase makes, and the one place where the parts of the plug-in are
 * put together. Knows all of them; only readers of snapshots know it.
 */
package io.ishbase.plugin.regionserver;
