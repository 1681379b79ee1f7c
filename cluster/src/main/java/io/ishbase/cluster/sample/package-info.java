/**
 * What a client with no more than a client's rights learns of a cluster's machines, tables and
 * load. Nothing here changes anything.
 */
package io.ishbase.cluster.sample;
