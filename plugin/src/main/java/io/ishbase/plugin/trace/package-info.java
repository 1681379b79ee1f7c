/**
 * What clients ask of a region server's tables, recorded for the simulator: which operations, and
 * the file that they go to. Knows no reads of ours.
 */
package io.ishbase.plugin.trace;
