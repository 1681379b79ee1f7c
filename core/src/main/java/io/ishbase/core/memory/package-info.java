/** How a region server divides its memory among what wants it: decided, not done. */
@NullMarked
package io.ishbase.core.memory;

import org.jspecify.annotations.NullMarked;
