/**
 * Off-heap memory of the segment cache: chunks, the layout of entries in them, and the epochs that
 * tell when memory can be used again. Knows neither stores nor what is worth keeping.
 */
package io.ishbase.core.cache.memory;
