/**
 * Counts, sums, minima and maxima of a region: an endpoint with the interface of HBase's
 * AggregationClient, and what of it storage daemons compute.
 */
package io.ishbase.plugin.aggregate;
