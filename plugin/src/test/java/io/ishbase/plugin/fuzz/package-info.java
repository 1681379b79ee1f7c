/**
 * Both ends of the protocols are given what nobody should send them. Run by {@code ./ishbase fuzz},
 * and shortly with each build.
 */
package io.ishbase.plugin.fuzz;
