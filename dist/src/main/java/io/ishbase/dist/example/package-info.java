/** The archetypes at work on real input, for {@code ./ishbase example}. */
package io.ishbase.dist.example;
