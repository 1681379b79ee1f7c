/**
 * The segment cache in terms of HBase: rows as cells, who may see them, how answers fill them and
 * how flushes, bulk loads and compactions change them. Knows scans.
 */
package io.ishbase.plugin.cache;
