/** What applications do through the libraries of {@code io.ishbase.archetypes}, as loads. */
package io.ishbase.bench.archetype;
