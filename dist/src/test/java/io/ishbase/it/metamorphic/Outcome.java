package io.ishbase.it.metamorphic;

import java.util.Map;

/**
 * What came of a file of operations.
 *
 * @param difference the first; null: there was none
 * @param operations that were done, in each configuration
 * @param contradictions how often each was met
 * @param nanos that all tables took for operations, by what these do
 * @param digest of the stock configuration's answers
 */
record Outcome(
    Difference difference,
    int operations,
    Map<Contradiction, Integer> contradictions,
    Map<String, Long> nanos,
    String digest) {}
