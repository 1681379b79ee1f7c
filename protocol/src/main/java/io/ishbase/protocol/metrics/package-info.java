/** What all servers of this project do with their metrics: count them, and show them by HTTP. */
@NullMarked
package io.ishbase.protocol.metrics;

import org.jspecify.annotations.NullMarked;
