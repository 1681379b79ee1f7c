package io.ishbase.plugin.settings;

import io.ishbase.core.Setting;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.CompoundConfiguration;
import org.apache.hadoop.hbase.MemoryCompactionPolicy;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.regionserver.AutoMemStore;
import org.apache.hadoop.hbase.regionserver.CompactingMemStore;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a store is made with so that it gets the memstore that {@link Setting#MEMSTORE} asks for.
 *
 * @param family as it is, but for the policy where the memstore is ours: without one HBase makes
 *     memstores that cannot compact
 * @param conf with the memstore's class
 */
public record MemstoreSettings(ColumnFamilyDescriptor family, Configuration conf) {
  private static final Logger LOG = LoggerFactory.getLogger(MemstoreSettings.class);

  /**
   * Those of a store.
   *
   * @param regionConf the site's values and the table's
   */
  public static MemstoreSettings of(ColumnFamilyDescriptor family, Configuration regionConf) {
    String ofFamily = StoreSettings.value(family, Setting.MEMSTORE.key());
    if (!isAuto(ofFamily, family, regionConf)) {
      return new MemstoreSettings(family, regionConf);
    }
    String ofFamilyToo = StoreSettings.value(family, HStore.MEMSTORE_CLASS_NAME);
    String foreign = ofFamilyToo == null ? regionConf.get(HStore.MEMSTORE_CLASS_NAME) : ofFamilyToo;
    if (foreign != null) {
      LOG.warn(
          "Family {} keeps the memstore {} of {}: remove that setting for {} = auto",
          family.getNameAsString(),
          foreign,
          HStore.MEMSTORE_CLASS_NAME,
          Setting.MEMSTORE.key());
      return new MemstoreSettings(family, regionConf);
    }
    return new MemstoreSettings(
        ColumnFamilyDescriptorBuilder.newBuilder(family)
            .setInMemoryCompaction(MemoryCompactionPolicy.BASIC)
            .build(),
        new CompoundConfiguration()
            .add(regionConf)
            .addStringMap(
                Map.of(
                    HStore.MEMSTORE_CLASS_NAME,
                    AutoMemStore.class.getName(),
                    CompactingMemStore.IN_MEMORY_FLUSH_THRESHOLD_FACTOR_KEY,
                    Double.toString(AutoMemStore.NO_THRESHOLD))));
  }

  private static boolean isAuto(
      @Nullable String ofFamily, ColumnFamilyDescriptor family, Configuration regionConf) {
    if (ofFamily != null) {
      return Setting.MEMSTORE.text(key -> ofFamily).equals("auto");
    }
    return family.getInMemoryCompaction() == null
        && Setting.MEMSTORE.text(regionConf::get).equals("auto");
  }
}
