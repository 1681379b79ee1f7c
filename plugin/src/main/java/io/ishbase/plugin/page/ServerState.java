package io.ishbase.plugin.page;

import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;

/** What a region server knows of storage nodes, reads and memory, in words. */
public interface ServerState {
  /** How a line of {@link #getDaemons} ends for one that serves no reads. */
  String COMPACTS_ONLY = ", compacts only";

  /** The daemons that are registered and have answered. */
  List<String> getDaemons();

  /** Nodes, files and filters that are left alone for a while because they failed. */
  SortedSet<String> getQuarantined();

  /** By table and family: the route of each kind of read, and how long it takes over both. */
  SortedMap<String, List<String>> getRoutes();

  /** Bytes of answers that are on their way or wait for their reader. */
  long getHeldBytes();

  /** Who has how much of the server's memory, why, and what more would bring, line by line. */
  List<String> getMemory();

  /** What is cached of each open store, as {@code table/region/family: counters}. */
  List<String> getCachedStores();
}
