/** Rows that left the memory of the segment cache, in a file of the machine. */
@NullMarked
package io.ishbase.core.cache.file;

import org.jspecify.annotations.NullMarked;
