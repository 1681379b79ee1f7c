package io.ishbase.it.metamorphic;

import java.util.List;
import java.util.Map;

/**
 * What came of a file of operations.
 *
 * @param difference the first; null: there was none
 * @param ofStock differences of HBase alone: its own path gives the same over the same files, of a
 *     table that has the same cells; or the table is its alone, and ended there
 * @param operations that were done, in each configuration
 * @param answers that were compared with the stock configuration's
 * @param contradictions how often each was met
 * @param nanos that all tables took for operations, by what these do
 * @param digest of the stock configuration's answers
 */
record Outcome(
    Difference difference,
    List<Difference> ofStock,
    int operations,
    long answers,
    Map<Contradiction, Integer> contradictions,
    Map<String, Long> nanos,
    String digest) {}
