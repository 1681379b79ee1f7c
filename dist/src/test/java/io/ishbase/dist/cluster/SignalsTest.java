package io.ishbase.dist.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ishbase.testing.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SignalsTest {
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

  private void await(boolean stopped) {
    Await.until(stopped ? "it to stand still" : "it to go on", () -> isStopped() == stopped);
  }

  private boolean isStopped() {
    try {
      String stat = Files.readString(Path.of("/proc", "" + process.pid(), "stat"));
      return stat.charAt(stat.lastIndexOf(')') + 2) == 'T';
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void aProcessStandsStillAndGoesOnAsOftenAsItIsTold() throws IOException {
    try (Signals signals = new Signals(server)) {
      for (int i = 0; i < 3; i++) {
        signals.stop();
        await(true);
        signals.go();
        await(false);
      }
    }
  }

  @Test
  void itGoesOnInTheEndComeWhatMay() throws IOException {
    try (Signals signals = new Signals(server)) {
      signals.stop();
      await(true);
    }
    assertThat(isStopped()).isFalse();
  }

  @Test
  void aProcessThatEndsMeanwhileIsNobodysFault() throws IOException {
    try (Signals signals = new Signals(server)) {
      signals.stop();
      end();
    }
    assertThatThrownBy(() -> new Signals(server)).hasMessageContaining("does not run");
  }
}
