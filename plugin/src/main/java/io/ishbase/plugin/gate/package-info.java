/**
 * Which route is faster for a kind of read, found out by timing the reads themselves. Knows only
 * {@code core} and HBase's scanners.
 */
package io.ishbase.plugin.gate;
