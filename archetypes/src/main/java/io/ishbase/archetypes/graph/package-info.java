/** Vertices with their edges in one row, or edges in a table of their own; walks over both. */
@NullMarked
package io.ishbase.archetypes.graph;

import org.jspecify.annotations.NullMarked;
