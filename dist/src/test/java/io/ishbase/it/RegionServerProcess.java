package io.ishbase.it;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.regionserver.HRegionServer;

/** A region server of a {@link MiniCluster} in a process of its own, to be killed. */
final class RegionServerProcess implements AutoCloseable {
  private final Process process;
  private final Path log;

  /**
   * Starts it with {@code clusterConf}, its files in {@code directory}. It registers in a while.
   */
  RegionServerProcess(Configuration clusterConf, Path directory) throws IOException {
    Configuration conf = new Configuration(clusterConf);
    conf.setBoolean("hbase.cluster.distributed", true);
    conf.setInt("hbase.regionserver.port", 0);
    conf.setInt("hbase.regionserver.info.port", -1);
    Files.createDirectories(directory);
    log = directory.resolve("regionserver.log");
    try (OutputStream xml = Files.newOutputStream(directory.resolve("hbase-site.xml"))) {
      conf.writeXml(xml);
    }
    process =
        new ProcessBuilder(
                ChildJvm.command(
                    directory,
                    List.of("-Xmx512m"),
                    HRegionServer.class.getName(),
                    List.of("start")))
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** The end of its log. */
  String lastLines() {
    try (Stream<String> lines = Files.lines(log)) {
      List<String> all = lines.toList();
      return String.join("\n", all.subList(Math.max(0, all.size() - 50), all.size()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** SIGKILL. */
  void kill() {
    process.destroyForcibly().onExit().join();
  }

  @Override
  public void close() {
    kill();
  }
}
