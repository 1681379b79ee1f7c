package io.ishbase.plugin.regionserver;

import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;

/** What a region server knows of the storage nodes, for operators. */
public interface StorageNodesMXBean {
  /** Which release of IS-HBase the plug-in is. */
  String getRelease();

  /** The daemons that are registered. */
  List<String> getDaemons();

  /** Nodes, files and filters that are left alone for a while because they failed. */
  SortedSet<String> getQuarantined();

  /** By table and family: the route of each kind of read, and how long it takes over both. */
  SortedMap<String, List<String>> getRoutes();

  /** How reads would be done that were asked to be explained in the last minute, by their names. */
  SortedMap<String, List<String>> getExplanations();

  /** Bytes of answers that are on their way or wait for their reader. */
  long getHeldBytes();

  /** Who has how much of the server's memory, why, and what more would bring, line by line. */
  List<String> getMemory();

  /** What is cached of each open store, as {@code table/region/family: counters}. */
  List<String> getCachedStores();

  /**
   * Compares all that is cached with the files, which are read whole for it. Empty if they agree.
   */
  List<String> checkCache();

  /** Lets everything that is left alone be tried again, as {@code update_config} does. */
  void forgetFailures();
}
