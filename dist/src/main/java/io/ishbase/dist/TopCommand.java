package io.ishbase.dist;

import io.ishbase.dist.cluster.ClusterProbe;
import io.ishbase.dist.top.Look;
import io.ishbase.dist.top.Looker;
import io.ishbase.dist.top.Screen;
import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code ./ishbase top}: what all servers are doing, again and again. */
@Command(
    name = "top",
    description = {
      "Show what region servers and storage daemons are doing, until Ctrl-C.",
      "From a machine that reaches their web pages."
    },
    mixinStandardHelpOptions = true)
final class TopCommand implements Callable<Integer> {
  private static final int LONGEST_SECONDS = 3600;
  private static final String CLEAR = "\u001b[H\u001b[2J\u001b[3J";

  @Mixin private TargetCluster cluster;

  @Option(
      names = "--interval",
      paramLabel = "SECONDS",
      defaultValue = "5",
      description = "Between two looks: ${DEFAULT-VALUE} unless said.")
  private double interval;

  @Option(names = "--once", description = "Look twice, print once, and end.")
  private boolean once;

  @Option(
      names = "--most",
      paramLabel = "N",
      defaultValue = "20",
      description = "Servers of each kind, the busiest: ${DEFAULT-VALUE} unless said.")
  private int most;

  @Override
  public Integer call() throws IOException {
    if (!(interval >= 0.1 && interval <= LONGEST_SECONDS)) {
      throw new CliException("--interval is 0.1 to " + LONGEST_SECONDS + " seconds");
    }
    if (most < 1) {
      throw new CliException("--most is 1 at least");
    }
    Configuration conf = cluster.configuration();
    try (Connection connection = ConnectionFactory.createConnection(conf);
        Admin admin = connection.getAdmin();
        ClusterProbe probe = new ClusterProbe(conf)) {
      TargetCluster.requireAnswer(admin);
      try (Looker looker = new Looker(admin, probe)) {
        show(looker);
      }
    }
    return 0;
  }

  private void show(Looker looker) throws IOException {
    // A console is there if both input and output are a terminal.
    String begin = once || System.console() == null ? "" : CLEAR;
    Screen screen = new Screen(most);
    Look before = looker.look();
    do {
      LockSupport.parkNanos((long) (interval * TimeUnit.SECONDS.toNanos(1)));
      try {
        Look after = looker.look();
        System.out.print(begin + screen.text(before, after));
        before = after;
      } catch (IOException e) {
        if (once) {
          throw e;
        }
        // Who watches a cluster that fails wants to see it come back.
        System.out.println("Cannot look: " + e.toString().lines().findFirst().orElse(""));
      }
      System.out.flush();
    } while (!once && !System.out.checkError());
  }
}
