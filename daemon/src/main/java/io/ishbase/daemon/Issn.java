package io.ishbase.daemon;

import io.ishbase.core.AggregatePace;
import io.ishbase.core.Release;
import io.ishbase.core.Setting;
import io.ishbase.core.SettingScope;
import io.ishbase.daemon.compaction.CompactionEndpoint;
import io.ishbase.daemon.compaction.CompactionWorker;
import io.ishbase.daemon.rpc.CallQueues;
import io.ishbase.daemon.rpc.Callers;
import io.ishbase.daemon.rpc.IssnRpcServer;
import io.ishbase.daemon.rpc.RpcHost;
import io.ishbase.protocol.DictionaryTrainer;
import io.ishbase.protocol.Protocol;
import io.ishbase.protocol.Recurring;
import io.ishbase.protocol.Registration;
import io.ishbase.protocol.generated.CompactionProtos.CompactionService;
import io.ishbase.protocol.generated.IssnProtos.DaemonInfo;
import io.ishbase.protocol.generated.IssnProtos.IssnService;
import io.ishbase.protocol.generated.IssnProtos.WorkerInfo;
import io.ishbase.protocol.metrics.InfoPages;
import io.ishbase.protocol.metrics.StatusPage;
import io.ishbase.protocol.metrics.StatusServlet;
import io.ishbase.protocol.rpc.PolicedRpcServer;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.http.InfoServer;
import org.apache.hadoop.hbase.io.ByteBuffAllocator;
import org.apache.hadoop.hbase.io.hfile.BlockCache;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.ipc.AnswersUnderWay;
import org.apache.hadoop.hbase.ipc.NettyRpcServer;
import org.apache.hadoop.hbase.ipc.RpcServer.BlockingServiceAndInterface;
import org.apache.hadoop.hbase.security.SecurityConstants;
import org.apache.hadoop.hbase.security.User;
import org.apache.hadoop.hbase.security.UserProvider;
import org.apache.hadoop.hbase.util.CommonFSUtils;
import org.apache.hadoop.hbase.zookeeper.ZKAuthentication;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The storage daemon: stands beside an HDFS DataNode, answers the reads of region servers from the
 * HFiles that lie there, and sends only the cells that are asked for. {@code Issn start} runs one.
 */
public final class Issn implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(Issn.class);
  private static final long PUBLISH_LOAD_EVERY_SECONDS = 5;

  /** Exit status after an error that leaves nothing to rely on; of sysexits.h, EX_SOFTWARE. */
  private static final int FATAL = 70;

  private static final String REFRESH = "dfs.client.refresh.read-block-locations.ms";

  private static final int WRITE_PACKET_BYTES = 256 << 10;

  private static final int MAX_BLOCK_BUFFERS = 4096;

  /** Of the memory off the heap, of which the JVM gives as much as the heap may have. */
  private static final int BLOCK_BUFFERS_PART = 4;

  /** Instead of a DataNode's address: there is none beside this daemon. */
  private static final String NO_DATANODE = "none";

  /** HBase's own default of {@code hbase.master.maxclockskew}. */
  private static final int MAX_CLOCK_SKEW_MILLIS = 30_000;

  /** The part of the heap that calls which wait may have, as they came; at least so much. */
  private static final int QUEUED_PART = 64;

  private static final long LEAST_QUEUED_BYTES = 8 << 20;

  private final Configuration conf;
  private final FileSystem fs;
  private final @Nullable BlockCache blockCache;
  private final BlockBuffers blockBuffers;
  private final HFileReaders readers;
  private final ReadService service;
  private final DaemonMetrics metrics;
  private final CompactionWorker compactions;
  private final CompactionEndpoint compactionEndpoint;
  private final RpcHost rpcHost;
  private final IssnRpcServer rpcServer;
  private final Exposure exposure;
  private final DaemonPage page;
  private final @Nullable InfoServer infoServer;

  /** Publishes the load, and makes dictionaries. */
  private final ScheduledExecutorService background;

  private DaemonInfo info;
  private volatile @Nullable Registration registration;
  private boolean closed;

  /**
   * Opens the file system and binds the ports. Nothing answers before {@link #start()}.
   *
   * @throws IllegalArgumentException if settings are wrong; the message lists them all
   * @throws IOException if the file system or a port is not to be had
   */
  public Issn(Configuration siteConf) throws IOException {
    this(siteConf, () -> {});
  }

  /** Calls {@code end} when something happens after which the process must not go on. */
  private Issn(Configuration siteConf, Runnable end) throws IOException {
    List<String> faults = faults(siteConf);
    if (!faults.isEmpty()) {
      throw new IllegalArgumentException("Wrong settings: " + String.join("; ", faults));
    }
    conf = daemonConf(siteConf);
    int handlers = Setting.ISSN_HANDLERS.integer(conf::get);
    int controlHandlers = Math.max(2, handlers / 2);
    // HBase counts calls at work as queued.
    conf.setInt(
        "hbase.ipc.server.max.callqueue.length", Setting.ISSN_QUEUE.integer(conf::get) + handlers);
    String host = Setting.ISSN_HOSTNAME.text(conf::get);
    if (host.isEmpty()) {
      host = InetAddress.getLocalHost().getCanonicalHostName();
    }
    User owner = logIn(host);
    // As region servers do: paths come without a file system, and HBase's need not be the default.
    Path root = CommonFSUtils.getRootDir(conf);
    CommonFSUtils.setFsDefault(conf, root);
    fs = new DaemonFileSystem(conf);
    long heap = Runtime.getRuntime().maxMemory();
    long remoteBytes = (long) Setting.ISSN_REMOTE_CACHE.integer(conf::get) << 20;
    blockCache =
        SecondReadCache.of(
            conf,
            remoteBytes
                + heap / HFileReaders.INDEX_SHARE
                + heap / LargeCells.HEAP_SHARE
                + heap / BlockBuffers.HEAP_SHARE);
    blockBuffers = blockBuffers();
    readers =
        new HFileReaders(
            conf,
            fs,
            cacheConfig(conf, blockCache, blockBuffers),
            Setting.ISSN_READERS_MAX.integer(conf::get),
            Duration.ofSeconds(Setting.ISSN_READERS_IDLE.integer(conf::get)));
    Callers callers = new Callers(conf, owner);
    int slots = Setting.ISSN_COMPACTIONS.integer(conf::get);
    compactions =
        new CompactionWorker(
            conf,
            fs,
            root,
            slots,
            (long) Setting.ISSN_COMPACTION_MEMORY.integer(conf::get) << 20,
            (long) Setting.ISSN_REMOTE_CACHE.integer(conf::get) << 20,
            dataNode(conf, host).isEmpty()
                ? 1
                : Setting.ISSN_COMPACTION_SHARE.integer(conf::get) / 100.0,
            this::publishSoon);
    compactionEndpoint =
        new CompactionEndpoint(
            compactions,
            callers,
            conf.getInt("hbase.master.maxclockskew", MAX_CLOCK_SKEW_MILLIS),
            controlHandlers / 2);
    metrics = new DaemonMetrics(readers::size, this::loadPercent);
    background =
        Executors.newSingleThreadScheduledExecutor(
            task -> {
              Thread thread = new Thread(task, "issn-background");
              thread.setDaemon(true);
              return thread;
            });
    int aggregateHandlers = AggregatePace.handlers(Runtime.getRuntime().availableProcessors());
    CallQueues queues =
        new CallQueues(
            conf,
            handlers,
            aggregateHandlers,
            AggregatePace.queue(aggregateHandlers),
            controlHandlers);
    service =
        new ReadService(
            readers,
            new Filters(conf),
            new DictionaryTrainer(
                DictionaryTrainer.SMALL_DICTIONARY_BYTES, background, System::nanoTime),
            root,
            callers,
            handlers,
            Setting.ISSN_BATCH_MAX.integer(conf::get),
            TimeUnit.MILLISECONDS.toNanos(Setting.ISSN_BATCH_TIME.integer(conf::get)),
            new AggregatePace(queues::waitingAggregates, System::nanoTime, LockSupport::parkNanos),
            metrics);
    metrics.show(queues, handlers, Setting.ISSN_QUEUE.integer(conf::get));
    metrics.show(compactions);
    metrics.showBlockBuffers(this::blockBuffersInUse);
    metrics.showOpened(readers::opened);
    long startCode = System.currentTimeMillis();
    rpcHost =
        new RpcHost(
            conf, ServerName.valueOf(host, Setting.ISSN_PORT.integer(conf::get), startCode), end);
    rpcServer = bindRpc(queues);
    service.sending(() -> AnswersUnderWay.bytes(rpcServer));
    exposure = Exposure.of(conf, rpcServer.getListenerAddress().getAddress(), owner.getShortName());
    page = page(host);
    infoServer = bindInfo();
    int advertised = Setting.ISSN_ADVERTISED_PORT.integer(conf::get);
    DaemonInfo.Builder published =
        DaemonInfo.newBuilder()
            .setVersion(Protocol.VERSION)
            .setRelease(Release.name())
            .setHost(host)
            .setPort(advertised == 0 ? rpcServer.getListenerAddress().getPort() : advertised)
            .setStartCode(startCode)
            .setDatanode(dataNode(conf, host))
            .setInfoPort(infoServer == null ? 0 : infoServer.getPort());
    if (!published.getDatanode().isEmpty()) {
      published
          .addRole(Protocol.SCAN)
          .setSharedReads(Protocol.MAX_SHARED_READS)
          .setAggregates(Protocol.AGGREGATES)
          .setHandles(Protocol.HANDLES);
    }
    if (slots > 0) {
      published.addRole("compact").setWorker(compactions.info());
    }
    info = published.build();
  }

  private static List<String> faults(Configuration conf) {
    List<String> faults = new ArrayList<>(Setting.faults(SettingScope.DAEMON, conf::get));
    int cacheMb = Setting.ISSN_REMOTE_CACHE.integer(conf::get);
    long heapMb = Runtime.getRuntime().maxMemory() >> 20;
    if (cacheMb > heapMb * 3 / 4) {
      faults.add(
          Setting.ISSN_REMOTE_CACHE.key()
              + " = '"
              + cacheMb
              + "': must be three quarters of the JVM's heap at most, which has "
              + heapMb
              + " MB");
    }
    if (Setting.ISSN_DATANODE.text(conf::get).equals(NO_DATANODE)
        && Setting.ISSN_COMPACTIONS.integer(conf::get) == 0) {
      faults.add(
          Setting.ISSN_COMPACTIONS.key()
              + " = '0': one that is beside no DataNode ("
              + Setting.ISSN_DATANODE.key()
              + " = none) has nothing but compactions to do");
    }
    String insecure = Exposure.fault(conf);
    if (insecure != null) {
      faults.add(insecure);
    }
    String bound = Setting.ISSN_BIND_ADDRESS.text(conf::get);
    if (new InetSocketAddress(bound, 0).isUnresolved()) {
      faults.add(
          Setting.ISSN_BIND_ADDRESS.key()
              + " = '"
              + bound
              + "': must be an address of this machine, or a name of one");
    }
    String host = Setting.ISSN_HOSTNAME.text(conf::get);
    if (!host.isEmpty() && !Registration.isHost(host)) {
      faults.add(
          Setting.ISSN_HOSTNAME.key()
              + " = '"
              + host
              + "': must be a name or address of this machine, without a port");
    }
    String dataNode = dataNode(conf, "this-machine");
    if (!dataNode.isEmpty() && !Registration.isHostAndPort(dataNode)) {
      faults.add(
          "'"
              + dataNode
              + "' as the DataNode's address: "
              + Setting.ISSN_DATANODE.key()
              + " must be host:port, or "
              + NO_DATANODE
              + "; without it dfs.datanode.address must have a port");
    }
    return faults;
  }

  /** Begins to answer and registers. */
  public void start() throws IOException {
    rpcServer.start();
    registration =
        new Registration(
            conf, Protocol.daemonsZNode(conf), info, ZKAuthentication.isSecureZooKeeper(conf));
    background.scheduleWithFixedDelay(
        new Recurring(this::publishLoad),
        PUBLISH_LOAD_EVERY_SECONDS,
        PUBLISH_LOAD_EVERY_SECONDS,
        TimeUnit.SECONDS);
    background.scheduleWithFixedDelay(
        new Recurring(page::look), 0, StatusPage.LOOK_SECONDS, TimeUnit.SECONDS);
    LOG.info(
        "issn {} serves {}, {}",
        address(),
        fs.getUri(),
        info.getDatanode().isEmpty()
            ? "a dedicated compaction server"
            : "beside DataNode " + info.getDatanode());
    if (exposure.isOpen()) {
      LOG.warn(exposure.text());
    } else {
      LOG.info(exposure.text());
    }
  }

  /** The name and port that region servers call. */
  public ServerName address() {
    return ServerName.valueOf(info.getHost(), info.getPort(), info.getStartCode());
  }

  /** The port of the web pages; 0: there are none. */
  public int infoPort() {
    return info.getInfoPort();
  }

  /** Percentage of handlers at work. */
  private long loadPercent() {
    return service == null ? 0 : service.loadPercent();
  }

  // A daemon shares the region servers' hbase-site.xml: what there is meant for them must not act
  // here, their region class and off-heap or file-backed block cache above all.
  static Configuration daemonConf(Configuration siteConf) {
    Configuration conf = HBaseConfiguration.create(siteConf);
    conf.unset("hbase.hregion.impl");
    conf.unset("hbase.bucketcache.ioengine");
    // Of this heap it may be many times as much.
    conf.unset("hfile.block.cache.memory.size");
    conf.setBoolean("hbase.rs.prefetchblocksonopen", false);
    conf.setInt("hbase.ipc.max.request.size", Protocol.MAX_REQUEST_BYTES);
    // Of calls that wait, which have been parsed: two bytes may stand for an object of dozens.
    conf.setLong(
        "hbase.ipc.server.max.callqueue.size",
        Math.max(LEAST_QUEUED_BYTES, Runtime.getRuntime().maxMemory() / QUEUED_PART));
    // Who does not read answers is not heard until he has.
    // HBase heeds neither mark where one is missing or they are the wrong way round.
    int high = conf.getInt(NettyRpcServer.CHANNEL_WRITABLE_HIGH_WATERMARK_KEY, 32 << 20);
    int low = conf.getInt(NettyRpcServer.CHANNEL_WRITABLE_LOW_WATERMARK_KEY, high / 4);
    conf.setInt(NettyRpcServer.CHANNEL_WRITABLE_LOW_WATERMARK_KEY, low);
    conf.setInt(
        NettyRpcServer.CHANNEL_WRITABLE_HIGH_WATERMARK_KEY,
        high > low ? high : (int) Math.min(Integer.MAX_VALUE, 4L * low));
    // Compactions write; each packet wakes four threads, which reads would notice. In all as much
    // may be under way as by default.
    conf.setInt("dfs.client-write-packet-size", WRITE_PACKET_BYTES);
    conf.setInt("dfs.client.write.max-packets-in-flight", 20);
    // A stream that has found its DataNode away reads from another one for as long as the file is
    // open. By HDFS's default it would not ask again.
    HdfsConfiguration.init();
    String[] sources = conf.getPropertySources(REFRESH);
    if (sources == null || List.of(sources).equals(List.of("hdfs-default.xml"))) {
      conf.set(REFRESH, "600000");
    }
    // Whoever is at work when the process ends deletes what he has written; then it is closed.
    conf.setBoolean(CommonConfigurationKeysPublic.FS_AUTOMATIC_CLOSE_KEY, false);
    return conf;
  }

  /**
   * Blocks of data are read to pooled buffers off the heap, and few of them copied to the cache.
   *
   * <p>Relies on HBase 2.6: {@code HFileReaderImpl.shouldUseHeap}, which has such buffers for
   * blocks of data if the cache for them is another than that for indexes, and {@code
   * LruBlockCache}, which copies what is not on the heap.
   */
  static CacheConfig cacheConfig(
      Configuration conf, @Nullable BlockCache blockCache, ByteBuffAllocator buffers) {
    return new CacheConfig(conf, null, blockCache, buffers) {
      @Override
      public boolean isCombinedBlockCache() {
        return true;
      }
    };
  }

  private static BlockBuffers blockBuffers() {
    long heap = Runtime.getRuntime().maxMemory();
    // By HBase's default there are more the more handlers the region servers have.
    long pooled = heap / BLOCK_BUFFERS_PART / BlockBuffers.BUFFER_BYTES;
    return new BlockBuffers(
        (int) Math.min(MAX_BLOCK_BUFFERS, pooled), heap / BlockBuffers.HEAP_SHARE);
  }

  /** Pooled buffers that blocks lie in which somebody reads. */
  public int blockBuffersInUse() {
    return blockBuffers.getUsedBufferCount() - blockBuffers.getFreeBufferCount();
  }

  private User logIn(String host) throws IOException {
    UserProvider provider = UserProvider.instantiate(conf);
    // HBase's servers log in for HDFS, too, whether or not they ask their clients to.
    if (User.isHBaseSecurityEnabled(conf)
        || provider.isHadoopSecurityEnabled()
            && conf.get(SecurityConstants.REGIONSERVER_KRB_KEYTAB_FILE) != null) {
      provider.login(
          SecurityConstants.REGIONSERVER_KRB_KEYTAB_FILE,
          SecurityConstants.REGIONSERVER_KRB_PRINCIPAL,
          host);
    }
    if (User.isHBaseSecurityEnabled(conf)) {
      // As HBase's servers do, by the same settings.
      ZKAuthentication.loginClient(
          conf, HConstants.ZK_CLIENT_KEYTAB_FILE, HConstants.ZK_CLIENT_KERBEROS_PRINCIPAL, host);
    }
    Protocol.register();
    return provider.getCurrent();
  }

  private IssnRpcServer bindRpc(CallQueues queues) throws IOException {
    InetSocketAddress address =
        new InetSocketAddress(
            Setting.ISSN_BIND_ADDRESS.text(conf::get), Setting.ISSN_PORT.integer(conf::get));
    try {
      return new IssnRpcServer(
          rpcHost,
          List.of(
              new BlockingServiceAndInterface(
                  IssnService.newReflectiveBlockingService(service),
                  IssnService.BlockingInterface.class),
              new BlockingServiceAndInterface(
                  CompactionService.newReflectiveBlockingService(compactionEndpoint),
                  CompactionService.BlockingInterface.class)),
          address,
          conf,
          queues);
    } catch (IOException e) {
      throw PolicedRpcServer.cannotListen(address, e, Setting.ISSN_PORT.key());
    }
  }

  private DaemonPage page(String host) {
    Map<String, String> facts = new LinkedHashMap<>();
    facts.put("address", host + ":" + rpcServer.getListenerAddress().getPort());
    facts.put("DataNode", dataNode(conf, host).isEmpty() ? "none" : dataNode(conf, host));
    facts.put("file system", fs.getUri().toString());
    facts.put("who may ask", exposure.text());
    facts.put("since", Instant.now().truncatedTo(ChronoUnit.SECONDS).toString());
    return new DaemonPage(
        "IS-HBase storage daemon " + host,
        facts,
        metrics.exposition(),
        metrics.demand(),
        compactions::attempts);
  }

  private @Nullable InfoServer bindInfo() throws IOException {
    int port = Setting.ISSN_INFO_PORT.integer(conf::get);
    if (port < 0) {
      return null;
    }
    InfoPages.addTo(conf);
    InfoServer server =
        new InfoServer("issn", Setting.ISSN_BIND_ADDRESS.text(conf::get), port, false, conf);
    server.addUnprivilegedServlet("status", "/issn-status", StatusServlet.class);
    InfoPages.show(server, metrics.exposition(), page::page);
    try {
      server.start();
    } catch (IOException e) {
      throw PolicedRpcServer.cannotListen(
          new InetSocketAddress(Setting.ISSN_BIND_ADDRESS.text(conf::get), port),
          e,
          Setting.ISSN_INFO_PORT.key());
    }
    return server;
  }

  /** Empty if there is none. */
  private static String dataNode(Configuration conf, String host) {
    String configured = Setting.ISSN_DATANODE.text(conf::get);
    if (!configured.isEmpty()) {
      return configured.equals(NO_DATANODE) ? "" : configured;
    }
    String address = conf.getTrimmed("dfs.datanode.address", "0.0.0.0:9866");
    int colon = address.lastIndexOf(':');
    return conf.getTrimmed("dfs.datanode.hostname", host)
        + (colon < 0 ? "" : address.substring(colon));
  }

  private void publishSoon() {
    try {
      background.execute(this::publishLoad);
    } catch (RejectedExecutionException e) {
      // The daemon stops, and what it says of itself goes with it.
    }
  }

  private void publishLoad() {
    Registration registered = registration;
    if (registered == null) {
      // Somebody called before the daemon is known to all: it says so again in some seconds.
      return;
    }
    int load = service.loadPercent();
    WorkerInfo worker = compactions.info();
    if (Math.abs(load - info.getLoadPercent()) < 10 && !isNews(worker)) {
      return;
    }
    DaemonInfo.Builder news = info.toBuilder().setLoadPercent(load);
    if (info.hasWorker()) {
      news.setWorker(worker);
    }
    DaemonInfo changed = news.build();
    try {
      registered.update(changed);
      info = changed;
    } catch (IOException e) {
      LOG.warn("Load is not published", e);
    }
  }

  private boolean isNews(WorkerInfo worker) {
    WorkerInfo known = info.getWorker();
    return info.hasWorker()
        && (worker.getRunning() != known.getRunning()
            || worker.getBegun() != known.getBegun()
            || worker.getRunning() > 0
            || worker.getDraining() != known.getDraining()
            || worker.getMeasuredBytes() < known.getMeasuredBytes() / 2
            || Math.abs(worker.getCpuPercent() - known.getCpuPercent()) >= 20);
  }

  /** Stops: deregisters, refuses new requests, finishes those at work, closes everything. */
  @Override
  public void close() throws IOException {
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
    }
    service.stop();
    compactions.close();
    background.shutdownNow();
    if (registration != null) {
      registration.close();
    }
    rpcServer.stop();
    readers.close();
    if (infoServer != null) {
      try {
        infoServer.stop();
      } catch (Exception e) {
        LOG.warn("Cannot stop the info server", e);
      }
    }
    if (blockCache != null) {
      blockCache.shutdown();
    }
    LOG.info("issn {} stopped", address());
  }

  public static void main(String[] args) throws Exception {
    if (args.length != 1 || !args[0].equals("start")) {
      System.err.println("usage: " + Issn.class.getName() + " start");
      System.exit(2);
    }
    Issn issn;
    Configuration siteConf = HBaseConfiguration.create();
    try {
      // As if it were killed: region servers are prepared for that, and a hook might hang.
      issn = new Issn(siteConf, () -> Runtime.getRuntime().halt(FATAL));
      Thread.setDefaultUncaughtExceptionHandler(
          (thread, failure) -> {
            LOG.error("{} ended", thread.getName(), failure);
            issn.rpcHost.endIfFatal(failure);
          });
      CountDownLatch stopped = new CountDownLatch(1);
      Runtime.getRuntime()
          .addShutdownHook(
              new Thread(
                  () -> {
                    try {
                      issn.close();
                      issn.fs.close();
                    } catch (IOException e) {
                      LOG.warn("Not closed cleanly", e);
                    }
                    stopped.countDown();
                  },
                  "issn-stop"));
      issn.start();
      // Whoever started it waits for this line.
      System.out.println("issn serves " + issn.fs.getUri() + " at " + issn.address().getAddress());
      stopped.await();
    } catch (IOException | RuntimeException | LinkageError e) {
      LOG.error("issn cannot start", e);
      boolean saysWhy = e instanceof IOException || e instanceof IllegalArgumentException;
      String why = saysWhy && e.getMessage() != null ? e.getMessage() : e.toString();
      // What ZooKeeper or a parser says goes on for lines, which are in the log.
      System.err.println(
          "issn cannot start: "
              + why.lines().findFirst().orElse(e.toString())
              + (e instanceof NumberFormatException ? settingsOf(why, siteConf) : ""));
      System.exit(1);
    }
  }

  /** Which settings, if not by default, have the value that a parser names between quotes. */
  static String settingsOf(String complaint, Configuration conf) {
    int from = complaint.indexOf('"') + 1;
    int to = complaint.lastIndexOf('"');
    if (from == 0 || to < from) {
      return "";
    }
    String value = complaint.substring(from, to);
    List<String> keys = new ArrayList<>();
    for (Map.Entry<String, String> each : conf) {
      String[] sources = conf.getPropertySources(each.getKey());
      boolean isDefault =
          sources != null && sources.length > 0 && sources[0].endsWith("-default.xml");
      if (!isDefault && conf.get(each.getKey(), "").strip().equals(value)) {
        keys.add(each.getKey());
      }
    }
    return keys.isEmpty() ? "" : "; so says " + String.join(", or ", keys);
  }
}
