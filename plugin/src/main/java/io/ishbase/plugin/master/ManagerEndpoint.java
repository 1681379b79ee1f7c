package io.ishbase.plugin.master;

import io.ishbase.core.compaction.CompactionQueue;
import io.ishbase.core.compaction.Worker;
import io.ishbase.core.metric.Exposition;
import io.ishbase.core.metric.Metric;
import io.ishbase.plugin.node.StorageNode;
import io.ishbase.plugin.node.StorageNodes;
import io.ishbase.protocol.MessageChecksum;
import io.ishbase.protocol.Protocol;
import io.ishbase.protocol.generated.CompactionProtos.Held;
import io.ishbase.protocol.generated.CompactionProtos.ManagerService;
import io.ishbase.protocol.generated.CompactionProtos.PlaceRequest;
import io.ishbase.protocol.generated.CompactionProtos.PlaceResponse;
import io.ishbase.protocol.generated.IssnProtos.Code;
import io.ishbase.protocol.rpc.AuditLog;
import java.io.IOException;
import java.net.InetAddress;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.ipc.RpcServer;
import org.apache.hadoop.hbase.security.SecurityConstants;
import org.apache.hadoop.hbase.security.User;
import org.apache.hadoop.hbase.security.UserProvider;
import org.apache.hadoop.hbase.util.EnvironmentEdgeManager;
import org.apache.hadoop.security.HadoopKerberosName;
import org.apache.hadoop.security.SecurityUtil;
import org.apache.hbase.thirdparty.com.google.protobuf.ByteString;
import org.apache.hbase.thirdparty.com.google.protobuf.RpcController;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The manager's RPC. The queue is guarded by its own monitor. */
final class ManagerEndpoint implements ManagerService.BlockingInterface {
  private static final Logger LOG = LoggerFactory.getLogger(ManagerEndpoint.class);

  /** Of a question, which is kept as long as its store asks: names of two dozen workers fit. */
  static final int MAX_BYTES = 16 << 10;

  /** Workers that a question may name: a region server names two dozen at most. */
  static final int MAX_WORKERS = 64;

  private final StorageNodes nodes;
  private final CompactionQueue queue;
  private final AuditLog audit = new AuditLog(CompactionManager.class.getName());
  private final LongAdder asked = new LongAdder();
  private final LongAdder placed = new LongAdder();
  private final boolean isSecure;
  private final Set<String> regionServers;

  ManagerEndpoint(StorageNodes nodes, CompactionQueue queue, Configuration conf)
      throws IOException {
    this.nodes = nodes;
    this.queue = queue;
    this.isSecure = User.isHBaseSecurityEnabled(conf);
    this.regionServers = isSecure ? regionServers(conf) : Set.of();
  }

  /** Short names of those whom region servers may be: this master's own, or another. */
  private static Set<String> regionServers(Configuration conf) throws IOException {
    String own = UserProvider.instantiate(conf).getCurrent().getShortName();
    String principal = conf.get(SecurityConstants.REGIONSERVER_KRB_PRINCIPAL);
    if (principal == null) {
      return Set.of(own);
    }
    try {
      String host = InetAddress.getLocalHost().getCanonicalHostName();
      String theirs =
          new HadoopKerberosName(SecurityUtil.getServerPrincipal(principal, host)).getShortName();
      return Stream.of(own, theirs).collect(Collectors.toUnmodifiableSet());
    } catch (IOException e) {
      LOG.warn("Only {} may ask the compaction manager: what {} is called", own, principal, e);
      return Set.of(own);
    }
  }

  @Override
  public PlaceResponse place(RpcController controller, PlaceRequest request) {
    return MessageChecksum.sealed(place(request));
  }

  private PlaceResponse place(PlaceRequest request) {
    if (isSecure && !regionServers.contains(RpcServer.getRequestUserName().orElse(""))) {
      audit.refused("place a compaction", "", "No region server's user");
      return refusal(Code.REFUSED, "Only region servers may ask");
    }
    if (request.getVersion() != Protocol.VERSION) {
      return refusal(Code.VERSION, "This manager speaks version " + Protocol.VERSION);
    }
    if (!MessageChecksum.isIntact(request)) {
      return refusal(Code.BAD_REQUEST, "The question's checksum is wrong");
    }
    if (request.getSerializedSize() > MAX_BYTES) {
      return refusal(
          Code.BAD_REQUEST,
          "A question of " + request.getSerializedSize() + " bytes: may have " + MAX_BYTES);
    }
    if (request.getHeldCount() > MAX_WORKERS || request.getAvoidedCount() > MAX_WORKERS) {
      return refusal(Code.BAD_REQUEST, "A question names " + MAX_WORKERS + " workers at most");
    }
    List<Worker> workers = workers();
    CompactionQueue.Request question = question(request);
    asked.increment();
    synchronized (queue) {
      List<Worker> best =
          queue.ask(question, request.getLast(), workers, EnvironmentEdgeManager.currentTime());
      if (!best.isEmpty()) {
        placed.increment();
      }
      return PlaceAnswer.of(best, queue.waitingCount());
    }
  }

  private List<Worker> workers() {
    List<StorageNode> answering = nodes.answering();
    // A master may be cut off from daemons that region servers reach.
    return (answering.isEmpty() ? nodes.live() : answering)
        .stream().map(StorageNode::worker).toList();
  }

  /** Shows who waits, and for what. */
  void show(Exposition exposition) {
    exposition.show(Metric.MANAGER_WAITING, () -> waiting().size());
    exposition.show(Metric.MANAGER_ASKED, asked::sum);
    exposition.show(Metric.MANAGER_PLACED, placed::sum);
    exposition.show(
        Metric.MANAGER_WORKERS,
        () -> workers().stream().filter(worker -> worker.slots() > 0).count());
    exposition.show(
        Metric.MANAGER_SLOTS,
        () ->
            workers().stream().filter(worker -> !worker.draining()).mapToInt(Worker::slots).sum());
    exposition.show(
        Metric.MANAGER_RUNNING, () -> workers().stream().mapToInt(Worker::running).sum());
  }

  /** For people. */
  ManagerPage page(String title, Exposition exposition) {
    return new ManagerPage(title, exposition, this::waiting, this::workers);
  }

  /** Those that wait now, the most urgent first. */
  private List<CompactionQueue.Request> waiting() {
    synchronized (queue) {
      return queue.waiting(EnvironmentEdgeManager.currentTime());
    }
  }

  // Copies the texts: the RPC's buffer, into which they point, is used anew after the call.
  private static CompactionQueue.Request question(PlaceRequest request) {
    return new CompactionQueue.Request(
        request.getTicketBytes().toStringUtf8(),
        request.getStoreBytes().toStringUtf8(),
        request.getBytes(),
        request.getHeldList().stream()
            .collect(
                Collectors.toMap(
                    held -> held.getWorkerBytes().toStringUtf8(), Held::getBytes, Long::sum)),
        request.getPressure(),
        request.getDeletes(),
        request.getAvoidedList().asByteStringList().stream()
            .map(ByteString::toStringUtf8)
            .collect(Collectors.toSet()));
  }

  private static PlaceResponse refusal(Code code, String message) {
    return PlaceResponse.newBuilder().setCode(code).setMessage(message).build();
  }
}
