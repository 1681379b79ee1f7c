/**
 * What a region server counts of in-storage reads and of compactions, in HBase's metrics system.
 * Knows nothing of the plug-in.
 */
package io.ishbase.plugin.metrics;
