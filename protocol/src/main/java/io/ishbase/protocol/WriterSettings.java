package io.ishbase.protocol;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;

/**
 * The settings of {@code hbase-site.xml} that decide what a compaction keeps, where its file is
 * written, and how it looks. A worker must take them from the region server that asks, not from its
 * own site. What has secrets or paths of a machine in it, such as the key provider of encrypted
 * families, does not travel: there a worker needs the same as the region servers.
 */
public final class WriterSettings {
  private static final List<String> PREFIXES =
      List.of(
          "hbase.hstore.",
          "hbase.store.",
          "hbase.enable.historical.",
          "hbase.block.",
          "hbase.writer.",
          "hbase.data.umask",
          "hbase.table.max.rowsize",
          "hbase.crypto.master.",
          "RowPrefixBloomFilter.",
          "hbase.hfile.",
          "hbase.mob.compaction.type",
          "hbase.mob.compactions.max.file.size",
          "hbase.io.compress.",
          "hfile.",
          "io.storefile.",
          "io.hfile.");

  /** The parts of a store that the worker chooses itself. */
  private static final List<String> CLASSES =
      List.of("hbase.hstore.engine.", "hbase.hstore.defaultengine.", "hbase.hstore.mobengine.");

  private static final Configuration DEFAULTS = defaults();

  private WriterSettings() {}

  private static Configuration defaults() {
    Configuration conf = new Configuration(false);
    conf.addResource("hbase-default.xml");
    return conf;
  }

  /** Those of {@code conf} that differ from HBase's defaults, as key and value in turn. */
  public static List<String> of(Configuration conf) {
    List<String> changed = new ArrayList<>();
    for (Map.Entry<String, String> entry : conf) {
      String key = entry.getKey();
      if (decides(key)) {
        String value = conf.get(key);
        if (value != null && !value.equals(DEFAULTS.get(key))) {
          changed.add(key);
          changed.add(value);
        }
      }
    }
    return changed;
  }

  /** A copy of {@code conf} with HBase's defaults in place of all that {@link #of} would give. */
  public static Configuration without(Configuration conf) {
    Configuration copy = new Configuration(conf);
    for (Map.Entry<String, String> entry : conf) {
      String key = entry.getKey();
      if (decides(key) || CLASSES.stream().anyMatch(key::startsWith)) {
        String standard = DEFAULTS.get(key);
        if (standard == null) {
          copy.unset(key);
        } else {
          copy.set(key, standard);
        }
      }
    }
    return copy;
  }

  /** Whether {@link #of} may give this key. */
  public static boolean decides(String key) {
    return PREFIXES.stream().anyMatch(key::startsWith)
        && CLASSES.stream().noneMatch(key::startsWith);
  }
}
