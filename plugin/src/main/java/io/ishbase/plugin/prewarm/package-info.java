/**
 * Rows that are fetched into the segment cache before anybody asks: those that were hot where the
 * region was before, and the neighbours of many misses. Knows the cache and scans.
 */
package io.ishbase.plugin.prewarm;
