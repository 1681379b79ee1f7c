package io.ishbase.dist.doctor;

import io.ishbase.cluster.Progress;
import io.ishbase.cluster.WebPages;
import io.ishbase.core.Setting;
import io.ishbase.dist.doctor.ClusterFacts.Daemon;
import io.ishbase.dist.doctor.ClusterFacts.Master;
import io.ishbase.dist.doctor.ClusterFacts.RegionServer;
import io.ishbase.dist.doctor.ClusterFacts.Table;
import io.ishbase.dist.doctor.RegistryReader.Registered;
import io.ishbase.plugin.node.DaemonClient;
import io.ishbase.protocol.generated.IssnProtos.DaemonInfo;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.ClusterMetrics;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.ServerMetrics;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hbase.thirdparty.com.google.common.util.concurrent.ThreadFactoryBuilder;
import org.jspecify.annotations.Nullable;

/**
 * Gathers the facts of a cluster: asks the master, then all region servers, then all daemons, many
 * at once. Nobody is waited for longer than half a minute, and who does not answer is a fact.
 */
public final class FactsGatherer implements AutoCloseable {
  private static final int AT_ONCE = 16;
  private static final int LIMIT_SECONDS = 30;
  private static final long SILENCE_NANOS = TimeUnit.SECONDS.toNanos(5);
  private static final String OWN = "ishbase.";

  private final Admin admin;
  private final Configuration conf;
  private final WebPages pages;

  /** Why HDFS is not asked any more; null: it is. */
  private @Nullable String silence;

  private final ExecutorService threads =
      Executors.newFixedThreadPool(
          AT_ONCE, new ThreadFactoryBuilder().setDaemon(true).setNameFormat("doctor-%d").build());

  /**
   * For the cluster of {@code admin}.
   *
   * @param conf a client's; where it says nothing of HDFS a region server's page does
   */
  public FactsGatherer(Admin admin, Configuration conf) {
    this.admin = admin;
    this.conf = new Configuration(conf);
    this.pages = WebPages.ofHBase(conf);
    // Whoever does not answer is found out, not waited for.
    this.conf.setInt("ipc.client.connect.max.retries", 1);
    this.conf.setInt("ipc.client.connect.max.retries.on.timeouts", 1);
    this.conf.setInt("ipc.client.connect.timeout", 5_000);
    this.conf.setInt("dfs.client.failover.max.attempts", 3);
  }

  /**
   * The facts, as they are now.
   *
   * @throws IOException if the master does not answer
   */
  public ClusterFacts gather() throws IOException {
    ClusterMetrics metrics =
        admin.getClusterMetrics(
            EnumSet.of(
                ClusterMetrics.Option.HBASE_VERSION,
                ClusterMetrics.Option.MASTER,
                ClusterMetrics.Option.MASTER_COPROCESSORS,
                ClusterMetrics.Option.LIVE_SERVERS));
    Map<ServerName, ServerMetrics> live = metrics.getLiveServerMetrics();
    Seen<Registered> registered = ServerLook.seen(() -> RegistryReader.read(conf));
    Map<String, String> releases = registered.value().map(Registered::releases).orElse(Map.of());
    Function<ServerName, String> release =
        server -> releases.getOrDefault(server.toString(), ClusterFacts.UNKNOWN);
    List<RegionServer> regionServers =
        inParallel(
            "looking at region servers",
            List.copyOf(live.keySet()),
            server ->
                ServerLook.regionServer(pages, server, live.get(server), release.apply(server)),
            (server, why) -> ServerLook.unseen(server, release.apply(server), why));
    regionServers.stream()
        .flatMap(server -> server.settings().value().stream())
        .findFirst()
        .ifPresent(settings -> HdfsSettings.complete(conf, settings));
    Map<String, DaemonInfo> infos = registered.value().map(Registered::daemons).orElse(Map.of());
    Map<String, String> dataNodes = dataNodes(infos);
    StoredFiles files = new StoredFiles(conf);
    Seen<List<String>> liveDataNodes = ofHdfs(files::dataNodes);
    dataNodes.replaceAll((name, address) -> files.address(infos.get(name).getDatanode(), address));
    Set<String> atDaemons = new HashSet<>(dataNodes.values());
    infos.values().forEach(info -> atDaemons.add(info.getDatanode()));
    List<Table> tables = tables(regionServers, files, atDaemons);
    return new ClusterFacts(
        new Master(
            metrics.getMasterName().getHostname() + "," + metrics.getMasterName().getPort(),
            Objects.requireNonNullElse(metrics.getHBaseVersion(), ClusterFacts.UNKNOWN),
            metrics.getMasterCoprocessorNames()),
        regionServers,
        registered.whyNot(),
        registered.value().map(Registered::hasManager).orElse(false),
        daemons(infos, dataNodes, files),
        liveDataNodes,
        tables);
  }

  private Map<String, String> dataNodes(Map<String, DaemonInfo> infos) {
    Map<String, String> dataNodes = new TreeMap<>();
    // Names may have to be looked up, one after the other: there are no more than machines.
    infos.forEach((name, info) -> dataNodes.put(name, DaemonLook.dataNode(info)));
    return dataNodes;
  }

  private List<Daemon> daemons(
      Map<String, DaemonInfo> infos, Map<String, String> dataNodes, StoredFiles files)
      throws IOException {
    if (conf.get(HConstants.HBASE_DIR) == null) {
      return infos.keySet().stream()
          .map(name -> unseen(name, infos.get(name), dataNodes.get(name), StoredFiles.NO_ROOT))
          .toList();
    }
    try (DaemonClient client = new DaemonClient(conf)) {
      DaemonLook look = new DaemonLook(client, pages);
      return inParallel(
          "asking daemons",
          List.copyOf(infos.keySet()),
          name ->
              look.at(
                  name, infos.get(name), dataNodes.get(name), files.example(dataNodes.get(name))),
          (name, why) -> unseen(name, infos.get(name), dataNodes.get(name), why));
    }
  }

  private static Daemon unseen(String name, DaemonInfo info, String dataNode, String why) {
    return new Daemon(
        name,
        "",
        info.getRelease(),
        info.getVersion(),
        dataNode,
        info.getWorker().getSlots(),
        new ClusterFacts.Answer(ClusterFacts.Answer.Kind.SILENT, why),
        ClusterFacts.Trial.NONE,
        Seen.not(why),
        Seen.not(why),
        Seen.not(why));
  }

  private List<Table> tables(List<RegionServer> servers, StoredFiles files, Set<String> atDaemons)
      throws IOException {
    String site =
        servers.stream()
            .map(server -> server.setting(Setting.READ.key()))
            .filter(mode -> !mode.isEmpty())
            .findFirst()
            .orElse(Setting.READ.defaultValue());
    List<Table> tables = new ArrayList<>();
    for (TableDescriptor descriptor : admin.listTableDescriptors()) {
      Map<String, Map<String, String>> families = new LinkedHashMap<>();
      for (ColumnFamilyDescriptor family : descriptor.getColumnFamilies()) {
        Map<String, String> own = own(family.getValues());
        family
            .getConfiguration()
            .forEach(
                (key, value) -> {
                  if (isToBeKnown(key)) {
                    own.putIfAbsent(key, value);
                  }
                });
        families.put(family.getNameAsString(), own);
      }
      Table table =
          new Table(
              descriptor.getTableName().getNameAsString(),
              own(descriptor.getValues()),
              families,
              Seen.not(""));
      tables.add(
          table.isReadInStorage(site)
              ? new Table(
                  table.name(),
                  table.values(),
                  families,
                  ofHdfs(() -> files.of(descriptor.getTableName(), atDaemons)))
              : table);
    }
    return tables;
  }

  private static Map<String, String> own(Map<Bytes, Bytes> values) {
    Map<String, String> own = new TreeMap<>();
    values.forEach(
        (key, value) -> {
          String name = Bytes.toString(key.copyBytes());
          if (isToBeKnown(name)) {
            own.put(name, Bytes.toString(value.copyBytes()));
          }
        });
    return own;
  }

  private static boolean isToBeKnown(String key) {
    return key.startsWith(OWN) || ClusterFacts.Table.OF_HBASE.contains(key);
  }

  /**
   * What HDFS says. It is asked one thing after the other: once it has kept a question waiting in
   * vain, no more.
   */
  private <T> Seen<T> ofHdfs(Callable<T> question) {
    if (silence != null) {
      return Seen.not(silence);
    }
    long begun = System.nanoTime();
    Seen<T> seen = within(threads.submit(question));
    if (seen.value().isEmpty() && System.nanoTime() - begun > SILENCE_NANOS) {
      silence = seen.whyNot();
    }
    return seen;
  }

  private static <T> Seen<T> within(Future<T> answer) {
    try {
      return Seen.of(answer.get(LIMIT_SECONDS, TimeUnit.SECONDS));
    } catch (ExecutionException e) {
      return Seen.not(ServerLook.first(e.getCause()));
    } catch (TimeoutException e) {
      answer.cancel(true);
      return Seen.not("no answer in " + LIMIT_SECONDS + " s");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Seen.not("interrupted");
    }
  }

  /** What became of one that was not heard of in time. */
  private interface Otherwise<K, V> {
    V of(K server, String why);
  }

  private <K, V> List<V> inParallel(
      String what, List<K> servers, Function<K, V> look, Otherwise<K, V> otherwise) {
    List<V> all = new ArrayList<>();
    try (Progress progress = new Progress(what, servers.size())) {
      Map<K, Future<V>> looks = new LinkedHashMap<>();
      for (K server : servers) {
        looks.put(server, threads.submit(() -> look.apply(server)));
      }
      looks.forEach(
          (server, answer) -> {
            Seen<V> seen = within(answer);
            all.add(seen.value().orElseGet(() -> otherwise.of(server, seen.whyNot())));
            progress.add(1);
          });
    }
    return all;
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
