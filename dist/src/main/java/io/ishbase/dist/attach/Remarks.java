package io.ishbase.dist.attach;

import io.ishbase.core.Setting;
import io.ishbase.core.sizing.DirectMemory;
import io.ishbase.dist.SupportedHBase;
import io.ishbase.dist.SupportedHBase.Standing;
import io.ishbase.dist.attach.Wanted.ShortCircuit;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** What is not in the way of an attachment, and its operator should know. */
final class Remarks {
  private static final String MIN_LOCALITY = "hbase.hstore.min.locality.to.skip.major.compact";
  private static final List<String> TUNER =
      List.of(
          "hbase.regionserver.global.memstore.size.max.range",
          "hbase.regionserver.global.memstore.size.min.range",
          "hfile.block.cache.size.max.range",
          "hfile.block.cache.size.min.range");
  private static final List<String> ENGINES =
      List.of(
          "",
          "org.apache.hadoop.hbase.regionserver.DefaultStoreEngine",
          "org.apache.hadoop.hbase.regionserver.StripeStoreEngine",
          "org.apache.hadoop.hbase.regionserver.DateTieredStoreEngine");

  private Remarks() {}

  /** Whether HBase itself moves memory between memstores and block cache. */
  static boolean heapIsTuned(ExistingConfig config) {
    return TUNER.stream().anyMatch(key -> !config.get(key).isEmpty());
  }

  /** Those of a configuration, a line each. */
  static List<String> of(ExistingConfig config, Wanted wanted) {
    List<String> remarks = new ArrayList<>();
    if (config.release().isEmpty()) {
      remarks.add(
          "Which HBase this is cannot be seen here (`hbase version`): IS-HBase is for "
              + SupportedHBase.RANGE
              + ", and is tested with "
              + SupportedHBase.TESTED
              + ".");
    }
    config
        .release()
        .filter(release -> SupportedHBase.of(release) == Standing.UNTESTED)
        .flatMap(SupportedHBase::objection)
        .ifPresent(objection -> remarks.add(objection + "."));
    remarks.add("All servers run on Java 17 or later.");
    security(config, remarks);
    encryption(config, remarks);
    memory(config, wanted, remarks);
    String engine = config.get("hbase.hstore.engine.class");
    if (!ENGINES.contains(engine)) {
      remarks.add(
          "hbase.hstore.engine.class = "
              + engine
              + ": its stores are read in-storage, but have no segment cache and keep their"
              + " compactions.");
    }
    String leastLocality = config.known(MIN_LOCALITY);
    if (leastLocality != null && !leastLocality.matches("0*\\.?0*")) {
      remarks.add(
          MIN_LOCALITY
              + " = "
              + leastLocality
              + ": files of tables that are read or compacted in-storage lie at a home that is not"
              + " chosen by the region server, so HBase would compact each store anew, each period;"
              + " 0 for those tables.");
    }
    if (Changes.isLeft(config, wanted)) {
      remarks.add(
          "Daemons read the blocks beside them over the loopback interface: --short-circuit"
              + " domain-socket, or legacy, spares that, and changes the DataNodes.");
    } else if (wanted.shortCircuit() == ShortCircuit.DOMAIN_SOCKET) {
      remarks.add(
          "With dfs.domain.socket.path a DataNode does not start unless it has Hadoop's native library"
              + " (`hadoop checknative`), and the socket's directory is there and its user's."
              + " --short-circuit legacy does without either.");
    }
    remarks.add(
        "Clients that open regions themselves (snapshots, map-reduce over snapshots) and REST and"
            + " Thrift servers must not get this hbase-site.xml without the jars: they would not"
            + " start.");
    return remarks;
  }

  private static void security(ExistingConfig config, List<String> remarks) {
    if (!Obstacles.isSecured(config)) {
      remarks.add(
          "Without Kerberos whoever reaches a daemon may read HBase's files: let only HBase's"
              + " servers and operators reach ports 16060 to 16062.");
      return;
    }
    if (config.get("hbase.zookeeper.client.keytab.file").isEmpty()) {
      remarks.add(
          "hbase.zookeeper.client.keytab.file is not set: give daemons the JAAS configuration with"
              + " which region servers log in to ZooKeeper.");
    }
    if (config.get("hadoop.security.authorization").equals("true")) {
      remarks.add(
          "Service authorization is on: security.ishbase.protocol.acl in hbase-policy.xml says who"
              + " may call daemons and the compaction manager; without it everybody may who has"
              + " logged in.");
    }
  }

  private static void encryption(ExistingConfig config, List<String> remarks) {
    boolean isEncrypted =
        config.get("dfs.encrypt.data.transfer").equals("true")
            || config.get("dfs.data.transfer.protection").contains("privacy")
            || !config.get("hbase.crypto.keyprovider").isEmpty();
    boolean lineIsToo =
        config.get("hbase.client.netty.tls.enabled").equals("true")
            || Obstacles.isSecured(config) && config.get("hbase.rpc.protection").equals("privacy");
    if (isEncrypted && !lineIsToo && !config.get(Setting.ENCRYPTED.key()).equals("true")) {
      remarks.add(
          "What HBase or HDFS encrypts is read over HBase's own path, unless the line to the"
              + " daemons encrypts as well: TLS, or hbase.rpc.protection = privacy with Kerberos; or"
              + " "
              + Setting.ENCRYPTED.key()
              + " = true.");
    }
  }

  private static void memory(ExistingConfig config, Wanted wanted, List<String> remarks) {
    if (heapIsTuned(config)) {
      remarks.add(
          "HBase's HeapMemoryManager moves memory here: leave "
              + Setting.MEMORY.key()
              + " at stock.");
    }
    if (wanted.segmentCacheBytes() >= 0) {
      return;
    }
    OptionalLong direct = config.environment().withoutBlock().directBytes();
    DirectMemory others = DirectMemory.of(config.inForce()::get);
    if (direct.isEmpty()) {
      remarks.add(
          "The segment cache takes a quarter of -XX:MaxDirectMemorySize, which hbase-env.sh does"
              + " not set: then it is as large as the heap. `./ishbase memory` divides a machine's"
              + " memory; --segment-cache sets a size.");
    } else {
      long segments = others.usualSegmentCache(direct.getAsLong());
      remarks.add(
          others
              .shortage(direct.getAsLong(), segments)
              .map(shortage -> shortage + ".")
              .orElse(
                  "The segment cache gets "
                      + (segments >> 20)
                      + " MB of the "
                      + (direct.getAsLong() >> 20)
                      + " MB of direct memory; --segment-cache sets another size."));
    }
  }
}
