package io.ishbase.dist.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class FullDiskTest {
  private Process process;
  private ServerProcess server;

  @BeforeEach
  void start() throws IOException {
    process = new ProcessBuilder("sleep", "600").start();
    server = ServerProcess.of("sleep", process);
  }

  @AfterEach
  void end() {
    process.destroyForcibly().onExit().join();
  }

  private String mostBytesOfAFile() throws IOException {
    return Files.readAllLines(Path.of("/proc", "" + process.pid(), "limits")).stream()
        .filter(line -> line.startsWith("Max file size"))
        .map(line -> line.split("\\s{2,}")[1])
        .findFirst()
        .orElseThrow();
  }

  @Test
  void noFileGrowsUntilItIsClosed() throws IOException {
    FullDisk disk = new FullDisk(server);
    assertThat(mostBytesOfAFile()).isEqualTo("0");
    disk.close();
    assertThat(mostBytesOfAFile()).isEqualTo("unlimited");
  }

  @Test
  void whatWasAllowedBeforeIsAllowedAgain() throws IOException {
    Commands.run("prlimit", "--pid", Long.toString(server.pid()), "--fsize=4096:8192");
    new FullDisk(server).close();
    assertThat(mostBytesOfAFile()).isEqualTo("4096");
  }

  @Test
  void aProcessThatEndsMeanwhileIsNobodysFault() throws IOException {
    FullDisk disk = new FullDisk(server);
    end();
    disk.close();
    assertThatThrownBy(() -> new FullDisk(server)).isInstanceOf(IOException.class);
  }
}
