package io.ishbase.plugin.node;

import io.ishbase.core.Distance;
import io.ishbase.core.Reason;
import io.ishbase.core.Setting;
import io.ishbase.core.Silence;
import io.ishbase.plugin.metrics.InStorageMetrics;
import io.ishbase.protocol.Checksums;
import io.ishbase.protocol.Dictionary;
import io.ishbase.protocol.Protocol;
import io.ishbase.protocol.generated.IssnProtos.AggregateRequest;
import io.ishbase.protocol.generated.IssnProtos.AggregateResponse;
import io.ishbase.protocol.generated.IssnProtos.DictionaryRequest;
import io.ishbase.protocol.generated.IssnProtos.IssnService;
import io.ishbase.protocol.generated.IssnProtos.LineRequest;
import io.ishbase.protocol.generated.IssnProtos.ReadRequest;
import io.ishbase.protocol.generated.IssnProtos.ReadResponse;
import java.io.Closeable;
import java.io.IOException;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.CallDroppedException;
import org.apache.hadoop.hbase.CallQueueTooBigException;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.exceptions.RequestTooBigException;
import org.apache.hadoop.hbase.ipc.CallTimeoutException;
import org.apache.hadoop.hbase.ipc.HBaseRpcController;
import org.apache.hadoop.hbase.ipc.HBaseRpcControllerImpl;
import org.apache.hadoop.hbase.ipc.RpcClient;
import org.apache.hadoop.hbase.ipc.RpcClientFactory;
import org.apache.hadoop.hbase.security.User;
import org.apache.hadoop.hbase.security.UserProvider;
import org.apache.hadoop.hbase.util.CommonFSUtils;
import org.apache.hadoop.ipc.RemoteException;
import org.apache.hbase.thirdparty.com.google.protobuf.RpcChannel;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls storage daemons over HBase's RPC. One connection to each, shared by all reads, and another
 * for everything about compactions: either can be cut without a call of the other.
 */
public final class DaemonClient implements ReadClient, Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(DaemonClient.class);
  private static final long SLOW_EVERY_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final RpcClient reads;
  private final RpcClient control;

  /** For signs of life, which must not wait behind large answers. */
  private final RpcClient signs;

  private final User user;
  private final String root;
  private final int timeoutMillis;
  private final long slowNanos;

  /** A tired disk makes thousands of reads slow, and a tired NameNode those of all daemons. */
  private final Silence slowReads = new Silence(SLOW_EVERY_NANOS, System.nanoTime());

  private final Answers answers;
  private final ToldSets toldSets = new ToldSets();
  private final Dictionaries dictionaries = new Dictionaries(System::nanoTime);
  private final boolean sharesReads;
  private final int hedgePercent;

  /** All handlers may read a block over HBase's own path, and answers wait behind these. */
  private final long blockBytes;

  private final ConcurrentHashMap<ServerName, DaemonReads> byDaemon = new ConcurrentHashMap<>();

  /** What each daemon that is registered says that it can do. */
  private volatile Map<ServerName, Abilities> abilities = Map.of();

  /** The DataNode beside each, by its address. */
  private volatile Map<ServerName, String> dataNodes = Map.of();

  private volatile Function<String, Distance> distances = dataNode -> Distance.ELSEWHERE;

  /**
   * What a daemon says that it can do.
   *
   * @param sharedReads reads that may share a request, at most; 0: it knows no shared requests
   */
  private record Abilities(int sharedReads, boolean knowsHandles) {
    static final Abilities UNKNOWN = new Abilities(0, false);

    static Abilities of(StorageNode node) {
      return new Abilities(node.sharedReads(), node.knowsHandles());
    }

    static Abilities of(DaemonReads reads) {
      return new Abilities(reads.sharedReads(), reads.knowsHandles());
    }
  }

  /** Shared by calls that are sent; alone by whoever cuts connections. */
  private final ReadWriteLock cutting = new ReentrantReadWriteLock();

  /** For a process of the cluster whose configuration {@code siteConf} is. */
  public DaemonClient(Configuration siteConf) throws IOException {
    Protocol.register();
    timeoutMillis = Setting.RPC_TIMEOUT.integer(siteConf::get);
    slowNanos = TimeUnit.MILLISECONDS.toNanos(Setting.SLOW_REQUEST.integer(siteConf::get));
    sharesReads = Setting.READ_SHARE.isTrue(siteConf::get);
    hedgePercent = Setting.HEDGE_PERCENT.integer(siteConf::get);
    blockBytes =
        HConstants.DEFAULT_BLOCKSIZE
            * siteConf.getLong(
                HConstants.REGION_SERVER_HANDLER_COUNT,
                HConstants.DEFAULT_REGION_SERVER_HANDLER_COUNT);
    answers = Answers.of(Setting.ANSWER_COMPRESSION.text(siteConf::get));
    Configuration conf = new Configuration(siteConf);
    conf.setInt("hbase.ipc.client.socket.timeout.connect", timeoutMillis);
    // A retry is a trip of HBase's own read path here.
    conf.setInt("hbase.ipc.client.connect.max.retries", 0);
    // Who is left alone after a failure, and for how long, is known here: a try is one.
    conf.setInt(RpcClient.FAILED_SERVER_EXPIRY_KEY, -1);
    // No call has cells beside its message, and daemons take none that are compressed.
    conf.unset("hbase.client.rpc.compressor");
    reads = RpcClientFactory.createClient(conf, "ishbase");
    control = RpcClientFactory.createClient(conf, "ishbase");
    signs = RpcClientFactory.createClient(conf, "ishbase");
    user = UserProvider.instantiate(conf).getCurrent();
    root = CommonFSUtils.getRootDir(conf).toUri().getPath() + "/";
  }

  @Override
  public ReadCall read(ServerName daemon, ReadRequest request) {
    boolean pack = answers.pack();
    Dictionary dictionary = pack ? dictionaries.of(daemon, request.getDirectory()) : null;
    ReadRequest sealed = Checksums.sealed(pack ? packed(request, dictionary) : request);
    DaemonReads reads = reads(daemon);
    ToldSet set = reads.knowsHandles() ? toldSets.of(daemon, sealed) : null;
    PendingRead read = new PendingRead(reads, sealed, set, dictionary);
    if (sealed.getSerializedSize() > Protocol.MAX_REQUEST_BYTES) {
      // The daemon would drop the connection, which other reads share.
      read.completeExceptionally(
          new DaemonException(
              Reason.BAD_REQUEST, "A request of " + sealed.getSerializedSize() + " bytes"));
      return read;
    }
    reads.send(read);
    return read;
  }

  private void arrived(ServerName daemon, PendingRead read, ReadResponse response) {
    ReadRequest request = read.request();
    long nanos = System.nanoTime() - read.startNanos();
    InStorageMetrics.get().answered(response.getCellCount(), response.getSerializedSize(), nanos);
    came(daemon, response.getSerializedSize());
    answers.received(response.getSerializedSize());
    long silent = nanos > slowNanos ? slowReads.next(System.nanoTime()) : -1;
    if (silent >= 0) {
      LOG.warn(
          "Slow read at {}: {} ms for {} cells of {} files in {}, {} bytes; the daemon's"
              + " load is {} %{}",
          daemon,
          TimeUnit.NANOSECONDS.toMillis(nanos),
          response.getCellCount(),
          request.getFileCount(),
          request.getDirectory(),
          response.getCells().size(),
          response.getLoadPercent(),
          silent == 0 ? "" : "; and " + silent + " more since one was said");
    }
    read.complete(response);
    if (request.getPack() && response.hasDictionary()) {
      dictionaries.offered(
          daemon,
          request.getDirectory(),
          response.getDictionary(),
          id -> fetchDictionary(daemon, id));
    }
  }

  @Override
  public AggregateResponse aggregate(ServerName daemon, AggregateRequest request)
      throws IOException {
    InStorageMetrics.get().requested(1, request.getSerializedSize());
    long start = System.nanoTime();
    AggregateResponse response =
        AsyncCall.await(AsyncCall.uncounted(stub(daemon)::aggregate, request, timeoutMillis));
    InStorageMetrics.get().answered(0, response.getSerializedSize(), System.nanoTime() - start);
    came(daemon, response.getSerializedSize());
    return response;
  }

  private void came(ServerName daemon, int bytes) {
    String dataNode = dataNodes.get(daemon);
    InStorageMetrics.get()
        .came(dataNode == null ? Distance.ELSEWHERE : distances.apply(dataNode), bytes);
  }

  /** Has answers counted by how far a DataNode is, which goes by its data-transfer address. */
  void measureBy(Function<String, Distance> distanceOfDataNode) {
    distances = distanceOfDataNode;
  }

  private static ReadRequest packed(ReadRequest request, @Nullable Dictionary dictionary) {
    ReadRequest.Builder packed = request.toBuilder().setPack(true);
    return dictionary == null ? packed.build() : packed.setDictionary(dictionary.id()).build();
  }

  private CompletableFuture<byte @Nullable []> fetchDictionary(ServerName daemon, long id) {
    HBaseRpcController controller = new HBaseRpcControllerImpl();
    controller.setCallTimeout(timeoutMillis);
    CompletableFuture<byte @Nullable []> fetched = new CompletableFuture<>();
    stub(daemon)
        .dictionary(
            controller,
            DictionaryRequest.newBuilder().setId(id).build(),
            response -> {
              if (response == null) {
                fetched.completeExceptionally(
                    controller.failed() ? controller.getFailed() : new IOException("Cancelled"));
              } else {
                boolean isSound = response.getContent().size() <= Dictionary.MAX_BYTES;
                fetched.complete(
                    response.hasContent() && isSound ? response.getContent().toByteArray() : null);
              }
            });
    return fetched;
  }

  /**
   * Asks for nothing. It fails if the daemon cannot be reached, refuses this caller or speaks
   * another version.
   */
  public CompletableFuture<Void> greet(ServerName daemon) {
    HBaseRpcController controller = new HBaseRpcControllerImpl();
    controller.setCallTimeout(timeoutMillis);
    CompletableFuture<Void> greeted = new CompletableFuture<>();
    stub(daemon)
        .read(
            controller,
            // With its checksum: a daemon looks no further without one.
            Checksums.sealed(
                ReadRequest.newBuilder()
                    .setVersion(Protocol.VERSION)
                    .setDirectory(root)
                    .setReadPoint(0)
                    .build()),
            response -> {
              if (response == null) {
                greeted.completeExceptionally(
                    controller.failed() ? controller.getFailed() : new IOException("Cancelled"));
                return;
              }
              switch (response.getCode()) {
                case REFUSED, VERSION, STOPPING ->
                    greeted.completeExceptionally(
                        new IOException(response.getCode() + ": " + response.getMessage()));
                // It minds that there are no files, as it should.
                default -> greeted.complete(null);
              }
            });
    return greeted;
  }

  /** How long {@code daemon} usually takes for small reads, in nanoseconds; 0: not known. */
  long usualNanos(ServerName daemon) {
    DaemonReads known = byDaemon.get(daemon);
    return known == null ? 0 : known.usualNanos();
  }

  /** How far {@code daemon} has begun, from 0 to 1. */
  double begun(ServerName daemon) {
    DaemonReads known = byDaemon.get(daemon);
    return known == null ? 1 : known.begun();
  }

  /** Whether another daemon is asked rather than {@code daemon}, which answers nobody now. */
  boolean isDoubted(ServerName daemon) {
    DaemonReads known = byDaemon.get(daemon);
    return known != null && known.isDoubted();
  }

  /** Forgets all but those daemons. A read that is under way may remember one of them again. */
  void retain(Collection<StorageNode> nodes) {
    Map<ServerName, Abilities> now =
        nodes.stream().collect(Collectors.toMap(StorageNode::address, Abilities::of));
    abilities = now;
    dataNodes =
        nodes.stream().collect(Collectors.toMap(StorageNode::address, StorageNode::dataNodeIp));
    // One that says something else than before, or than was known of it, begins anew.
    byDaemon
        .entrySet()
        .removeIf(known -> !Abilities.of(known.getValue()).equals(now.get(known.getKey())));
  }

  /**
   * Asks each daemon for a sign of life: HBase, or a firewall, closes a connection to which nothing
   * is written for minutes, and a sign has no time to wait for a new one.
   */
  void keepSigns() {
    byDaemon.values().forEach(DaemonReads::keepSigns);
  }

  /** How many daemons it remembers. */
  int remembered() {
    return byDaemon.size();
  }

  /** What is known of the line that answers come over. */
  Answers answers() {
    return answers;
  }

  /** Asks for an answer of so many bytes; gives the nanoseconds that it took. */
  CompletableFuture<Long> probe(ServerName daemon, int bytes) {
    HBaseRpcController controller = new HBaseRpcControllerImpl();
    controller.setCallTimeout(timeoutMillis);
    CompletableFuture<Long> probed = new CompletableFuture<>();
    long start = System.nanoTime();
    stub(daemon)
        .line(
            controller,
            LineRequest.newBuilder().setBytes(bytes).build(),
            response -> {
              if (response == null) {
                probed.completeExceptionally(
                    controller.failed() ? controller.getFailed() : new IOException("Cancelled"));
              } else if (response.getPadding().size() != bytes) {
                probed.completeExceptionally(
                    new IOException(response.getPadding().size() + " bytes instead of " + bytes));
              } else {
                probed.complete(System.nanoTime() - start);
              }
            });
    return probed;
  }

  @Override
  public long lineNanos(long bytes) {
    return answers.lineNanos(bytes);
  }

  private IssnService.Stub stub(ServerName daemon) {
    return reads(daemon).stub();
  }

  private DaemonReads reads(ServerName daemon) {
    return byDaemon.computeIfAbsent(
        daemon,
        name -> {
          Abilities able = abilities.getOrDefault(name, Abilities.UNKNOWN);
          return new DaemonReads(
              IssnService.newStub(uncut(reads.createRpcChannel(name, user, timeoutMillis))),
              IssnService.newStub(uncut(signs.createRpcChannel(name, user, timeoutMillis))),
              () -> cut(name, signs),
              timeoutMillis,
              able.sharedReads(),
              able.knowsHandles(),
              sharesReads,
              hedgePercent,
              () -> answers.lineNanos(blockBytes),
              (read, response) -> arrived(name, read, response));
        });
  }

  /**
   * The same channel, of which no connection is cut between the moment at which a call gets it and
   * that at which it is on it: HBase would connect it once more, without a header, and never
   * answer.
   */
  private RpcChannel uncut(RpcChannel channel) {
    return (method, controller, request, prototype, done) -> {
      cutting.readLock().lock();
      try {
        channel.callMethod(method, controller, request, prototype, done);
      } finally {
        cutting.readLock().unlock();
      }
    };
  }

  /** The connection to {@code daemon}, for services other than reads. */
  public RpcChannel channel(ServerName daemon) {
    return uncut(control.createRpcChannel(daemon, user, timeoutMillis));
  }

  /** The longest wait for an answer that the daemon gives at once. */
  public int timeoutMillis() {
    return timeoutMillis;
  }

  /**
   * Makes the next read open a new connection: after a time-out or nonsense the stream of the old
   * one may be out of step, or its other end gone without a word.
   */
  void reconnect(ServerName daemon) {
    cut(daemon, reads, signs);
  }

  /** As {@link #reconnect}, for the services of {@link #channel}. */
  public void reconnectControl(ServerName daemon) {
    cut(daemon, control);
  }

  private void cut(ServerName daemon, RpcClient... clients) {
    cutting.writeLock().lock();
    try {
      for (RpcClient client : clients) {
        client.cancelConnections(daemon);
      }
    } finally {
      cutting.writeLock().unlock();
    }
  }

  /** A failure of a call, with the reason that fits it. */
  public static DaemonException classified(IOException failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof CallTimeoutException) {
        return new DaemonException(Reason.TIMEOUT, failure);
      }
      if (cause instanceof CallQueueTooBigException) {
        return new DaemonException(Reason.BUSY, failure);
      }
      if (cause instanceof RemoteException remote) {
        return new DaemonException(reason(remote.getClassName()), failure);
      }
    }
    return new DaemonException(Reason.UNREACHABLE, failure);
  }

  // What the daemon makes of a request, of its files above all, it says in an answer.
  private static Reason reason(String remoteClass) {
    if (remoteClass.equals(CallQueueTooBigException.class.getName())
        || remoteClass.equals(CallDroppedException.class.getName())) {
      return Reason.BUSY;
    }
    return remoteClass.equals(RequestTooBigException.class.getName())
        ? Reason.BAD_REQUEST
        : Reason.NO_ANSWER;
  }

  @Override
  public void close() {
    reads.close();
    control.close();
    signs.close();
  }
}
