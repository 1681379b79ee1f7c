package io.ishbase.dist.chaos;

import io.ishbase.dist.cluster.ClusterOptions;
import io.ishbase.dist.cluster.LocalCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Runs HBase's own tests as clients of a cluster, each in a JVM of its own: what they need is not
 * on our class path, and does not ship.
 */
public final class TestClient {
  private static final int HEAP_MB = 768;

  /** Long enough for every fault, with pauses between the attempts of 10 s at most. */
  private static final int RETRIES = 60;

  private static final int CALL_MILLIS = 10_000;

  /**
   * How a program ended.
   *
   * @param log what it printed
   */
  record Ended(int exitCode, Path log) {
    boolean succeeded() {
      return exitCode == 0;
    }

    /**
     * A counter of its last job.
     *
     * @return 0 if there is none of that name: nothing was counted
     */
    long counter(String name) throws IOException {
      Pattern line = Pattern.compile("\\s+" + name + "=(\\d+)");
      long count = 0;
      for (String each : Files.readAllLines(log)) {
        Matcher matcher = line.matcher(each);
        if (matcher.matches()) {
          count = Long.parseLong(matcher.group(1));
        }
      }
      return count;
    }
  }

  private final LocalCluster cluster;
  private final ClusterOptions options;
  private final String classPath;

  /**
   * @param classPathFile holds the class path of HBase's tests
   */
  public TestClient(LocalCluster cluster, ClusterOptions options, Path classPathFile)
      throws IOException {
    this.cluster = cluster;
    this.options = options;
    this.classPath = Files.readString(classPathFile).strip();
  }

  /** A directory of this machine for what programs leave to each other. */
  Path work() {
    return cluster.clientWork("shared");
  }

  /**
   * Runs a program to its end.
   *
   * @param name of its log, not that of another
   * @param main its class, which takes Hadoop's generic options
   * @param properties as {@code KEY=VALUE}
   */
  Ended run(String name, String main, List<String> properties, String... arguments)
      throws IOException {
    List<String> command = new ArrayList<>(List.of(main));
    List<String> all = new ArrayList<>(properties);
    all.add("hbase.client.retries.number=" + RETRIES);
    all.add("hbase.rpc.timeout=" + CALL_MILLIS);
    all.add("hadoop.tmp.dir=" + cluster.clientWork(name).resolve("tmp"));
    all.add("mapreduce.local.map.tasks.maximum=2");
    all.add("mapreduce.local.reduce.tasks.maximum=2");
    for (String property : all) {
      command.add("-D");
      command.add(property);
    }
    command.addAll(List.of(arguments));
    LocalCluster.Client client = cluster.runClient(name, classPath, HEAP_MB, command, options);
    return new Ended(client.exitCode(), client.log());
  }
}
