package io.ishbase.plugin.settings;

import io.ishbase.core.Setting;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.MemoryCompactionPolicy;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.regionserver.AutoMemStore;
import org.apache.hadoop.hbase.regionserver.CompactingMemStore;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.MemStoreCompactionStrategy;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a store is made with so that it gets the memstore that {@link Setting#MEMSTORE} asks for.
 */
public final class MemstoreSettings {
  private static final Logger LOG = LoggerFactory.getLogger(MemstoreSettings.class);

  /**
   * HBase's settings for our memstore. It goes by none of them but its class; a value that a table
   * has for HBase's own memstores must not be in its way.
   */
  private static final Map<String, String> OF_OURS =
      Map.of(
          HStore.MEMSTORE_CLASS_NAME,
          AutoMemStore.class.getName(),
          CompactingMemStore.IN_MEMORY_FLUSH_THRESHOLD_FACTOR_KEY,
          Double.toString(AutoMemStore.NO_THRESHOLD),
          MemStoreCompactionStrategy.COMPACTING_MEMSTORE_THRESHOLD_KEY,
          Integer.toString(MemStoreCompactionStrategy.COMPACTING_MEMSTORE_THRESHOLD_DEFAULT));

  private MemstoreSettings() {}

  /**
   * The family that a store is made of: as it is, but where the memstore is ours for the policy,
   * without which HBase makes memstores that cannot compact, and for values, before which HBase
   * takes no others.
   *
   * @param regionConf the site's values and the table's
   */
  public static ColumnFamilyDescriptor family(
      ColumnFamilyDescriptor family, Configuration regionConf) {
    String ofFamily = StoreSettings.value(family, Setting.MEMSTORE.key());
    if (!isAuto(ofFamily, family, regionConf)) {
      return family;
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
      return family;
    }
    ColumnFamilyDescriptorBuilder ours =
        ColumnFamilyDescriptorBuilder.newBuilder(family)
            .setInMemoryCompaction(MemoryCompactionPolicy.BASIC);
    OF_OURS.forEach(ours::setValue);
    return ours.build();
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
