package io.ishbase.plugin.settings;

import io.ishbase.core.Setting;
import io.ishbase.core.SettingFaults;
import io.ishbase.core.SettingScope;
import java.util.List;
import java.util.function.UnaryOperator;
import org.apache.hadoop.conf.Configuration;

/**
 * The settings of one server, region server or master, from its site, read once when it starts.
 * What is wrong is in the log and replaced by the default.
 *
 * @param readWarmUp reads that wait for code to be compiled
 * @param scanBufferBytes what all scans together may hold of batches
 * @param readsEncrypted whether what is encrypted elsewhere may cross the line in the clear
 * @param cellLocalFilters names of the classes
 * @param cacheBytes -1: a quarter of the direct memory
 * @param cacheCompression auto, none or zstd
 * @param cacheFile a path; empty: there is none
 * @param cacheFileBytes its size; 0: goes by the memory's
 * @param cacheRestartDirectory a path; empty: there is none
 * @param movesMemory whether memory is moved between caches and memstores
 * @param managerPort 0: any
 * @param compactionNetworkBytes what a worker gets of remote files in a second
 * @param warmUpBytesPerSecond of all throttled warm-ups together
 * @param traceBytes what recorded operations may take
 */
public record ServerSettings(
    int readWarmUp,
    int rpcTimeoutMillis,
    int scanBufferBytes,
    boolean readsEncrypted,
    List<String> cellLocalFilters,
    long cacheBytes,
    String cacheCompression,
    String cacheFile,
    long cacheFileBytes,
    String cacheRestartDirectory,
    boolean movesMemory,
    int managerPort,
    long compactionNetworkBytes,
    long warmUpBytesPerSecond,
    long traceBytes) {

  /** Those of {@code site}, the configuration of the process. */
  public static ServerSettings read(Configuration site) {
    UnaryOperator<String> lookup = site::get;
    SettingFaults.log("hbase-site.xml", SettingScope.SITE, lookup);
    return new ServerSettings(
        Setting.READ_WARM_UP.integer(lookup),
        Setting.RPC_TIMEOUT.integer(lookup),
        Setting.SCAN_BUFFER.integer(lookup),
        Setting.ENCRYPTED.isTrue(lookup),
        Setting.CELL_LOCAL_FILTERS.list(lookup),
        Setting.CACHE_BYTES.longInteger(lookup),
        Setting.CACHE_COMPRESSION.text(lookup),
        Setting.CACHE_FILE.text(lookup),
        Setting.CACHE_FILE_BYTES.longInteger(lookup),
        Setting.CACHE_RESTART_DIRECTORY.text(lookup),
        Setting.MEMORY.text(lookup).equals("auto"),
        Setting.MANAGER_PORT.integer(lookup),
        (long) Setting.COMPACTION_NETWORK.integer(lookup) << 20,
        (long) Setting.COMPACTION_WARMUP_RATE.integer(lookup) << 20,
        Setting.TRACE_BYTES.longInteger(lookup));
  }
}
