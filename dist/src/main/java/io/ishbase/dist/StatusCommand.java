package io.ishbase.dist;

import io.ishbase.dist.cluster.ClusterProbe;
import io.ishbase.dist.cluster.LocalCluster;
import io.ishbase.dist.cluster.Realm;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.apache.hadoop.conf.Configuration;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code ./ishbase status}: what of a cluster runs and whether it answers. */
@Command(
    name = "status",
    description = "Show what of the local cluster runs, or of another one.",
    mixinStandardHelpOptions = true)
final class StatusCommand implements Callable<Integer> {
  @Mixin private TargetCluster target;

  /** Where clients find a cluster, a line each. */
  static List<String> addresses(LocalCluster cluster) {
    List<String> lines = new ArrayList<>();
    lines.add("ZooKeeper      " + cluster.zooKeeper());
    lines.add("client config  " + cluster.clientConf());
    lines.add("region server  " + cluster.regionServerPage());
    if (cluster.isSecured()) {
      Realm realm = cluster.realm();
      lines.add("Kerberos       -Djava.security.krb5.conf=" + realm.krb5Conf());
      lines.add(
          "superuser      "
              + Realm.principal(Realm.ADMIN)
              + ", whom that config logs in from "
              + realm.keytab(Realm.ADMIN));
      lines.add(
          "without rights "
              + Realm.principal(Realm.ALICE)
              + ", "
              + realm.keytab(Realm.ALICE)
              + " (hbase.client.keytab.file, hbase.client.keytab.principal)");
    }
    return lines;
  }

  @Override
  public Integer call() {
    return target.isLocal() ? ofLocal() : ofOther();
  }

  private int ofOther() {
    Configuration conf = target.configuration();
    TargetCluster.requireZNode(conf);
    try (ClusterProbe probe = new ClusterProbe(conf)) {
      boolean ready = probe.masterIsReady();
      List<String> daemons = probe.daemons();
      System.out.println("master         " + (ready ? "active" : "not ready"));
      System.out.println("region servers " + probe.regionServers());
      System.out.println("daemons        " + daemons);
      System.out.println("quarantined    " + probe.quarantined());
      return ready && !daemons.isEmpty() ? 0 : 1;
    } catch (IOException e) {
      throw TargetCluster.noAnswer(conf, e);
    }
  }

  private static int ofLocal() {
    LocalCluster cluster = Home.running();
    cluster.status().forEach(System.out::println);
    addresses(cluster).forEach(System.out::println);
    System.out.println("nodes          " + cluster.networkName());
    try (ClusterProbe probe = new ClusterProbe(cluster.clientConfiguration())) {
      boolean ready = probe.masterIsReady();
      System.out.println("region servers " + probe.regionServers());
      System.out.println("daemons        " + probe.daemons());
      System.out.println("quarantined    " + probe.quarantined());
      return ready && cluster.isWhole() ? 0 : 1;
    } catch (IOException e) {
      throw new CliException(
          "The cluster does not answer ("
              + e.getMessage()
              + "): see "
              + cluster.files().logs()
              + ", then ./ishbase down",
          e);
    }
  }
}
