/**
 * The segment cache: what is cached of each store, in the logical key space of the store.
 *
 * <p>{@link io.ishbase.core.cache.SegmentCache} is the whole, {@link
 * io.ishbase.core.cache.StoreCache} the part of one store.
 */
package io.ishbase.core.cache;
