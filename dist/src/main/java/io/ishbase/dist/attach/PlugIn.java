package io.ishbase.dist.attach;

import java.util.List;

/** The places of HBase's configuration in which a class of the plug-in's can stand. */
public enum PlugIn {
  REGION(
      "hbase.hregion.impl",
      "io.ishbase.plugin.regionserver.InStorageRegion",
      "org.apache.hadoop.hbase.regionserver.HRegion",
      "regions whose stores can be read at the storage nodes; until a table says so nothing is"),
  COMPACTOR(
      "hbase.hstore.defaultengine.compactor.class",
      "io.ishbase.plugin.compaction.OffloadingCompactor",
      "org.apache.hadoop.hbase.regionserver.compactions.DefaultCompactor",
      "compactions that a storage daemon can carry out; until a table says so none does"),
  MOB_COMPACTOR(
      "hbase.hstore.mobengine.compactor.class",
      "io.ishbase.plugin.compaction.OffloadingMobCompactor",
      "org.apache.hadoop.hbase.mob.DefaultMobStoreCompactor",
      "the same for families with large objects (MOB)");

  /** With which the names of all classes of the plug-in's begin. */
  public static final String OURS = "io.ishbase.";

  /** What offloads compactions. */
  public static final List<PlugIn> COMPACTIONS = List.of(COMPACTOR, MOB_COMPACTOR);

  private final String key;
  private final String own;
  private final String stock;
  private final String why;

  PlugIn(String key, String own, String stock, String why) {
    this.key = key;
    this.own = own;
    this.stock = stock;
    this.why = why;
  }

  /** The property. */
  public String key() {
    return key;
  }

  /** The plug-in's class. */
  public String own() {
    return own;
  }

  /** HBase's class, which is there unless something else is named. */
  public String stock() {
    return stock;
  }

  String why() {
    return why;
  }
}
