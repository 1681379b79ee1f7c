/** Queues of messages with several consumers, replay and trimming. */
@NullMarked
package io.ishbase.archetypes.queue;

import org.jspecify.annotations.NullMarked;
