package io.ishbase.it;

import io.ishbase.daemon.Issn;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;

/** A storage daemon in a process of its own, to be killed and paused. */
final class DaemonProcess implements AutoCloseable {
  private final Process process;

  /** Starts it with {@code conf}, its files in {@code directory}. It registers in a moment. */
  DaemonProcess(Configuration conf, Path directory) throws IOException {
    Path site = Files.createDirectories(directory);
    try (OutputStream xml = Files.newOutputStream(site.resolve("hbase-site.xml"))) {
      conf.writeXml(xml);
    }
    process =
        new ProcessBuilder(
                ChildJvm.command(site, List.of("-Xmx512m"), Issn.class.getName(), List.of("start")))
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve("issn.log").toFile())
            .start();
  }

  /** SIGKILL. */
  void kill() {
    process.destroyForcibly().onExit().join();
  }

  /** SIGTERM; its exit status. */
  int terminate() throws InterruptedException {
    process.destroy();
    return process.waitFor();
  }

  void pause() throws IOException, InterruptedException {
    signal("STOP");
    // The signal is on its way; a thread that runs meanwhile may still answer somebody.
    MiniCluster.await("the daemon to stand still", this::isStopped);
  }

  private boolean isStopped() {
    try (Stream<Path> threads = Files.list(Path.of("/proc", "" + process.pid(), "task"))) {
      for (Path thread : (Iterable<Path>) threads::iterator) {
        String stat = Files.readString(thread.resolve("stat"));
        // "1234 (name) T ...": a name may have anything in it.
        if (stat.charAt(stat.lastIndexOf(')') + 2) != 'T') {
          return false;
        }
      }
      return true;
    } catch (IOException e) {
      // A thread has just ended.
      return false;
    }
  }

  void resume() throws IOException, InterruptedException {
    signal("CONT");
  }

  private void signal(String name) throws IOException, InterruptedException {
    int status =
        new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start().waitFor();
    if (status != 0) {
      throw new IOException("kill -" + name + " ended with " + status);
    }
  }

  @Override
  public void close() {
    kill();
  }
}
