package io.ishbase.dist.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TestClientTest {
  @TempDir Path dir;

  @Test
  void countersAreThoseOfTheLastJob() throws IOException {
    Path log = dir.resolve("log");
    Files.writeString(
        log,
        """
        2026-01-01T00:00:00,000 INFO  [main] mapreduce.Job: Counters: 2
        \tgroup
        \t\tREFERENCED=5
        \t\tUNREFERENCED=1
        INFO: REFERENCED=9 is none
        \t\tREFERENCED=7
        """);
    TestClient.Ended ended = new TestClient.Ended(0, log);
    assertThat(ended.succeeded()).isTrue();
    assertThat(ended.counter("REFERENCED")).isEqualTo(7);
    assertThat(ended.counter("UNREFERENCED")).isEqualTo(1);
    assertThat(ended.counter("UNDEFINED")).isZero();
  }
}
