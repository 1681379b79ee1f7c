package io.ishbase.it;

import io.ishbase.daemon.Issn;
import io.ishbase.protocol.Checksums;
import io.ishbase.protocol.MessageChecksum;
import io.ishbase.protocol.Protocol;
import io.ishbase.protocol.Registration;
import io.ishbase.protocol.generated.IssnProtos.AggregateRequest;
import io.ishbase.protocol.generated.IssnProtos.AggregateResponse;
import io.ishbase.protocol.generated.IssnProtos.DaemonInfo;
import io.ishbase.protocol.generated.IssnProtos.DictionaryRequest;
import io.ishbase.protocol.generated.IssnProtos.DictionaryResponse;
import io.ishbase.protocol.generated.IssnProtos.IssnService;
import io.ishbase.protocol.generated.IssnProtos.LineRequest;
import io.ishbase.protocol.generated.IssnProtos.LineResponse;
import io.ishbase.protocol.generated.IssnProtos.ReadRequest;
import io.ishbase.protocol.generated.IssnProtos.ReadResponse;
import io.ishbase.protocol.generated.IssnProtos.SharedReadRequest;
import io.ishbase.protocol.generated.IssnProtos.SharedReadResponse;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.ipc.FifoRpcScheduler;
import org.apache.hadoop.hbase.ipc.RpcClient;
import org.apache.hadoop.hbase.ipc.RpcClientFactory;
import org.apache.hadoop.hbase.ipc.RpcServer.BlockingServiceAndInterface;
import org.apache.hadoop.hbase.ipc.RpcServerFactory;
import org.apache.hadoop.hbase.ipc.RpcServerInterface;
import org.apache.hadoop.hbase.security.UserProvider;
import org.apache.hadoop.hbase.zookeeper.ZKConfig;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hbase.thirdparty.com.google.protobuf.RpcController;
import org.apache.hbase.thirdparty.com.google.protobuf.ServiceException;
import org.apache.zookeeper.CreateMode;

/**
 * Registers as a storage daemon, has a real one answer that is registered elsewhere, and changes
 * the answer.
 */
final class LyingDaemon implements IssnService.BlockingInterface, AutoCloseable {
  /** What it says instead of the truth. */
  interface Lie {
    ReadResponse answer(ReadRequest request, ReadResponse truth) throws IOException;
  }

  /** What it says instead of the answers to reads that share a request. */
  interface SharedLie {
    SharedReadResponse answer(SharedReadRequest request, SharedReadResponse truth);
  }

  /** What it says instead of the truth of an aggregate. */
  interface AggregateLie {
    AggregateResponse answer(AggregateRequest request, AggregateResponse truth) throws IOException;
  }

  private static final int TIMEOUT_MILLIS = 30_000;

  private final Issn honest;
  private final RpcClient client;
  private final IssnService.BlockingInterface truth;
  private final RpcServerInterface server;
  private final CuratorFramework zooKeeper;
  private final AtomicInteger lies = new AtomicInteger();
  private final AtomicInteger aggregates = new AtomicInteger();
  private final AtomicInteger shared = new AtomicInteger();
  private volatile Lie lie = (request, answer) -> answer;
  private volatile SharedLie sharedLie = (request, answer) -> answer;
  private volatile AggregateLie aggregateLie = (request, answer) -> answer;
  private final DaemonInfo info;
  private final String path;

  LyingDaemon(MiniCluster cluster, DataNode dataNode, int protocolVersion) throws Exception {
    Configuration conf = cluster.daemonConf(dataNode);
    Configuration elsewhere = new Configuration(conf);
    elsewhere.set("zookeeper.znode.parent", "/elsewhere");
    honest = new Issn(elsewhere);
    honest.start();
    client = RpcClientFactory.createClient(conf, "lying-daemon");
    truth =
        IssnService.newBlockingStub(
            client.createBlockingRpcChannel(
                honest.address(), UserProvider.instantiate(conf).getCurrent(), TIMEOUT_MILLIS));
    server =
        RpcServerFactory.createRpcServer(
            null,
            "liar",
            List.of(
                new BlockingServiceAndInterface(
                    IssnService.newReflectiveBlockingService(this),
                    IssnService.BlockingInterface.class)),
            new InetSocketAddress("127.0.0.1", 0),
            conf,
            new FifoRpcScheduler(conf, 4));
    server.start();
    info =
        DaemonInfo.newBuilder()
            .setVersion(protocolVersion)
            .setHost("127.0.0.1")
            .setPort(server.getListenerAddress().getPort())
            .setStartCode(System.currentTimeMillis())
            .setDatanode("127.0.0.1:" + dataNode.getXferPort())
            .addRole(Protocol.SCAN)
            .setAggregates(Protocol.AGGREGATES)
            .build();
    zooKeeper =
        CuratorFrameworkFactory.newClient(
            ZKConfig.getZKQuorumServersString(conf), new RetryOneTime(100));
    zooKeeper.start();
    path = Protocol.daemonsZNode(conf) + "/" + Registration.nodeName(info);
    zooKeeper
        .create()
        .creatingParentsIfNeeded()
        .withMode(CreateMode.EPHEMERAL)
        .forPath(path, info.toByteArray());
  }

  /** From now on it registers with {@code aggregates}; 0: as one that knows none. */
  void saysOfAggregates(int aggregates) throws Exception {
    DaemonInfo.Builder said = info.toBuilder().clearAggregates();
    zooKeeper
        .setData()
        .forPath(
            path, (aggregates == 0 ? said : said.setAggregates(aggregates)).build().toByteArray());
  }

  /** From now on it registers as one that knows handles, or as one that does not. */
  void saysOfHandles(boolean knows) throws Exception {
    DaemonInfo.Builder said = info.toBuilder();
    zooKeeper
        .setData()
        .forPath(path, (knows ? said.setHandles(Protocol.HANDLES) : said).build().toByteArray());
  }

  /** From now on it registers as one that takes so many reads in a request; 0: none. */
  void saysOfSharedReads(int reads) throws Exception {
    DaemonInfo.Builder said = info.toBuilder();
    zooKeeper
        .setData()
        .forPath(path, (reads == 0 ? said : said.setSharedReads(reads)).build().toByteArray());
  }

  /** What the real one answers. */
  ReadResponse truth(ReadRequest request) throws IOException {
    try {
      return truth.read(null, request);
    } catch (ServiceException e) {
      throw new IOException(e);
    }
  }

  /** From now on it tells {@code newLie}. */
  void tell(Lie newLie) {
    lies.set(0);
    lie = newLie;
  }

  /** From now on it tells {@code newLie} of aggregates. */
  void tellOfAggregates(AggregateLie newLie) {
    aggregates.set(0);
    aggregateLie = newLie;
  }

  /** From now on it tells {@code newLie} of requests that reads share. */
  void tellOfShared(SharedLie newLie) {
    shared.set(0);
    sharedLie = newLie;
  }

  /** Answers to requests that reads shared, since the lie of them was set. */
  int shared() {
    return shared.get();
  }

  /** Answers to aggregates since the lie of them was set. */
  int aggregates() {
    return aggregates.get();
  }

  /** Answers since the lie was set. */
  int lies() {
    return lies.get();
  }

  @Override
  public AggregateResponse aggregate(RpcController controller, AggregateRequest request)
      throws ServiceException {
    aggregates.incrementAndGet();
    try {
      AggregateResponse answer = truth.aggregate(null, request);
      AggregateResponse told = aggregateLie.answer(request, answer);
      return told.hasCrc32C() && told.getCrc32C() == answer.getCrc32C()
          ? MessageChecksum.sealed(told)
          : told;
    } catch (IOException e) {
      throw new ServiceException(e);
    }
  }

  @Override
  public LineResponse line(RpcController controller, LineRequest request) throws ServiceException {
    return truth.line(null, request);
  }

  @Override
  public DictionaryResponse dictionary(RpcController controller, DictionaryRequest request)
      throws ServiceException {
    return truth.dictionary(null, request);
  }

  @Override
  public ReadResponse read(RpcController controller, ReadRequest request) throws ServiceException {
    lies.incrementAndGet();
    try {
      ReadResponse answer = truth.read(null, request);
      ReadResponse told = lie.answer(request, answer);
      // With the checksum that it should have, unless that is the lie.
      return told.hasCrc32C() && told.getCrc32C() == answer.getCrc32C()
          ? Checksums.sealed(told)
          : told;
    } catch (IOException e) {
      throw new ServiceException(e);
    }
  }

  @Override
  public SharedReadResponse sharedRead(RpcController controller, SharedReadRequest request)
      throws ServiceException {
    shared.incrementAndGet();
    return sharedLie.answer(request, truth.sharedRead(null, request));
  }

  @Override
  public void close() throws IOException {
    zooKeeper.close();
    server.stop();
    client.close();
    honest.close();
  }
}
