/**
 * TPC-C on HBase, without the guarantees of transactions: tables, population and transaction
 * profiles follow clauses 1 to 4 of the TPC-C specification, revision 5.11; a transaction is a
 * sequence of reads and writes that nothing isolates and nothing undoes, and terminals do not
 * think.
 *
 * <p>What it reports is comparable with itself only; it is no TPC-C result.
 */
package io.ishbase.bench.tpcc;
