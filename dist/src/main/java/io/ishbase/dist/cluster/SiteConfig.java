package io.ishbase.dist.cluster;

import static io.ishbase.dist.cluster.Ports.Port.*;

import io.ishbase.cluster.ClusterNeeds.RegionServer;
import io.ishbase.protocol.metrics.InfoPages;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** Writes the configuration of every server of a local cluster, and of its clients. */
public final class SiteConfig {
  /** What a server must have as it is written here, or it finds no other. */
  /** HBase's own default for these two wants native libraries of Hadoop. */
  private static final Map<String, String> CODECS =
      Map.of(
          "hbase.io.compress.zstd.codec",
          "org.apache.hadoop.hbase.io.compress.zstd.ZstdCodec",
          "hbase.io.compress.snappy.codec",
          "org.apache.hadoop.hbase.io.compress.xerial.SnappyCodec");

  private static final String COPROCESSORS = "hbase.coprocessor.";
  private static final String ACCESS_CONTROLLER =
      "org.apache.hadoop.hbase.security.access.AccessController";

  private static final Pattern FIXED =
      Pattern.compile(
          "fs\\.defaultFS|hbase\\.(rootdir|tmp\\.dir|cluster\\.distributed)"
              + "|hbase\\.zookeeper\\.(quorum|property\\.clientPort)|zookeeper\\.znode\\.parent"
              + "|hbase\\.(master|regionserver)\\.((info\\.)?port|hostname|ipc\\.address)"
              + "|hbase\\.(master|regionserver)\\.info\\.bindAddress"
              + "|ishbase\\.issn\\.((info\\.)?port|hostname|bind\\.address|datanode)"
              + "|dfs\\.(datanode|namenode)\\..*(address|hostname|bind-host|dir)");

  private static final String LOG4J =
      """
      rootLogger.level = info
      rootLogger.appenderRef.out.ref = out
      appender.out.type = Console
      appender.out.name = out
      appender.out.layout.type = PatternLayout
      appender.out.layout.pattern = %d{ISO8601} %-5p [%t] %c{2}: %m%n
      logger.blocks.name = BlockStateChange
      logger.blocks.level = warn
      """;

  private final ClusterFiles files;
  private final Network network;
  private final Ports ports;
  private final ClusterOptions options;
  private final Optional<Realm> realm;
  private final Optional<SecuredSite> secured;

  SiteConfig(ClusterFiles files, Network network, Ports ports, ClusterOptions options) {
    this.files = files;
    this.network = network;
    this.ports = ports;
    this.options = options;
    this.realm = options.secured() ? Optional.of(new Realm(files)) : Optional.empty();
    this.secured = realm.map(SecuredSite::new);
  }

  /** Whether a property is not for the user to choose. */
  public static boolean isFixed(String key) {
    return FIXED.matcher(key).matches();
  }

  void write() throws IOException {
    ClusterFiles.delete(files.root().resolve("conf"));
    ClusterFiles.delete(files.root().resolve("work"));
    writeNode("compute", computeHdfs(), computeHBase());
    for (int number = 1; number <= options.regionServers().size(); number++) {
      writeNode("rs" + number, hdfs(), regionServer(number));
    }
    for (int node = 1; node <= options.storageNodes(); node++) {
      writeNode("s" + node, dataNode(node), daemon(node));
    }
    for (int number = 1; number <= options.compactionServers(); number++) {
      writeNode("w" + number, hdfs(), compactionServer(number));
    }
    writeClient();
    Files.writeString(
        files.conf("compute").resolve("zoo.cfg"),
        "tickTime=2000\nmaxClientCnxns=0\nadmin.enableServer=false\nclientPort="
            + ports.of(ZOOKEEPER)
            + (network.hasOwnPorts() ? "" : "\nclientPortAddress=" + bindAddress())
            + "\ndataDir="
            + files.data("zookeeper")
            + "\n"
            + (options.secured() ? SecuredSite.zooKeeper() : ""));
    Files.writeString(files.hosts(), hosts());
    if (realm.isPresent()) {
      realm.get().write(ports.of(KDC));
    }
  }

  private void writeClient() throws IOException {
    Path conf = files.conf("client");
    Map<String, Object> hbase = client();
    hbase.put("hbase.rootdir", rootDir());
    secured.map(SecuredSite::client).ifPresent(hbase::putAll);
    ClusterFiles.writeXml(conf.resolve("core-site.xml"), core());
    writeTls(conf);
    ClusterFiles.writeXml(conf.resolve("hdfs-site.xml"), hdfs());
    ClusterFiles.writeXml(conf.resolve("hbase-site.xml"), hbase);
  }

  private void writeNode(String node, Map<String, Object> hdfs, Map<String, Object> hbase)
      throws IOException {
    Path conf = files.conf(node);
    Map<String, Object> core = core();
    core.put("hadoop.tmp.dir", files.work(node));
    ClusterFiles.writeXml(conf.resolve("core-site.xml"), core);
    writeTls(conf);
    ClusterFiles.writeXml(conf.resolve("hdfs-site.xml"), hdfs);
    ClusterFiles.writeXml(conf.resolve("hbase-site.xml"), hbase);
    Files.writeString(conf.resolve("log4j2.properties"), LOG4J);
    // What /jmx shows is no older than this many seconds.
    Files.writeString(conf.resolve("hadoop-metrics2-hbase.properties"), "*.period=1\n");
    // The jars hold no web applications, and the servers end if there are none.
    for (String application :
        List.of(
            "webapps/hdfs",
            "webapps/datanode",
            "hbase-webapps/master",
            "hbase-webapps/regionserver",
            "hbase-webapps/issn",
            "hbase-webapps/static")) {
      Files.createDirectories(conf.resolve(application));
    }
  }

  private void writeTls(Path conf) throws IOException {
    if (realm.isPresent()) {
      KeyStore keys = new KeyStore(realm.get().dir());
      ClusterFiles.writeXml(conf.resolve("ssl-server.xml"), keys.server());
      ClusterFiles.writeXml(conf.resolve("ssl-client.xml"), keys.client());
    }
  }

  private Map<String, Object> core() {
    Map<String, Object> conf = new LinkedHashMap<>();
    conf.put("fs.defaultFS", fileSystem());
    secured.map(SecuredSite::core).ifPresent(conf::putAll);
    return conf;
  }

  private String fileSystem() {
    return "hdfs://" + network.computeAddress() + ":" + ports.of(NAMENODE);
  }

  private String rootDir() {
    return fileSystem() + "/hbase";
  }

  private Map<String, Object> hdfs() {
    Map<String, Object> conf = new LinkedHashMap<>();
    conf.put("dfs.replication", 1);
    conf.put(
        "dfs.namenode.http" + (options.secured() ? "s-address" : "-address"),
        network.computeAddress() + ":" + ports.of(NAMENODE_HTTP));
    secured.map(SecuredSite::hdfs).ifPresent(conf::putAll);
    conf.put("dfs.client.use.datanode.hostname", false);
    conf.put("dfs.datanode.use.datanode.hostname", false);
    options
        .site()
        .forEach(
            (key, value) -> {
              if (key.startsWith("dfs.")) {
                conf.put(key, value);
              }
            });
    return conf;
  }

  private Map<String, Object> computeHdfs() {
    Map<String, Object> conf = hdfs();
    conf.put("dfs.namenode.rpc-bind-host", bindAddress());
    conf.put("dfs.namenode.http-bind-host", bindAddress());
    secured.map(SecuredSite::hdfsServer).ifPresent(conf::putAll);
    conf.put("dfs.namenode.name.dir", "file://" + files.data("namenode"));
    conf.put("dfs.namenode.datanode.registration.ip-hostname-check", false);
    conf.put("dfs.namenode.safemode.extension", 0);
    return conf;
  }

  private Map<String, Object> dataNode(int node) {
    String address = network.storageAddress(node) + ":";
    Map<String, Object> conf = hdfs();
    // HDFS's client knows a favoured node by the name that it finds for its address.
    conf.put("dfs.datanode.hostname", network.hasOwnPorts() ? "s" + node : "localhost");
    conf.put("dfs.datanode.address", address + port(DATANODE_1, node));
    conf.put(
        "dfs.datanode.http" + (options.secured() ? "s" : "") + ".address",
        address + port(DATANODE_HTTP_1, node));
    conf.put("dfs.datanode.ipc.address", address + port(DATANODE_IPC_1, node));
    conf.put("dfs.datanode.data.dir", "file://" + files.data("datanode-" + node));
    conf.put(
        "dfs.block.local-path-access.user",
        options.secured() ? Realm.HBASE : System.getProperty("user.name"));
    secured.map(SecuredSite::hdfsServer).ifPresent(conf::putAll);
    return conf;
  }

  private Map<String, Object> computeHBase() {
    Map<String, Object> conf = client();
    conf.put("hbase.rootdir", rootDir());
    conf.put("hbase.cluster.distributed", true);
    conf.put("hbase.tmp.dir", files.work("hbase"));
    conf.put("zookeeper.session.timeout", 30_000);
    serve(conf, "master", network.clientAddress(), MASTER, MASTER_INFO);
    conf.put("hbase.master.wait.on.regionservers.mintostart", options.regionServers().size());
    conf.put("hbase.master.wait.on.regionservers.timeout", 1000);
    conf.put("hbase.master.wait.on.regionservers.interval", 200);
    conf.put("hbase.hregion.impl", "io.ishbase.plugin.regionserver.InStorageRegion");
    conf.put(InfoPages.SETTING, InfoPages.WITH_HBASES_OWN);
    conf.put(
        "hbase.hstore.defaultengine.compactor.class",
        "io.ishbase.plugin.compaction.OffloadingCompactor");
    conf.put(
        "hbase.hstore.mobengine.compactor.class",
        "io.ishbase.plugin.compaction.OffloadingMobCompactor");
    conf.put(
        COPROCESSORS + "master.classes",
        (options.secured() ? ACCESS_CONTROLLER + "," : "")
            + "io.ishbase.plugin.master.CompactionManager");
    if (options.secured()) {
      conf.put(COPROCESSORS + "region.classes", ACCESS_CONTROLLER);
      conf.put(COPROCESSORS + "regionserver.classes", ACCESS_CONTROLLER);
    }
    secured.map(SecuredSite::hbaseServer).ifPresent(conf::putAll);
    conf.putAll(CODECS);
    conf.put("ishbase.manager.port", 0);
    conf.put("ishbase.read", options.readMode());
    // Benchmarks read tables that say nothing, either way.
    conf.put("ishbase.placement", true);
    conf.putAll(options.site());
    return conf;
  }

  private Map<String, Object> regionServer(int number) {
    RegionServer own = options.regionServers().get(number - 1);
    Map<String, Object> conf = computeHBase();
    conf.put("hbase.tmp.dir", files.work("rs" + number));
    serve(
        conf,
        "regionserver",
        network.regionServerAddress(number),
        Ports.Port.ofNode(REGIONSERVER_1, number),
        Ports.Port.ofNode(REGIONSERVER_INFO_1, number));
    conf.put("hfile.block.cache.size", share(own.blockCacheBytes(), own.heapMb()));
    conf.putAll(own.site());
    return conf;
  }

  /** All addresses of a namespace; of the machine the one that nobody else reaches. */
  private String bindAddress() {
    return network.hasOwnPorts() ? "0.0.0.0" : "127.0.0.1";
  }

  private void serve(
      Map<String, Object> conf, String role, String address, Ports.Port rpc, Ports.Port info) {
    conf.put("hbase." + role + ".hostname", address);
    conf.put("hbase." + role + ".ipc.address", bindAddress());
    conf.put("hbase." + role + ".info.bindAddress", bindAddress());
    conf.put("hbase." + role + ".port", ports.of(rpc));
    conf.put("hbase." + role + ".info.port", ports.of(info));
  }

  private Map<String, Object> daemon(int node) {
    Map<String, Object> conf = daemon("s" + node, network.storageAddress(node));
    conf.put(
        "hfile.block.cache.size",
        share(options.daemons().blockCacheBytes(), options.daemons().heapMb()));
    // Reads the DataNode's files without a detour; the variant that needs no native library.
    conf.put("dfs.client.read.shortcircuit", true);
    conf.put("dfs.client.use.legacy.blockreader.local", true);
    conf.put("ishbase.issn.port", port(ISSN_1, node));
    conf.put("ishbase.issn.info.port", port(ISSN_INFO_1, node));
    conf.put("ishbase.issn.datanode", network.storageAddress(node) + ":" + port(DATANODE_1, node));
    conf.putAll(options.daemons().site());
    return conf;
  }

  private Map<String, Object> compactionServer(int number) {
    Map<String, Object> conf = daemon("w" + number, network.compactionServerAddress(number));
    conf.put("ishbase.issn.port", port(WORKER_1, number));
    conf.put("ishbase.issn.info.port", port(WORKER_INFO_1, number));
    conf.put("ishbase.issn.datanode", "none");
    return conf;
  }

  private Map<String, Object> daemon(String node, String address) {
    Map<String, Object> conf = new LinkedHashMap<>();
    conf.put("hbase.zookeeper.quorum", network.computeAddress());
    conf.put("hbase.zookeeper.property.clientPort", ports.of(ZOOKEEPER));
    conf.put("zookeeper.session.timeout", 30_000);
    conf.put("hbase.rootdir", rootDir());
    conf.put("hbase.cluster.distributed", true);
    conf.put("hbase.tmp.dir", files.work(node));
    conf.putAll(CODECS);
    secured.map(SecuredSite::hbaseServer).ifPresent(conf::putAll);
    conf.put("ishbase.issn.hostname", address);
    conf.put("ishbase.issn.bind.address", address);
    return conf;
  }

  private static double share(long bytes, int heapMb) {
    return (double) bytes / ((long) heapMb << 20);
  }

  private int port(Ports.Port first, int node) {
    return ports.of(Ports.Port.ofNode(first, node));
  }

  private Map<String, Object> client() {
    Map<String, Object> conf = new LinkedHashMap<>();
    conf.put("hbase.zookeeper.quorum", network.clientAddress());
    conf.put("hbase.zookeeper.property.clientPort", ports.of(ZOOKEEPER));
    return conf;
  }

  // The servers ask for names by the addresses they see. No name server must be in the way.
  private String hosts() {
    StringBuilder hosts = new StringBuilder("127.0.0.1 localhost\n");
    try {
      hosts.append("127.0.0.1 ").append(InetAddress.getLocalHost().getHostName()).append('\n');
    } catch (UnknownHostException e) {
      // Then no server finds it either.
    }
    if (network.hasOwnPorts()) {
      hosts.append(network.clientAddress()).append(" client-side\n");
      hosts.append(network.computeAddress()).append(" compute\n");
      for (int number = 2; number <= options.regionServers().size(); number++) {
        hosts.append(network.regionServerAddress(number)).append(" rs").append(number).append('\n');
      }
      for (int node = 1; node <= options.storageNodes(); node++) {
        hosts.append(network.storageAddress(node)).append(" s").append(node).append('\n');
      }
      for (int number = 1; number <= options.compactionServers(); number++) {
        hosts.append(network.compactionServerAddress(number)).append(" w").append(number);
        hosts.append('\n');
      }
    }
    return hosts.toString();
  }
}
