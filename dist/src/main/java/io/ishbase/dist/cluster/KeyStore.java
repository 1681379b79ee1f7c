package io.ishbase.dist.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A certificate for this machine that vouches for itself, for web pages. */
final class KeyStore {
  /** The directory's rights guard the key; the format wants a password. */
  private static final String PASSWORD = "of-this-directory";

  private static final String TYPE = "PKCS12";

  private final Path dir;

  KeyStore(Path dir) {
    this.dir = dir;
  }

  private Path keys() {
    return dir.resolve("keystore.p12");
  }

  private Path trusted() {
    return dir.resolve("truststore.p12");
  }

  void make() throws IOException {
    String certificate = dir.resolve("certificate").toString();
    keytool(
        keys(),
        "-genkeypair",
        "-keyalg",
        "EC",
        "-validity",
        "3650",
        "-dname",
        "CN=localhost",
        "-ext",
        "SAN=dns:localhost,ip:127.0.0.1");
    keytool(keys(), "-exportcert", "-file", certificate);
    keytool(trusted(), "-importcert", "-noprompt", "-file", certificate);
  }

  private void keytool(Path store, String... arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
    command.addAll(List.of(arguments));
    command.addAll(List.of("-alias", "ishbase", "-storetype", TYPE, "-storepass", PASSWORD));
    command.addAll(List.of("-keystore", store.toString(), "-J-XX:TieredStopAtLevel=1"));
    Path log = dir.resolve("keytool.log");
    Process keytool =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
            .start();
    try {
      if (keytool.waitFor() != 0) {
        throw new IOException("keytool: " + Files.readString(log).strip());
      }
    } catch (InterruptedException e) {
      keytool.destroy();
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
  }

  /** {@code ssl-server.xml} of Hadoop's servers. */
  Map<String, Object> server() {
    Map<String, Object> conf = new LinkedHashMap<>();
    put(conf, "ssl.server.keystore", keys());
    conf.put("ssl.server.keystore.keypassword", PASSWORD);
    put(conf, "ssl.server.truststore", trusted());
    return conf;
  }

  /** {@code ssl-client.xml} of Hadoop's clients. */
  Map<String, Object> client() {
    Map<String, Object> conf = new LinkedHashMap<>();
    put(conf, "ssl.client.truststore", trusted());
    return conf;
  }

  private static void put(Map<String, Object> conf, String store, Path file) {
    conf.put(store + ".location", file);
    conf.put(store + ".password", PASSWORD);
    conf.put(store + ".type", TYPE);
  }
}
