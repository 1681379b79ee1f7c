/**
 * HBase's RPC server as the daemon runs it: who may call, what is queued, what a refusal says.
 * Knows nothing of what is asked.
 */
package io.ishbase.daemon.rpc;
