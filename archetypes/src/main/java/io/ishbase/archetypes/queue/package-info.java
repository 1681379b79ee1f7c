/**
 * Queues of messages with several consumers, replay and trimming, on the plain client of HBase 2.4
 * or newer. {@link io.ishbase.archetypes.queue.Queues} makes and opens them.
 */
@NullMarked
package io.ishbase.archetypes.queue;

import org.jspecify.annotations.NullMarked;
