/**
 * Servers and links that fail while rows are read and written, and the proof that nobody noticed:
 * the history of each row is checked for linearizability.
 */
package io.ishbase.dist.chaos;
