/** A region server's memory, moved between memstores, block cache and segment cache. */
@NullMarked
package io.ishbase.plugin.memory;

import org.jspecify.annotations.NullMarked;
