/** Reads that are answered over HBase's own path as well, and compared. */
@NullMarked
package io.ishbase.plugin.shadow;

import org.jspecify.annotations.NullMarked;
