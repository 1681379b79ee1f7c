/**
 * Writes by which memstores are judged: what clients do to the rows of a table, without any
 * cluster, and what a policy that chooses for itself is held against.
 */
package io.ishbase.bench.memstore;
