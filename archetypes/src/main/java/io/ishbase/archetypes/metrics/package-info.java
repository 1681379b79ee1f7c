/** Counters and distributions by entity and time, rolled up by minute, hour and day. */
@NullMarked
package io.ishbase.archetypes.metrics;

import org.jspecify.annotations.NullMarked;
