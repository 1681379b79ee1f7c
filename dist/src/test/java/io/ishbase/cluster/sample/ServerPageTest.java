package io.ishbase.cluster.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import io.ishbase.cluster.WebPages;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What answers where a server's page should be. */
class ServerPageTest {
  private HttpServer server;
  private ServerPage page;
  private volatile String answer = "";

  @BeforeEach
  void start() throws IOException {
    server =
        HttpServer.create(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), /* backlog= */ 0);
    server.createContext(
        "/",
        exchange -> {
          byte[] bytes = answer.getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(200, bytes.length);
          exchange.getResponseBody().write(bytes);
          exchange.close();
        });
    server.start();
    page =
        new ServerPage(
            WebPages.ofHBase(new Configuration(false)),
            "127.0.0.1:" + server.getAddress().getPort());
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "<html>",
        "[]",
        "{\"beans\":7}",
        "{\"beans\":[7]}",
        "{\"beans\":[{\"AvailableProcessors\":\"many\"}]}",
        "{\"beans\":[{\"AvailableProcessors\":[]}]}",
        "{\"beans\":[{\"AvailableProcessors\":null}]}",
        "{\"beans\":[{\"AvailableProcessors\":NaN}]}",
        "{\"beans\":[{\"AvailableProcessors\":-4}]}"
      })
  void somethingElseIsAnIoException(String text) {
    answer = text;
    assertThatThrownBy(page::processors).isInstanceOf(IOException.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"{\"properties\":7}", "{\"properties\":[7]}", "7"})
  void noConfigurationIsAnIoException(String text) {
    answer = text;
    assertThatThrownBy(page::configuration).isInstanceOf(IOException.class);
  }

  @Test
  void figuresAreRead() throws IOException {
    answer = "{\"beans\":[{\"AvailableProcessors\":4,\"NumLiveDataNodes\":3}]}";
    assertThat(page.processors()).contains(4.0);
    assertThat(page.dataNodes()).contains(3);
  }
}
