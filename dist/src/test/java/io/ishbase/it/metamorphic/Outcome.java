package io.ishbase.it.metamorphic;

import java.util.List;
import java.util.Map;

/**
 * What came of a file of operations.
 *
 * @param difference the first; null: there was none
 * @param ofStock differences of configurations that are HBase's alone, at which these ended
 * @param operations that were done, in each configuration
 * @param contradictions how often each was met
 * @param nanos that all tables took for operations, by what these do
 * @param digest of the stock configuration's answers
 */
record Outcome(
    Difference difference,
    List<Difference> ofStock,
    int operations,
    Map<Contradiction, Integer> contradictions,
    Map<String, Long> nanos,
    String digest) {}
