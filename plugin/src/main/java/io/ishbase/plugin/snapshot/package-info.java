/** Snapshots, read by clients from the storage nodes without a region server. */
@NullMarked
package io.ishbase.plugin.snapshot;

import org.jspecify.annotations.NullMarked;
