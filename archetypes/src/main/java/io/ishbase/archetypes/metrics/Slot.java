package io.ishbase.archetypes.metrics;

/**
 * What goes into one row of seconds, before it is sharded.
 *
 * @param base the number of the row, see {@link Resolution#base}
 */
record Slot(Series series, int base) {}
