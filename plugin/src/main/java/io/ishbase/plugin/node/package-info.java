/**
 * The storage nodes as one process sees them: who is registered and answers, how they fare, where
 * files lie, and the clients that call them. Knows the protocol, not what is asked.
 */
package io.ishbase.plugin.node;
