/**
 * The compactor that has storage nodes do its work: choice of a worker, the attempt, its result.
 * Knows the nodes and what follows a commit.
 */
package io.ishbase.plugin.compaction;
