/**
 * Large clusters, more coarsely: reads of a region as a rate, with what miniatures say of its
 * caches; flushes, compactions, questions to the manager and failures as events.
 */
package io.ishbase.sim.scale;
