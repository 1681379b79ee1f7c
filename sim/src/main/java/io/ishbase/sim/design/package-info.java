/**
 * What a region server does for a read, a class for each design: the seed's five, and ours on the
 * classes that ship.
 */
package io.ishbase.sim.design;
