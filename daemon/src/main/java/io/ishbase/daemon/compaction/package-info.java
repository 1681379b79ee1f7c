/**
 * Compactions that a daemon carries out for region servers: the job, its store, its share of the
 * machine. Knows the RPC, not the reads.
 */
package io.ishbase.daemon.compaction;
