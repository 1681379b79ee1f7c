package io.ishbase.dist;

import io.ishbase.dist.doctor.ClusterFacts;
import io.ishbase.dist.doctor.Doctor;
import io.ishbase.dist.doctor.FactsGatherer;
import io.ishbase.dist.doctor.Finding;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.security.UserGroupInformation;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code ./ishbase doctor}: whether all of a running cluster works together. */
@Command(
    name = "doctor",
    description = {
      "Look at a running cluster and say, line by line, what is right, what is not, and what to do.",
      "Exit code 1 if something does not work. It changes nothing."
    },
    mixinStandardHelpOptions = true)
final class DoctorCommand implements Callable<Integer> {
  private static final List<String> SITES =
      List.of("core-site.xml", "hdfs-site.xml", "hbase-site.xml");
  private static final int CALL_MILLIS = 10_000;
  private static final int OPERATION_MILLIS = 20_000;

  @Mixin private TargetCluster cluster;

  @Option(
      names = "--hbase-conf",
      paramLabel = "DIR",
      description = {
        "Of the cluster that this configuration is of: a directory with hbase-site.xml and, for HDFS,",
        "core-site.xml and hdfs-site.xml."
      })
  private Path directory;

  @Override
  public Integer call() throws IOException {
    Configuration conf = configuration();
    conf.setInt("hbase.client.retries.number", 2);
    conf.setInt("zookeeper.recovery.retry", 1);
    conf.setInt("hbase.rpc.timeout", CALL_MILLIS);
    conf.setInt("hbase.client.operation.timeout", OPERATION_MILLIS);
    List<Finding> findings;
    try (Connection connection = ConnectionFactory.createConnection(conf);
        Admin admin = connection.getAdmin()) {
      TargetCluster.requireAnswer(admin);
      findings = Doctor.examine(facts(admin, conf));
    }
    Doctor.text(findings).forEach(System.out::println);
    return Doctor.hasFailures(findings) ? 1 : 0;
  }

  private static ClusterFacts facts(Admin admin, Configuration conf) throws IOException {
    try (FactsGatherer gatherer = new FactsGatherer(admin, conf)) {
      return gatherer.gather();
    }
  }

  private Configuration configuration() {
    if (directory == null) {
      Configuration conf = cluster.configuration();
      if (cluster.isLocal()) {
        addSites(conf, Home.running().clientConf());
      }
      return conf;
    }
    if (!cluster.isLocal()) {
      throw new CliException("--zookeeper or --hbase-conf, not both");
    }
    if (!Files.isReadable(directory.resolve("hbase-site.xml"))) {
      throw new CliException("--hbase-conf: there is no hbase-site.xml in " + directory);
    }
    Configuration conf = HBaseConfiguration.create();
    addSites(conf, directory);
    UserGroupInformation.setConfiguration(conf);
    return conf;
  }

  private static void addSites(Configuration conf, Path directory) {
    for (String file : SITES) {
      Path site = directory.resolve(file);
      if (Files.isReadable(site)) {
        conf.addResource(new org.apache.hadoop.fs.Path(site.toUri()));
      }
    }
  }
}
