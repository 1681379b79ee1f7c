package io.ishbase.it;

import io.ishbase.dist.MonitoringFiles;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.ServerSocket;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.hbase.thirdparty.com.google.gson.JsonObject;
import org.apache.hbase.thirdparty.com.google.gson.JsonParser;
import org.yaml.snakeyaml.Yaml;

/** A real Prometheus, on the loopback, with the configuration that ships and targets of a test. */
final class Prometheus implements AutoCloseable {
  private final int port;
  private final Process process;

  /** Collects every second from these servers, {@code host:port} each. */
  @SuppressWarnings("unchecked") // as YAML is
  Prometheus(Path program, Path directory, List<String> servers) throws IOException {
    Map<String, Object> conf =
        new Yaml().load(Files.readString(MonitoringFiles.DIRECTORY.resolve("prometheus.yml")));
    ((Map<String, Object>) conf.get("global")).put("scrape_interval", "1s");
    ((List<Map<String, Object>>) conf.get("scrape_configs"))
        .get(0)
        .put("static_configs", List.of(Map.of("targets", servers)));
    Files.writeString(directory.resolve("prometheus.yml"), new Yaml().dump(conf));
    Files.copy(MonitoringFiles.RULES, directory.resolve(MonitoringFiles.RULES.getFileName()));
    try (ServerSocket free = new ServerSocket(0)) {
      port = free.getLocalPort();
    }
    process =
        new ProcessBuilder(
                program.toString(),
                "--config.file=" + directory.resolve("prometheus.yml"),
                "--storage.tsdb.path=" + directory.resolve("data"),
                "--web.listen-address=127.0.0.1:" + port)
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve("log").toFile())
            .start();
  }

  /** How many samples answer a query; none while it does not answer yet. */
  int samples(String query) {
    try {
      HttpURLConnection asked =
          (HttpURLConnection)
              URI.create(
                      "http://127.0.0.1:"
                          + port
                          + "/api/v1/query?query="
                          + URLEncoder.encode(query, StandardCharsets.UTF_8))
                  .toURL()
                  .openConnection();
      int code = asked.getResponseCode();
      if (code == HttpURLConnection.HTTP_UNAVAILABLE) {
        return 0; // It starts.
      }
      try (InputStream in = code == 200 ? asked.getInputStream() : asked.getErrorStream()) {
        String answer = new String(in.readAllBytes(), StandardCharsets.UTF_8);
        if (code != 200) {
          throw new AssertionError(query + ": " + answer);
        }
        JsonObject data = JsonParser.parseString(answer).getAsJsonObject().getAsJsonObject("data");
        return data.getAsJsonArray("result").size();
      }
    } catch (IOException e) {
      if (!process.isAlive()) {
        throw new AssertionError("Prometheus has ended: " + process.exitValue(), e);
      }
      return 0;
    }
  }

  @Override
  public void close() {
    process.destroy();
    process.onExit().join();
  }
}
