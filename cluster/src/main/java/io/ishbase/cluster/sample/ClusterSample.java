package io.ishbase.cluster.sample;

import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalInt;

/**
 * A cluster and its load between two moments.
 *
 * @param seconds between them
 * @param processors of a region server's machine, on average, if that is shown
 * @param blockCacheBytes of a region server, on average, if that is shown
 * @param heapBytes of a region server, on average
 * @param dataNodes if the NameNode's page is shown
 * @param settings of the region servers that are shown
 * @param remarks what was not shown, a sentence each
 */
public record ClusterSample(
    double seconds,
    int regionServers,
    OptionalDouble processors,
    OptionalDouble blockCacheBytes,
    double heapBytes,
    OptionalInt dataNodes,
    Map<String, String> settings,
    List<TableSample> tables,
    List<String> remarks) {}
