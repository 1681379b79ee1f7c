package io.ishbase.dist.cluster;

import io.ishbase.cluster.ClusterNeeds;
import io.ishbase.cluster.ClusterNeeds.RegionServer;
import io.ishbase.core.Patience;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Starts the server processes of a local cluster, each with a log file of its own. */
final class ServerLauncher {
  /** For servers off the path of the data: only the quick compiler, so that they start sooner. */
  private static final List<String> QUICK = List.of("-XX:TieredStopAtLevel=1");

  static final int COMPACTION_SERVER_HEAP_MB = 512;

  private final ClusterFiles files;
  private final Network network;
  private final ClusterOptions options;
  private final Optional<Installed> installed;

  ServerLauncher(ClusterFiles files, Network network, ClusterOptions options) {
    this(files, network, options, Optional.empty());
  }

  /** Starts HBase's servers and the daemons from what is installed, if it says what. */
  ServerLauncher(
      ClusterFiles files, Network network, ClusterOptions options, Optional<Installed> installed) {
    this.files = files;
    this.network = network;
    this.options = options;
    this.installed = installed;
  }

  /** The process that issues tickets; {@code port} is where it listens. */
  Process kdc(int port) throws IOException {
    return onCompute("kdc", 96, Kdc.class.getName(), files.secrets().toString(), "" + port);
  }

  Process zooKeeper() throws IOException {
    return onCompute(
        "zookeeper",
        128,
        "org.apache.zookeeper.server.quorum.QuorumPeerMain",
        files.conf("compute").resolve("zoo.cfg").toString());
  }

  /** A process that makes an empty file system and ends. */
  Process nameNodeFormat() throws IOException {
    return onCompute(
        "namenode-format",
        256,
        "org.apache.hadoop.hdfs.server.namenode.NameNode",
        "-format",
        "-nonInteractive");
  }

  Process nameNode() throws IOException {
    return onCompute("namenode", 256, "org.apache.hadoop.hdfs.server.namenode.NameNode");
  }

  Process dataNode(int node) throws IOException {
    return onStorage(
        node, "datanode-" + node, 256, "org.apache.hadoop.hdfs.server.datanode.DataNode");
  }

  Process master() throws IOException {
    return onCompute("master", 384, "org.apache.hadoop.hbase.master.HMaster", "start");
  }

  Process regionServer(int number) throws IOException {
    RegionServer own = options.regionServers().get(number - 1);
    List<String> flags = new ArrayList<>(List.of("-Xmx" + own.heapMb() + "m"));
    flags.addAll(own.jvmFlags());
    return start(
        "regionserver-" + number,
        network.inRegionServer(number),
        files.conf("rs" + number),
        flags,
        "org.apache.hadoop.hbase.regionserver.HRegionServer",
        "start");
  }

  Process daemon(int node) throws IOException {
    if (installed.isPresent()) {
      return startInstalled(node, installed.get());
    }
    ClusterNeeds.Daemon own = options.daemons();
    return daemon(
        "issn-" + node, network.inStorage(node), "s" + node, own.heapMb(), own.jvmFlags());
  }

  Process compactionServer(int number) throws IOException {
    return daemon(
        "compaction-server-" + number,
        network.inCompactionServer(number),
        "w" + number,
        COMPACTION_SERVER_HEAP_MB,
        List.of());
  }

  private Process daemon(
      String name, List<String> prefix, String node, int heapMb, List<String> jvmFlags)
      throws IOException {
    List<String> flags = new ArrayList<>(List.of("-Xmx" + heapMb + "m"));
    flags.addAll(jvmFlags);
    List<String> command = new ArrayList<>(List.of("io.ishbase.daemon.Issn", "start"));
    if (options.ownClocks()) {
      command.set(0, OwnClock.class.getName());
      command.add(1, files.clock(name).toString());
      new OwnClock(files.clock(name)).set(Duration.ZERO);
    }
    return start(name, prefix, files.conf(node), flags, command.toArray(String[]::new));
  }

  /**
   * A client in a JVM of its own.
   *
   * @param classPath what it needs beside the cluster's client configuration
   */
  Process client(String name, String classPath, int heapMb, List<String> mainAndArguments)
      throws IOException {
    List<String> flags = new ArrayList<>(List.of("-Xmx" + heapMb + "m"));
    flags.add("-Dlog4j2.configurationFile=" + files.conf("compute").resolve("log4j2.properties"));
    return start(name, List.of(), files.conf("client") + ":" + classPath, flags, mainAndArguments);
  }

  private Process onCompute(String name, int heapMb, String... mainAndArguments)
      throws IOException {
    return start(
        name, network.inCompute(), files.conf("compute"), small(heapMb, QUICK), mainAndArguments);
  }

  private Process onStorage(int node, String name, int heapMb, String... mainAndArguments)
      throws IOException {
    return start(
        name,
        network.inStorage(node),
        files.conf("s" + node),
        small(heapMb, List.of()),
        mainAndArguments);
  }

  private static List<String> small(int heapMb, List<String> more) {
    List<String> flags = new ArrayList<>(List.of("-Xmx" + heapMb + "m", "-XX:+UseSerialGC"));
    flags.addAll(more);
    return flags;
  }

  private Process start(
      String name,
      List<String> prefix,
      Path conf,
      List<String> heapFlags,
      String... mainAndArguments)
      throws IOException {
    boolean isHBase = mainAndArguments[0].startsWith("org.apache.hadoop.hbase.");
    String jars =
        installed.filter(any -> isHBase).map(Installed::classPath).orElse(files.lib() + "/*");
    return start(name, prefix, conf + ":" + jars, heapFlags, List.of(mainAndArguments));
  }

  private Process start(
      String name,
      List<String> prefix,
      String classPath,
      List<String> heapFlags,
      List<String> mainAndArguments)
      throws IOException {
    Path workDir = files.work(name);
    List<String> command = new ArrayList<>(prefix);
    // A session of its own: the terminal's Ctrl-C is for us, who then end the servers in order.
    command.add("setsid");
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(heapFlags);
    command.addAll(JvmFlags.all());
    command.addAll(Patience.jvmFlags());
    // Leaves nothing in the machine's directory for temporary files.
    command.add("-XX:-UsePerfData");
    command.add("-Djava.io.tmpdir=" + workDir);
    command.add("-Djdk.net.hosts.file=" + files.hosts());
    if (options.secured()) {
      Realm realm = new Realm(files);
      command.add("-Djava.security.krb5.conf=" + realm.krb5Conf());
      if (name.equals("zookeeper")) {
        command.add("-Djava.security.auth.login.config=" + realm.zooKeeperJaas());
      }
    }
    command.add("-Dishbase.server=" + name);
    command.add("-cp");
    command.add(classPath);
    command.addAll(mainAndArguments);
    return start(name, new ProcessBuilder(command));
  }

  private Process startInstalled(int node, Installed release) throws IOException {
    String name = "issn-" + node;
    Path workDir = files.work(name);
    List<String> command = new ArrayList<>(network.inStorage(node));
    command.add("setsid");
    command.add(release.release().resolve("bin/issn").toString());
    command.add("start");
    ProcessBuilder builder = new ProcessBuilder(command);
    Map<String, String> environment = builder.environment();
    environment.put("HBASE_HOME", release.hbaseHome().toString());
    environment.put("HBASE_CONF_DIR", files.conf("s" + node).toString());
    environment.put("JAVA_HOME", System.getProperty("java.home"));
    environment.put("ISSN_HEAP", options.daemons().heapMb() + "m");
    environment.put("ISSN_PID_DIR", workDir.toString());
    environment.put(
        "ISSN_OPTS",
        String.join(" ", options.daemons().jvmFlags())
            + " "
            + String.join(" ", Patience.jvmFlags())
            + " -XX:-UsePerfData -Djava.io.tmpdir="
            + workDir
            + " -Djdk.net.hosts.file="
            + files.hosts());
    return start(name, builder);
  }

  private Process start(String name, ProcessBuilder builder) throws IOException {
    Path workDir = files.work(name);
    Files.createDirectories(workDir);
    Files.createDirectories(files.logs());
    LogExcerpt.begin(files.log(name));
    Process process =
        builder
            .directory(workDir.toFile())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(files.log(name).toFile()))
            .start();
    process.getOutputStream().close();
    return process;
  }
}
