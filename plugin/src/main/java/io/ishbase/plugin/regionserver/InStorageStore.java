package io.ishbase.plugin.regionserver;

import io.ishbase.core.ReadMode;
import io.ishbase.core.Reason;
import io.ishbase.core.Setting;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.io.HalfStoreFileReader;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.KeyValueScanner;
import org.apache.hadoop.hbase.regionserver.ScanInfo;
import org.apache.hadoop.hbase.regionserver.StoreFileReader;
import org.apache.hadoop.hbase.regionserver.StoreFileScanner;
import org.apache.hadoop.hbase.regionserver.StoreFileScannerAccess;
import org.apache.hadoop.hbase.regionserver.querymatcher.ScanQueryMatcher;
import org.apache.hadoop.hbase.util.Bytes;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A store whose HFiles are read by the storage daemons, if the table, the family or the operation
 * says so. It replaces the file scanners that HBase's store makes for a read, grouped by storage
 * node, and changes nothing else.
 *
 * <p>Relies on HBase 2.6: {@code HStore.createScanner} makes the {@code StoreScanner} of every user
 * read, which in its constructor, on the same thread, calls the longest of the {@code getScanners};
 * the list it gets holds file scanners in ascending order, then memstore scanners; {@code
 * recreateScanners} may return null, which keeps the scanners as they are.
 */
final class InStorageStore extends HStore {
  private static final Logger LOG = LoggerFactory.getLogger(InStorageStore.class);

  /** The read that is being set up on this thread, between createScanner and getScanners. */
  private static final ThreadLocal<NodeScanner.Read> SETTING_UP = new ThreadLocal<>();

  private final StorageNodes nodes;
  private final int firstBatchBytes;
  private final int maxBatchBytes;
  private volatile ReadMode mode;

  InStorageStore(
      HRegion region,
      ColumnFamilyDescriptor family,
      Configuration regionConf,
      boolean warmup,
      StorageNodes nodes)
      throws IOException {
    super(region, family, regionConf, warmup);
    this.nodes = nodes;
    this.firstBatchBytes = Setting.BATCH_FIRST.integer(conf::get);
    this.maxBatchBytes = Math.max(firstBatchBytes, Setting.BATCH_MAX.integer(conf::get));
    this.mode = configuredMode();
  }

  // A family's value stands before its table's, and that before the cluster's: HBase has merged
  // them.
  private ReadMode configuredMode() {
    String text = Setting.READ.text(conf::get);
    ReadMode configured = ReadMode.of(text);
    if (configured == null) {
      LOG.warn(
          "{} = '{}' for {}: must be one of {}; reads stay stock",
          Setting.READ.key(),
          text,
          this,
          Setting.READ.unit());
      return ReadMode.STOCK;
    }
    return configured;
  }

  @Override
  public void onConfigurationChange(Configuration newConf) {
    super.onConfigurationChange(newConf);
    mode = configuredMode();
  }

  @Override
  protected KeyValueScanner createScanner(
      Scan scan, ScanInfo scanInfo, NavigableSet<byte[]> columns, long readPoint)
      throws IOException {
    if (!isInStorage(scan)) {
      return super.createScanner(scan, scanInfo, columns, readPoint);
    }
    SETTING_UP.set(
        new NodeScanner.Read(
            scan, columns, readPoint, scan.getCacheBlocks(), firstBatchBytes, maxBatchBytes));
    try {
      return super.createScanner(scan, scanInfo, columns, readPoint);
    } finally {
      SETTING_UP.remove();
    }
  }

  private boolean isInStorage(Scan scan) {
    byte[] wanted = scan.getAttribute(Setting.READ.key());
    ReadMode asked = wanted == null ? null : ReadMode.of(Bytes.toString(wanted));
    if ((asked == null ? mode : asked) == ReadMode.STOCK || getStorefilesCount() == 0) {
      return false;
    }
    Reason reason =
        scan.isReversed()
            ? Reason.REVERSED
            : getRegionInfo().getReplicaId() != 0
                ? Reason.REPLICA
                : nodes.live().isEmpty() ? Reason.NO_DAEMON : null;
    if (reason != null) {
      InStorageMetrics.get().fellBack(reason);
    }
    return reason == null;
  }

  @Override
  public List<KeyValueScanner> getScanners(
      boolean cacheBlocks,
      boolean usePread,
      boolean isCompaction,
      ScanQueryMatcher matcher,
      byte[] startRow,
      boolean includeStartRow,
      byte[] stopRow,
      boolean includeStopRow,
      long readPoint,
      boolean onlyLatestVersion)
      throws IOException {
    NodeScanner.Read read = isCompaction ? null : SETTING_UP.get();
    // A scanner for stream reads opens its file anew; as a guard that may never be used that is
    // waste.
    List<KeyValueScanner> scanners =
        super.getScanners(
            cacheBlocks,
            usePread || read != null,
            isCompaction,
            matcher,
            startRow,
            includeStartRow,
            stopRow,
            includeStopRow,
            readPoint,
            onlyLatestVersion);
    if (read == null) {
      return scanners;
    }
    try {
      return grouped(scanners, read);
    } catch (RuntimeException e) {
      scanners.forEach(KeyValueScanner::close);
      throw e;
    }
  }

  /** A node and one of its directories: the files of one request share both. */
  private record Group(StorageNode node, String directory) {}

  private List<KeyValueScanner> grouped(List<KeyValueScanner> scanners, NodeScanner.Read read) {
    Map<Group, List<StoreFileScanner>> groups = new LinkedHashMap<>();
    Set<StorageNode> chosen = new HashSet<>();
    List<KeyValueScanner> result = new ArrayList<>(scanners.size());
    for (KeyValueScanner scanner : scanners) {
      Group group =
          scanner instanceof StoreFileScanner file ? groupOf(file, read.scan(), chosen) : null;
      if (group == null) {
        result.add(scanner);
      } else {
        chosen.add(group.node);
        groups.computeIfAbsent(group, g -> new ArrayList<>()).add((StoreFileScanner) scanner);
      }
    }
    List<KeyValueScanner> nodeScanners = new ArrayList<>(groups.size() + result.size());
    groups.forEach(
        (group, files) ->
            nodeScanners.add(
                new NodeScanner(nodes, group.node, group.directory, files, read, getComparator())));
    // Memstore scanners stay at the end, where StoreScanner expects them.
    nodeScanners.addAll(result);
    return nodeScanners;
  }

  /** Where the file is to be read, or null for here; then it is counted why. */
  private Group groupOf(StoreFileScanner scanner, Scan scan, Set<StorageNode> chosen) {
    StoreFileReader reader = StoreFileScannerAccess.reader(scanner);
    if (!reader.passesKeyRangeFilter(scan)) {
      // HBase drops it in a moment, without I/O.
      return null;
    }
    // Of a link (snapshots, clones) HBase gives the file that it points to.
    Path path = scanner.getFilePath();
    Reason reason = unsupported(reader);
    if (reason == null) {
      String text = path.toUri().getPath();
      StorageNode node = nodes.nodeFor(getFileSystem(), path, chosen);
      if (node == null) {
        reason = Reason.NO_DAEMON;
      } else if (!admits(node, chosen) || !nodes.admits(text)) {
        reason = Reason.QUARANTINED;
      } else {
        return new Group(node, text.substring(0, text.lastIndexOf('/')));
      }
    }
    InStorageMetrics.get().fellBack(reason);
    return null;
  }

  // Asked once for all of a read's files on the node: after a failure the node gets one try, not
  // one
  // for each file.
  private boolean admits(StorageNode node, Set<StorageNode> chosen) {
    return chosen.contains(node) || nodes.admits(node.name());
  }

  private static Reason unsupported(StoreFileReader reader) {
    if (reader instanceof HalfStoreFileReader) {
      return Reason.REFERENCE;
    }
    return reader.getHFileReader().getTrailer().getEncryptionKey() != null
        ? Reason.ENCRYPTED
        : null;
  }

  @Override
  public List<KeyValueScanner> recreateScanners(
      List<KeyValueScanner> currentFileScanners,
      boolean cacheBlocks,
      boolean usePread,
      boolean isCompaction,
      ScanQueryMatcher matcher,
      byte[] startRow,
      boolean includeStartRow,
      byte[] stopRow,
      boolean includeStopRow,
      long readPoint,
      boolean includeMemstoreScanner)
      throws IOException {
    // HBase switches a long scan from positional to stream reads; a node scanner does not read
    // files.
    if (currentFileScanners.stream().anyMatch(NodeScanner.class::isInstance)) {
      return null;
    }
    return super.recreateScanners(
        currentFileScanners,
        cacheBlocks,
        usePread,
        isCompaction,
        matcher,
        startRow,
        includeStartRow,
        stopRow,
        includeStopRow,
        readPoint,
        includeMemstoreScanner);
  }
}
