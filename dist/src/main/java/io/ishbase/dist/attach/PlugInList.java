package io.ishbase.dist.attach;

import io.ishbase.protocol.metrics.InfoPages;
import java.util.Arrays;
import java.util.List;

/** Lists in HBase's configuration, by commas, in which a class of the plug-in's can stand. */
public enum PlugInList {
  MASTER_COPROCESSORS(
      "hbase.coprocessor.master.classes",
      "io.ishbase.plugin.master.CompactionManager",
      List.of(),
      "the active master says which daemon carries out a compaction"),
  PAGES(
      InfoPages.SETTING,
      InfoPages.class.getName(),
      List.of(InfoPages.HBASES_OWN),
      "pages at each server: metrics for Prometheus, and what people want to see");

  private final String key;
  private final String own;
  private final List<String> stock;
  private final String why;

  PlugInList(String key, String own, List<String> stock, String why) {
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

  /** What HBase has there where nothing is said. */
  List<String> stock() {
    return stock;
  }

  /** The same of a property; it need be none of these. */
  static List<String> stock(String key) {
    return Arrays.stream(values())
        .filter(list -> list.key.equals(key))
        .findFirst()
        .map(PlugInList::stock)
        .orElse(List.of());
  }

  String why() {
    return why;
  }
}
