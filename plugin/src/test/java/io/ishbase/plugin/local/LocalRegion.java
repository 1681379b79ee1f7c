package io.ishbase.plugin.local;

import com.google.protobuf.Message;
import io.ishbase.core.Setting;
import io.ishbase.daemon.InProcessReads;
import io.ishbase.plugin.aggregate.AggregateEndpoint;
import io.ishbase.plugin.aggregate.AggregateMessages;
import io.ishbase.plugin.node.Reports;
import io.ishbase.plugin.node.StorageNodes;
import io.ishbase.plugin.regionserver.InStorageRegion;
import io.ishbase.plugin.regionserver.Inside;
import io.ishbase.plugin.scan.MultiGet;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.KeyValueUtil;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.client.RegionReplicaUtil;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.coprocessor.CoprocessorHost;
import org.apache.hadoop.hbase.io.Reference;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.io.hfile.HFileContextBuilder;
import org.apache.hadoop.hbase.ipc.RpcCall;
import org.apache.hadoop.hbase.ipc.RpcServer;
import org.apache.hadoop.hbase.ipc.ServerRpcController;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.RegionCoprocessorHost;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.apache.hadoop.hbase.regionserver.Replay;
import org.apache.hadoop.hbase.regionserver.ScannerContext;
import org.apache.hadoop.hbase.regionserver.Shipper;
import org.apache.hadoop.hbase.regionserver.wal.WALActionsListener;
import org.apache.hadoop.hbase.shaded.protobuf.ProtobufUtil;
import org.apache.hadoop.hbase.shaded.protobuf.RequestConverter;
import org.apache.hadoop.hbase.shaded.protobuf.generated.ClientProtos.Action;
import org.apache.hadoop.hbase.shaded.protobuf.generated.ClientProtos.CoprocessorServiceCall;
import org.apache.hadoop.hbase.shaded.protobuf.generated.ClientProtos.MultiRequest;
import org.apache.hadoop.hbase.shaded.protobuf.generated.ClientProtos.RegionAction;
import org.apache.hadoop.hbase.shaded.protobuf.generated.HBaseProtos.RegionSpecifier.RegionSpecifierType;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.CommonFSUtils;
import org.apache.hadoop.hbase.util.Pair;
import org.apache.hadoop.hbase.wal.WAL;
import org.apache.hadoop.hbase.wal.WALEdit;
import org.apache.hadoop.hbase.wal.WALFactory;
import org.apache.hadoop.hbase.wal.WALKey;
import org.apache.hbase.thirdparty.com.google.protobuf.ByteString;

/**
 * A region with the plug-in on the local file system and storage daemons within the process: all of
 * a read's path but RPC, ZooKeeper and HDFS. One at a time in a process.
 */
final class LocalRegion implements AutoCloseable {
  private static final String FAILED_SYNC = "The log cannot be synced";

  static final String STOCK = "stock";
  static final String IN_STORAGE = "in-storage";

  /** What a reader got, in its order. */
  interface Read {
    List<List<Cell>> rows() throws IOException;
  }

  private final Configuration conf;
  private final InProcessReads service;
  private final LocalDaemons daemons;
  private final org.apache.hadoop.fs.Path root;
  private HRegion region;
  private int bulkLoads;

  /** Whether the log's next sync fails. */
  private boolean failsSync;

  /** What others do behind the first Get of a call. */
  Runnable behindFirstGet = () -> {};

  /** A secondary replica of the region; null: there is none. */
  private HRegion replica;

  private boolean readsReplica;

  /** What of the region's log the replica has not seen. */
  private final Deque<Logged> logged = new ArrayDeque<>();

  /** What the last flush has written. */
  private final Map<HStore, List<HStoreFile>> flushed = new HashMap<>();

  /** An entry of the region's log, whose key gets its number when it is written. */
  private record Logged(WALKey key, WALEdit edit) {}

  /** One of the table {@code t} with one family and one daemon. */
  static LocalRegion ofOneFamily(Path directory, byte[] family, long cacheBytes)
      throws IOException {
    return ofOneFamily(directory, ColumnFamilyDescriptorBuilder.of(family), cacheBytes);
  }

  /** The same. */
  static LocalRegion ofOneFamily(Path directory, ColumnFamilyDescriptor family, long cacheBytes)
      throws IOException {
    TableName name = TableName.valueOf("t");
    return new LocalRegion(
        directory,
        RegionInfoBuilder.newBuilder(name).build(),
        TableDescriptorBuilder.newBuilder(name).setColumnFamily(family).build(),
        1,
        false,
        cacheBytes);
  }

  /**
   * Opens it empty, below {@code directory}.
   *
   * @param info names its table and borders
   * @param nodes how many storage nodes there are; they hold files in turn
   * @param copies whether each of them holds all files; the one that answered last is the busiest
   * @param cacheBytes of the segment cache; 0: none
   */
  LocalRegion(
      Path directory,
      RegionInfo info,
      TableDescriptor table,
      int nodes,
      boolean copies,
      long cacheBytes)
      throws IOException {
    conf = HBaseConfiguration.create();
    conf.set("fs.defaultFS", "file:///");
    conf.set("fs.file.impl", SpreadFileSystem.class.getName());
    conf.setBoolean("fs.file.impl.disable.cache", true);
    conf.set("hbase.rootdir", directory.toUri().toString());
    conf.set("hbase.hregion.impl", InStorageRegion.class.getName());
    conf.setBoolean("hbase.hregion.memstore.mslab.enabled", false);
    conf.setBoolean("hbase.regionserver.hlog.enabled", false);
    // Between two attempts of a flush, in milliseconds.
    conf.setInt(HConstants.HBASE_SERVER_PAUSE, 1);
    conf.set(Setting.READ.key(), IN_STORAGE);
    conf.setLong(Setting.CACHE_BYTES.key(), cacheBytes);
    root = CommonFSUtils.getRootDir(conf);
    conf.setInt("hbase.hstore.compaction.min", 2);
    service = new InProcessReads(conf, root);
    daemons = new LocalDaemons(service);
    StorageNodes.useFixed(SpreadFileSystem.over(nodes, copies), daemons);
    if (copies) {
      daemons.afterEach(node -> Reports.onlyBusy(conf, node));
    }
    region = HRegion.createHRegion(info, root, conf, table, log(info));
    if (copies) {
      Reports.awaitMet(conf);
    }
  }

  /** From now on a read may ask for {@link OtherRules}. */
  void readByOtherRules() {
    conf.set(CoprocessorHost.USER_REGION_COPROCESSOR_CONF_KEY, OtherRules.class.getName());
    region = opened(region);
  }

  /** With its coprocessors: HBase gives them to regions of a region server only. */
  private HRegion opened(HRegion newRegion) {
    if (conf.get(CoprocessorHost.USER_REGION_COPROCESSOR_CONF_KEY) != null) {
      newRegion.setCoprocessorHost(new RegionCoprocessorHost(newRegion, null, conf));
    }
    return newRegion;
  }

  /** From now on it answers aggregates, and has other coprocessors as well. */
  void answerAggregates(Class<?>... others) {
    List<String> names = new ArrayList<>(List.of(AggregateEndpoint.class.getName()));
    Arrays.stream(others).map(Class::getName).forEach(names::add);
    conf.setStrings(CoprocessorHost.USER_REGION_COPROCESSOR_CONF_KEY, names.toArray(new String[0]));
    region = opened(region);
  }

  /**
   * What a client gets who calls the endpoint.
   *
   * @param method one of AggregateMessages.METHODS
   */
  Message aggregate(String method, String interpreter, Scan asked, String mode) throws IOException {
    asked.setAttribute(Setting.READ.key(), Bytes.toBytes(mode));
    Message request =
        AggregateMessages.request(
            interpreter, asked, com.google.protobuf.ByteString.copyFrom(new byte[0]));
    return region.execService(
        new ServerRpcController(),
        CoprocessorServiceCall.newBuilder()
            .setRow(ByteString.copyFrom(asked.getStartRow()))
            .setServiceName("AggregateService")
            .setMethodName(method)
            .setRequest(ByteString.copyFrom(request.toByteArray()))
            .build());
  }

  HRegion region() {
    return region;
  }

  /** A log that is not written but seen. */
  private WAL log(RegionInfo info) throws IOException {
    WAL log = new WALFactory(conf, "local").getWAL(info);
    log.registerWALActionsListener(
        new WALActionsListener() {
          @Override
          public void postAppend(long length, long millis, WALKey key, WALEdit edit) {
            logged.add(new Logged(key, edit));
          }
        });
    return (WAL)
        Proxy.newProxyInstance(
            WAL.class.getClassLoader(),
            new Class<?>[] {WAL.class},
            (proxy, method, arguments) -> {
              if (failsSync && method.getName().equals("sync") && arguments == null) {
                failsSync = false;
                throw new IOException(FAILED_SYNC);
              }
              try {
                return method.invoke(log, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  /**
   * A flush that fails where HBase syncs the log: its snapshot stays, and the next one writes it.
   */
  void failFlushAtSync() throws IOException {
    failsSync = true;
    try {
      region.flush(true);
    } catch (IOException e) {
      if (!FAILED_SYNC.equals(e.getMessage())) {
        throw e;
      }
    } finally {
      failsSync = false;
    }
  }

  /**
   * Brings the replica, if there is one, what was written, flushed and compacted since.
   *
   * @param entries of the log, at most
   */
  void replicate(long entries) throws IOException {
    for (long i = 0; i < entries && !logged.isEmpty(); i++) {
      Logged entry = logged.remove();
      if (replica != null && isOf(entry.key(), replica)) {
        Replay.entry(replica, entry.edit(), entry.key().getSequenceId());
      }
    }
  }

  /** Whether an entry is of the replica's primary, and not of its parent before a split. */
  private static boolean isOf(WALKey entry, HRegion replica) {
    return Arrays.equals(
        entry.getEncodedRegionName(),
        RegionReplicaUtil.getRegionInfoForDefaultReplica(replica.getRegionInfo())
            .getEncodedNameAsBytes());
  }

  /** Opens a secondary replica, or has it look for files. */
  void refreshReplica() throws IOException {
    if (replica == null) {
      replica =
          opened(
              HRegion.openHRegion(
                  conf,
                  region.getFilesystem(),
                  root,
                  RegionReplicaUtil.getRegionInfoForReplica(region.getRegionInfo(), 1),
                  region.getTableDescriptor(),
                  new WALFactory(conf, "local").getWAL(region.getRegionInfo())));
    }
    replica.refreshStoreFiles();
  }

  /** Whether the next reads are of the replica, if there is one. */
  void readReplica(boolean isWanted) {
    readsReplica = isWanted;
  }

  private HRegion read() {
    return readsReplica && replica != null ? replica : region;
  }

  private void closeReplica() throws IOException {
    logged.clear();
    if (replica != null) {
      replica.close();
      replica = null;
    }
  }

  /** Loads a file with these cells, in their order, into a family. */
  void bulkLoad(byte[] family, List<? extends Cell> cells) throws IOException {
    org.apache.hadoop.fs.Path file =
        new org.apache.hadoop.fs.Path(root, "loads/" + Bytes.toString(family) + "/" + ++bulkLoads);
    try (HFile.Writer writer =
        HFile.getWriterFactoryNoCache(conf)
            .withPath(region.getFilesystem(), file)
            .withFileContext(
                new HFileContextBuilder().withBlockSize(256).withIncludesTags(true).build())
            .create()) {
      for (Cell cell : cells) {
        writer.append(cell);
      }
    }
    if (region.bulkLoadHFiles(List.of(Pair.newPair(family, file.toString())), true, null) == null) {
      throw new IOException("Not loaded");
    }
  }

  /** Goes on with the daughter of the region that begins or ends at {@code row}. */
  void split(byte[] row, boolean top) throws IOException {
    closeReplica();
    RegionInfo parent = region.getRegionInfo();
    RegionInfo daughter =
        RegionInfoBuilder.newBuilder(parent.getTable())
            .setRegionId(parent.getRegionId() + 1)
            .setStartKey(top ? row : parent.getStartKey())
            .setEndKey(top ? parent.getEndKey() : row)
            .build();
    TableDescriptor table = region.getTableDescriptor();
    FileSystem fs = region.getFilesystem();
    org.apache.hadoop.fs.Path directory =
        new org.apache.hadoop.fs.Path(
            region.getRegionFileSystem().getTableDir(), daughter.getEncodedName());
    region.flush(true);
    if (region.getStores().stream()
        .flatMap(store -> store.getStorefiles().stream())
        .anyMatch(HStoreFile::isReference)) {
      region.compact(true);
    }
    Reference reference =
        top ? Reference.createTopReference(row) : Reference.createBottomReference(row);
    for (Map.Entry<byte[], List<HStoreFile>> family : region.close().entrySet()) {
      for (HStoreFile file : family.getValue()) {
        if (hasRows(file, row, top)) {
          reference.write(
              fs,
              new org.apache.hadoop.fs.Path(
                  new org.apache.hadoop.fs.Path(directory, Bytes.toString(family.getKey())),
                  file.getPath().getName() + "." + parent.getEncodedName()));
        }
      }
    }
    region = opened(HRegion.openHRegion(conf, fs, root, daughter, table, log(daughter)));
  }

  private static boolean hasRows(HStoreFile file, byte[] row, boolean fromRow) {
    return fromRow
        ? file.getLastKey()
            .map(last -> Bytes.compareTo(CellUtil.cloneRow(last), row) >= 0)
            .orElse(false)
        : file.getFirstKey()
            .map(first -> Bytes.compareTo(CellUtil.cloneRow(first), row) < 0)
            .orElse(false);
  }

  /** Opens the region anew. */
  void reopen() throws IOException {
    closeReplica();
    RegionInfo info = region.getRegionInfo();
    TableDescriptor table = region.getTableDescriptor();
    FileSystem fs = region.getFilesystem();
    region.close();
    region = opened(HRegion.openHRegion(conf, fs, root, info, table, log(info)));
  }

  LocalDaemons daemons() {
    return daemons;
  }

  /** Ends the quarantine of nodes and files. */
  void forgetFailures() {
    StorageNodes.of(conf).health().forgetFailures();
  }

  List<Cell> get(Get get, String mode) throws IOException {
    return read().get(asked(get, mode)).listCells();
  }

  // As it comes over the wire: with a filter of its own.
  private static Get asked(Get get, String mode) throws IOException {
    get.setAttribute(Setting.READ.key(), Bytes.toBytes(mode));
    return ProtobufUtil.toGet(ProtobufUtil.toGet(get));
  }

  /** The Gets of one call of a client. */
  List<List<Cell>> multiGet(List<Get> gets, String mode) throws IOException {
    boolean isLeft = MultiGet.atWork() > 0;
    List<List<Cell>> results = multiGet(gets, gets.size(), mode);
    // HBase's own reads do not end what a call that was broken off has left to the thread.
    if (MultiGet.atWork() > 0 && !(isLeft && mode.equals(STOCK))) {
      throw new AssertionError("Answers of a call that has ended are still held");
    }
    return results;
  }

  /**
   * The same of a call that HBase breaks off behind so many Gets, as it does with large answers.
   */
  List<List<Cell>> multiGet(List<Get> gets, int carriedOut, String mode) throws IOException {
    List<Get> asked = new ArrayList<>();
    RegionAction.Builder actions =
        RegionAction.newBuilder()
            .setRegion(
                RequestConverter.buildRegionSpecifier(
                    RegionSpecifierType.REGION_NAME, region.getRegionInfo().getRegionName()));
    for (Get get : gets) {
      asked.add(asked(get, mode));
      actions.addAction(Action.newBuilder().setGet(ProtobufUtil.toGet(get)));
    }
    MultiRequest request = MultiRequest.newBuilder().addRegionAction(actions).build();
    Optional<RpcCall> outer = RpcServer.unsetCurrentCall();
    RpcServer.setCurrentCall(call(request));
    List<RegionScanner> open = new ArrayList<>();
    try {
      List<List<Cell>> results = new ArrayList<>();
      for (Get get : asked.subList(0, carriedOut)) {
        results.add(found(get, open));
        if (results.size() == 1) {
          behindFirstGet.run();
        }
      }
      return results;
    } finally {
      RpcServer.unsetCurrentCall();
      for (RegionScanner scanner : open) {
        scanner.close();
      }
      outer.ifPresent(RpcServer::setCurrentCall);
    }
  }

  /**
   * What a Get finds, as HBase reads those of a call, whose scanners it closes behind the call;
   * null if it finds nothing.
   */
  private List<Cell> found(Get get, List<RegionScanner> open) throws IOException {
    Scan scan = new Scan(get);
    if (scan.getLoadColumnFamiliesOnDemandValue() == null) {
      scan.setLoadColumnFamiliesOnDemand(region.isLoadingCfsOnDemandDefault());
    }
    RegionScanner scanner = region.getScanner(scan);
    open.add(scanner);
    List<Cell> cells = new ArrayList<>();
    scanner.next(cells);
    cells.replaceAll(KeyValueUtil::copyToNewKeyValue);
    return cells.isEmpty() ? null : cells;
  }

  /** A client's call as far as reads look at it. */
  private static RpcCall call(MultiRequest request) {
    Map<Class<?>, Object> nothing = new HashMap<>();
    nothing.put(boolean.class, false);
    nothing.put(int.class, 0);
    nothing.put(long.class, 0L);
    nothing.put(Optional.class, Optional.empty());
    return (RpcCall)
        Proxy.newProxyInstance(
            RpcCall.class.getClassLoader(),
            new Class<?>[] {RpcCall.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "getParam" -> request;
                  case "equals" -> proxy == arguments[0];
                  case "hashCode" -> 1;
                  case "toString" -> "a call";
                  case "disconnectSince" -> -1L;
                  default -> nothing.get(method.getReturnType());
                });
  }

  /** A whole scan. What a batch cuts into pieces stays in pieces. */
  List<List<Cell>> scan(Scan asked, String mode) throws IOException {
    asked.setAttribute(Setting.READ.key(), Bytes.toBytes(mode));
    Scan scan = ProtobufUtil.toScan(ProtobufUtil.toScan(asked)).setLimit(asked.getLimit());
    try (RegionScanner scanner = read().getScanner(scan)) {
      return next(scanner, scan.getLimit() > 0 ? scan.getLimit() : Integer.MAX_VALUE);
    }
  }

  /** A scan that stays open. */
  RegionScanner open(Scan asked, String mode) throws IOException {
    asked.setAttribute(Setting.READ.key(), Bytes.toBytes(mode));
    return read().getScanner(ProtobufUtil.toScan(ProtobufUtil.toScan(asked)));
  }

  /** Flushes, and remembers the files. */
  void flush() throws IOException {
    flushed.clear();
    for (HStore store : region.getStores()) {
      flushed.put(store, new ArrayList<>(store.getStorefiles()));
    }
    region.flush(true);
    flushed.forEach(
        (store, before) -> {
          List<HStoreFile> files = new ArrayList<>(store.getStorefiles());
          files.removeAll(before);
          before.clear();
          before.addAll(files);
        });
  }

  /** Has each store tell its scanners of the last flush, as HBase does when it has added a file. */
  void tellOfFlush() throws ReflectiveOperationException {
    Method tell = HStore.class.getDeclaredMethod("notifyChangedReadersObservers", List.class);
    tell.setAccessible(true);
    for (Map.Entry<HStore, List<HStoreFile>> ofStore : flushed.entrySet()) {
      tell.invoke(ofStore.getKey(), ofStore.getValue());
    }
  }

  /** A whole scan that is cut wherever a piece has so many bytes; its rows. */
  List<List<Cell>> scanInPieces(Scan asked, String mode, long pieceBytes) throws IOException {
    asked.setAttribute(Setting.READ.key(), Bytes.toBytes(mode));
    Scan scan = ProtobufUtil.toScan(ProtobufUtil.toScan(asked));
    List<List<Cell>> rows = new ArrayList<>();
    try (RegionScanner scanner = read().getScanner(scan)) {
      boolean more = true;
      while (more) {
        List<Cell> cells = new ArrayList<>();
        more =
            scanner.next(
                cells,
                ScannerContext.newBuilder()
                    .setSizeLimit(
                        ScannerContext.LimitScope.BETWEEN_CELLS,
                        pieceBytes,
                        pieceBytes,
                        Long.MAX_VALUE)
                    .build());
        for (Cell cell : cells) {
          Cell copy = KeyValueUtil.copyToNewKeyValue(cell);
          List<Cell> last = rows.isEmpty() ? List.of() : rows.get(rows.size() - 1);
          if (last.isEmpty() || !CellUtil.matchingRows(last.get(0), copy)) {
            rows.add(new ArrayList<>());
          }
          rows.get(rows.size() - 1).add(copy);
        }
        ((Shipper) scanner).shipped();
      }
    }
    return rows;
  }

  /** The next rows of a scan, {@code count} at most. */
  static List<List<Cell>> next(RegionScanner scanner, int count) throws IOException {
    List<List<Cell>> rows = new ArrayList<>();
    boolean more = true;
    while (more && rows.size() < count) {
      List<Cell> cells = new ArrayList<>();
      more = scanner.next(cells);
      if (!cells.isEmpty()) {
        // What a region server does when it has sent them.
        List<Cell> copies = new ArrayList<>();
        for (Cell cell : cells) {
          copies.add(KeyValueUtil.copyToNewKeyValue(cell));
        }
        rows.add(copies);
        ((Shipper) scanner).shipped();
      }
    }
    return rows;
  }

  /** What of the segment cache is not as in the files. */
  List<String> faultsOfCache() {
    return Inside.nodes(region).checkCache();
  }

  /** From now on gates take blocks for Gets. */
  void preferBlocks() {
    Inside.preferBlocks(region);
  }

  /** How the gates decide. */
  Map<String, List<String>> routes() {
    return Inside.nodes(region).getRoutes();
  }

  /** What was said of reads that asked for it as {@code name}. */
  List<String> explanation(String name) {
    return Inside.nodes(region).getExplanations().get(name);
  }

  @Override
  public void close() throws IOException {
    closeReplica();
    region.close();
    service.close();
  }
}
