/** How a machine's memory is divided among what a region server needs it for. */
@NullMarked
package io.ishbase.core.sizing;

import org.jspecify.annotations.NullMarked;
