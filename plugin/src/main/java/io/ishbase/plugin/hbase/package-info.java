/**
 * What works around HBase's internals: each class says which version and methods it relies on.
 * Knows HBase and nothing of the plug-in.
 */
package io.ishbase.plugin.hbase;
