/**
 * What stays in the segment cache and what is fetched for it: pure state machines, which the cache
 * tells what happened and which answer what to do. They know neither memory nor stores.
 */
package io.ishbase.core.cache.policy;
