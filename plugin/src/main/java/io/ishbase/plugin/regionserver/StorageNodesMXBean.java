package io.ishbase.plugin.regionserver;

import io.ishbase.plugin.page.ServerState;
import java.util.List;
import java.util.SortedMap;

/** What a region server knows of the storage nodes, for operators. */
public interface StorageNodesMXBean extends ServerState {
  /** Which release of IS-HBase the plug-in is. */
  String getRelease();

  /** How reads would be done that were asked to be explained in the last minute, by their names. */
  SortedMap<String, List<String>> getExplanations();

  /**
   * Compares all that is cached with the files, which are read whole for it. Empty if they agree.
   */
  List<String> checkCache();

  /**
   * Lets everything that is left alone be tried again: what {@code update_config} does, and stores
   * of which a read had other cells than HBase reads.
   */
  void forgetFailures();
}
