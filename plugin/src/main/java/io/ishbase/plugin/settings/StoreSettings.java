package io.ishbase.plugin.settings;

import static java.util.Objects.requireNonNull;

import io.ishbase.core.ReadChoice;
import io.ishbase.core.Setting;
import io.ishbase.core.SettingFaults;
import io.ishbase.core.SettingScope;
import io.ishbase.core.compaction.WarmUpMode;
import java.util.function.UnaryOperator;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.util.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * The settings of one store: its family's, its table's and the cluster's, read together. What is
 * wrong is in the log and replaced by the default.
 *
 * @param verifiesOneIn of so many reads one is answered over HBase's path, too; 0: none is
 * @param aggregates whether storage daemons may be asked for aggregates
 * @param maxBatchBytes not below {@code firstBatchBytes}
 * @param prewarmBytesPerSecond 0: hot rows are not remembered
 * @param prewarmPeriodSeconds 0: only when the store closes
 * @param verifiesCompactionsOneIn of so many bytes that a worker compacts one is compared; 0: none
 * @param compactionNetworkBytes what a worker gets of remote files in a second
 */
public record StoreSettings(
    ReadChoice reads,
    int verifiesOneIn,
    boolean aggregates,
    int firstBatchBytes,
    int maxBatchBytes,
    long prewarmBytesPerSecond,
    long prewarmPeriodSeconds,
    boolean offloadsCompactions,
    int minCompactionBytes,
    int compactionLeaseMillis,
    int compactionPatienceMillis,
    int verifiesCompactionsOneIn,
    long compactionNetworkBytes,
    WarmUpMode warmUp) {

  /** A store that has read its own. */
  public interface Owner {
    StoreSettings settings();
  }

  /** Those of {@code store} now. */
  public static StoreSettings of(HStore store) {
    return store instanceof Owner owner ? owner.settings() : read(store);
  }

  /** Reads those of {@code store} from its present configuration. */
  public static StoreSettings read(HStore store) {
    return read(
        store.getHRegion().getTableDescriptor(),
        store.getColumnFamilyDescriptor(),
        store.getReadOnlyConfiguration());
  }

  /**
   * Reads those of a family.
   *
   * @param conf as HBase merges it: the family's values before the table's, these before the site's
   */
  static StoreSettings read(
      TableDescriptor table, ColumnFamilyDescriptor family, Configuration conf) {
    UnaryOperator<String> lookup = conf::get;
    SettingFaults.log(
        "Table " + table.getTableName() + ", family " + family.getNameAsString(),
        SettingScope.TABLE,
        lookup);
    int firstBatchBytes = Setting.BATCH_FIRST.integer(lookup);
    return new StoreSettings(
        ReadChoice.of(
            value(family, Setting.READ.key()),
            table.getValue(Setting.READ.key()),
            Setting.READ.text(lookup)),
        Setting.VERIFY_SHARE.integer(lookup),
        Setting.AGGREGATE.text(lookup).equals("auto"),
        firstBatchBytes,
        Math.max(firstBatchBytes, Setting.BATCH_MAX.integer(lookup)),
        Setting.CACHE_PREWARM.longInteger(lookup),
        Setting.CACHE_PREWARM_PERIOD.longInteger(lookup),
        Setting.COMPACTION.text(lookup).equals("offload"),
        Setting.COMPACTION_MIN.integer(lookup),
        Setting.COMPACTION_LEASE.integer(lookup),
        Setting.COMPACTION_PATIENCE.integer(lookup),
        Setting.COMPACTION_VERIFY_SHARE.integer(lookup),
        (long) Setting.COMPACTION_NETWORK.integer(lookup) << 20,
        requireNonNull(
            WarmUpMode.of(Setting.COMPACTION_WARMUP.text(lookup)), "the choices are the modes"));
  }

  /**
   * What a family says; null: nothing. HBase looks for its values first, then its configuration.
   */
  public static @Nullable String value(ColumnFamilyDescriptor family, String key) {
    byte[] value = family.getValue(Bytes.toBytes(key));
    return value == null ? family.getConfigurationValue(key) : Bytes.toString(value);
  }
}
