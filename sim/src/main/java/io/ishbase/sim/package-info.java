/** The simulator: the policies that ship, and those of the seed, in virtual time. */
package io.ishbase.sim;
