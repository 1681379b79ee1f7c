/**
 * Hot rows: which intervals of a store were asked for most, as bytes, and how fast they are fetched
 * anew. Knows no cache.
 */
package io.ishbase.core.hot;
