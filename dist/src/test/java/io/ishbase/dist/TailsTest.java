package io.ishbase.dist;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.it.OwnJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.hbase.thirdparty.com.google.gson.JsonElement;
import org.apache.hbase.thirdparty.com.google.gson.JsonObject;
import org.apache.hbase.thirdparty.com.google.gson.JsonParser;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code bench tails} in miniature: a real daemon stands still and goes on. */
@OwnJvm
final class TailsTest {
  @TempDir private static Path home;

  @Test
  void readsGoOnWhileADaemonStandsStill() throws IOException {
    BuiltHome.make(home);
    Outcome outcome =
        Outcome.run(
            "bench",
            "tails",
            "--loopback",
            "--rows",
            "1000",
            "--seconds",
            "0.3",
            "--rounds",
            "1",
            "--threads",
            "4",
            "--workloads",
            "paused");
    assertThat(outcome.code()).as(outcome.err()).isZero();
    JsonObject results =
        JsonParser.parseString(Files.readString(home.resolve("target/bench/tails.json")))
            .getAsJsonObject();
    List<String> measured = new ArrayList<>();
    for (JsonElement element : results.getAsJsonArray("rows")) {
      JsonObject row = element.getAsJsonObject();
      JsonObject parameters = row.getAsJsonObject("parameters");
      String words =
          parameters.get("state").getAsString()
              + " "
              + parameters.get("load %").getAsString()
              + " "
              + row.get("variant").getAsString();
      measured.add(words);
      JsonObject figures = row.getAsJsonObject("figures");
      assertThat(figures.get("errors").getAsDouble()).as(words).isZero();
      assertThat(figures.get("p50 ms").getAsDouble()).as(words).isPositive();
    }
    assertThat(measured)
        .containsExactly(
            "healthy, closed loop 100 stock",
            "healthy, closed loop 100 in-storage",
            "one daemon paused 30 in-storage",
            "one daemon paused 50 in-storage",
            "one daemon paused 70 in-storage");
    assertThat(results.getAsJsonArray("plots")).hasSize(1);
    assertThat(home.resolve("target/bench/run")).doesNotExist();
  }
}
