/**
 * A cluster from the outside: what it is to be like, its network, its tables, what its servers say
 * of themselves. Benchmarks and the command line share it; it knows neither, nor the product's
 * classes.
 */
package io.ishbase.cluster;
