/**
 * One read of one store by storage nodes: which node reads which files, what it may leave out, and
 * the scanner of its answers in HBase's heap. Knows the nodes, no cache and no region server.
 */
package io.ishbase.plugin.scan;
