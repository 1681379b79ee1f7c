package io.ishbase.dist;

import io.ishbase.dist.doctor.ClusterFacts;
import io.ishbase.dist.doctor.Doctor;
import io.ishbase.dist.doctor.FactsGatherer;
import io.ishbase.dist.doctor.Finding;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code ./ishbase doctor}: whether all of a running cluster works together. */
@Command(
    name = "doctor",
    description = {
      "Look at a running cluster and say, line by line, what is right, what is not, and what to do.",
      "Exit code 1 if something does not work. It changes nothing."
    },
    mixinStandardHelpOptions = true)
final class DoctorCommand implements Callable<Integer> {
  private static final int CALL_MILLIS = 10_000;
  private static final int OPERATION_MILLIS = 20_000;

  @Mixin private TargetFiles target;

  @Override
  public Integer call() throws IOException {
    Configuration conf = target.configuration();
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
}
