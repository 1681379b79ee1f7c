package io.ishbase.it;

import io.ishbase.dist.MonitoringFiles;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.apache.hbase.thirdparty.com.google.gson.Gson;
import org.apache.hbase.thirdparty.com.google.gson.JsonElement;
import org.apache.hbase.thirdparty.com.google.gson.JsonObject;
import org.apache.hbase.thirdparty.com.google.gson.JsonParser;

/** A real Chromium without a window, which a test leads through the DevTools protocol. */
final class Chromium implements AutoCloseable {
  private static final Gson GSON = new Gson();
  private static final int ANSWER_SECONDS = 60;

  private final HttpClient client = HttpClient.newHttpClient();
  private final Path portFile;
  private final Process process;
  private final int port;

  /** It, or what Debian has of it for machines without a screen, if one is installed. */
  static Optional<Path> program() {
    return Stream.of("chromium-headless-shell", "chromium")
        .flatMap(name -> MonitoringFiles.program(name).stream())
        .findFirst();
  }

  /**
   * Starts it.
   *
   * @param directory for its profile and log
   */
  Chromium(Path program, Path directory) throws IOException {
    portFile = directory.resolve("profile").resolve("DevToolsActivePort");
    process =
        new ProcessBuilder(
                program.toString(),
                "--headless",
                "--no-sandbox", // as root it has none, and it sees pages of ours alone
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--disable-background-networking",
                "--no-first-run",
                "--remote-debugging-port=0",
                "--user-data-dir=" + portFile.getParent())
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve("chromium.log").toFile())
            .start();
    try {
      MiniCluster.await("Chromium", this::hasBegun);
      port = Integer.parseInt(Files.readAllLines(portFile).get(0));
    } catch (IOException | RuntimeException | Error e) {
      close();
      throw e;
    }
  }

  private boolean hasBegun() {
    if (!process.isAlive()) {
      throw new AssertionError("Chromium has ended: " + process.exitValue());
    }
    try {
      return Files.exists(portFile) && Files.readAllLines(portFile).size() > 1;
    } catch (IOException e) {
      return false;
    }
  }

  /** A tab that shows nothing yet. */
  Tab tab() throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/json/new?about:blank"))
            .PUT(BodyPublishers.noBody())
            .build();
    String created = client.send(request, BodyHandlers.ofString()).body();
    JsonObject target = JsonParser.parseString(created).getAsJsonObject();
    return new Tab(client, URI.create(target.get("webSocketDebuggerUrl").getAsString()));
  }

  @Override
  public void close() {
    // Debian's program is a script, which leaves alone what it has started.
    List<ProcessHandle> all = new ArrayList<>(process.descendants().toList());
    all.add(process.toHandle());
    all.forEach(ProcessHandle::destroy);
    all.forEach(each -> each.onExit().join());
  }

  /** What a window shows, and what was noticed meanwhile. */
  static final class Tab implements WebSocket.Listener {
    private final Map<Integer, CompletableFuture<JsonObject>> asked = new ConcurrentHashMap<>();
    private final List<String> requests = new CopyOnWriteArrayList<>();
    private final List<String> faults = new CopyOnWriteArrayList<>();
    private final AtomicInteger loads = new AtomicInteger();
    private final StringBuilder part = new StringBuilder();
    private final WebSocket socket;
    private int questions;

    private Tab(HttpClient client, URI address) {
      socket = client.newWebSocketBuilder().buildAsync(address, this).join();
      for (String domain : List.of("Page", "Network", "Runtime", "Log")) {
        ask(domain + ".enable", Map.of());
      }
    }

    /** What was asked for, as URLs. */
    List<String> requests() {
      return requests;
    }

    /** What the console says, and requests that failed. */
    List<String> faults() {
      return faults;
    }

    /** How often a page was there, with all that belongs to it. */
    int loads() {
      return loads.get();
    }

    /** Makes the window that wide; one that is narrow is a telephone's. */
    void resize(int width, int height, boolean isTelephone) {
      ask(
          "Emulation.setDeviceMetricsOverride",
          Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", isTelephone));
    }

    /** Opens a page and waits until it is there. */
    void open(String url) {
      int before = loads();
      JsonObject answer = ask("Page.navigate", Map.of("url", url));
      if (answer.has("errorText")) {
        throw new AssertionError(url + ": " + answer);
      }
      MiniCluster.await(url, () -> loads() > before);
    }

    /** The value of an expression of JavaScript. */
    JsonElement value(String expression) {
      JsonObject answer =
          ask("Runtime.evaluate", Map.of("expression", expression, "returnByValue", true));
      if (answer.has("exceptionDetails")) {
        throw new AssertionError(expression + ": " + answer);
      }
      return answer.getAsJsonObject("result").get("value");
    }

    /** The value of an expression that is a list of texts. */
    List<String> texts(String expression) {
      List<String> texts = new ArrayList<>();
      value(expression).getAsJsonArray().forEach(text -> texts.add(text.getAsString()));
      return texts;
    }

    /** The whole page as a picture, in PNG. */
    byte[] picture() {
      Map<String, Object> wanted = Map.of("format", "png", "captureBeyondViewport", true);
      return Base64.getDecoder()
          .decode(ask("Page.captureScreenshot", wanted).get("data").getAsString());
    }

    private synchronized JsonObject ask(String method, Map<String, ?> arguments) {
      CompletableFuture<JsonObject> answer = new CompletableFuture<>();
      asked.put(++questions, answer);
      socket
          .sendText(
              GSON.toJson(Map.of("id", questions, "method", method, "params", arguments)),
              /* last= */ true)
          .join();
      JsonObject message = answer.orTimeout(ANSWER_SECONDS, TimeUnit.SECONDS).join();
      if (!message.has("result")) {
        throw new AssertionError(method + ": " + message);
      }
      return message.getAsJsonObject("result");
    }

    @Override
    public CompletionStage<?> onText(WebSocket from, CharSequence text, boolean last) {
      part.append(text);
      if (last) {
        JsonObject message = JsonParser.parseString(part.toString()).getAsJsonObject();
        part.setLength(0);
        if (message.has("id")) {
          asked.remove(message.get("id").getAsInt()).complete(message);
        } else {
          noticed(message.get("method").getAsString(), message.getAsJsonObject("params"));
        }
      }
      from.request(1);
      return null;
    }

    private void noticed(String event, JsonObject what) {
      switch (event) {
        case "Page.loadEventFired" -> loads.incrementAndGet();
        case "Network.requestWillBeSent" ->
            requests.add(what.getAsJsonObject("request").get("url").getAsString());
        case "Network.responseReceived" -> {
          if (what.getAsJsonObject("response").get("status").getAsInt() >= 400) {
            faults.add(what.toString());
          }
        }
        case "Network.loadingFailed" -> {
          // A page that loads itself anew is left for another one.
          if (!what.has("canceled") || !what.get("canceled").getAsBoolean()) {
            faults.add(event + " " + what);
          }
        }
        case "Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded" ->
            faults.add(event + " " + what);
        default -> {}
      }
    }
  }
}
