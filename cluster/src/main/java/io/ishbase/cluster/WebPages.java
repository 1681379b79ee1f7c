package io.ishbase.cluster;

import java.io.ByteArrayOutputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.PrivilegedExceptionAction;
import java.security.SecureRandom;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.authentication.client.AuthenticatedURL;
import org.apache.hadoop.security.authentication.client.AuthenticationException;
import org.apache.hadoop.security.authentication.client.KerberosAuthenticator;
import org.apache.hadoop.security.ssl.FileBasedKeyStoresFactory;
import org.apache.hadoop.security.ssl.KeyStoresFactory;
import org.apache.hadoop.security.ssl.SSLFactory;

/**
 * The web pages of a cluster's servers, as its configuration says that they are reached: over
 * HTTPS, where {@code ssl-client.xml} says whom to trust, if anybody else than the JVM does, and
 * with a Kerberos ticket of this process's user.
 */
public final class WebPages {
  private static final String LOGIN = "hbase.security.authentication.ui";
  private static final String KERBEROS = "kerberos";
  private static final String TRUST_STORE = "ssl.client.truststore.location";
  private static final int CONNECT_MILLIS = 3_000;
  private static final int READ_MILLIS = 15_000;
  private static final int PAGE_MILLIS = 20_000;

  private final Configuration conf;
  private final String scheme;
  private final boolean hasLogin;

  /**
   * A page as it was answered.
   *
   * @param dateMillis the server's clock, since 1970; 0 if it does not say
   */
  public record Page(String text, long dateMillis) {}

  private WebPages(Configuration conf, boolean isEncrypted, boolean hasLogin) {
    this.conf = conf;
    this.scheme = isEncrypted ? "https://" : "http://";
    this.hasLogin = hasLogin;
  }

  /**
   * Those of HBase's servers and of the daemons.
   *
   * @param conf of a client of the cluster
   */
  public static WebPages ofHBase(Configuration conf) {
    return new WebPages(
        conf, conf.getBoolean("hbase.ssl.enabled", false), isKerberos(conf.get(LOGIN)));
  }

  /**
   * Those of HDFS's servers.
   *
   * @param conf of a client of the cluster
   * @param settings of HDFS, from which it may differ
   */
  public static WebPages ofHdfs(Configuration conf, Map<String, String> settings) {
    return new WebPages(
        conf,
        "HTTPS_ONLY".equals(settings.get("dfs.http.policy")),
        isKerberos(settings.get("hadoop.http.authentication.type")));
  }

  private static boolean isKerberos(String authentication) {
    return KERBEROS.equalsIgnoreCase(authentication);
  }

  /**
   * A page of a server that need not mean well.
   *
   * @param address as in {@code host:port}
   * @param path with its leading slash
   * @throws FileNotFoundException if the server has no such page
   * @throws IOException if there is none to be had, it is too long, or takes too long although each
   *     byte comes in time; the message says which page
   */
  public Page read(String address, String path, int mostBytes) throws IOException {
    URL url = URI.create(scheme + address + path).toURL();
    KeyStoresFactory stores = new FileBasedKeyStoresFactory();
    try {
      HttpURLConnection connection = open(url, stores);
      int status = connection.getResponseCode();
      if (status == HttpURLConnection.HTTP_UNAUTHORIZED) {
        throw new IOException(
            url
                + " wants a login; with "
                + LOGIN
                + " = "
                + KERBEROS
                + " here it is given a ticket");
      }
      try (InputStream in = connection.getInputStream()) {
        return new Page(text(in, url, mostBytes), connection.getDate());
      }
    } catch (GeneralSecurityException e) {
      throw new IOException(url + ": " + e.getMessage(), e);
    } finally {
      stores.destroy();
    }
  }

  private HttpURLConnection open(URL url, KeyStoresFactory stores)
      throws IOException, GeneralSecurityException {
    SSLSocketFactory sockets = url.getProtocol().equals("https") ? sockets(stores) : null;
    if (!hasLogin) {
      return prepared((HttpURLConnection) url.openConnection(), sockets);
    }
    AuthenticatedURL authenticated =
        new AuthenticatedURL(
            new KerberosAuthenticator(), connection -> prepared(connection, sockets));
    UserGroupInformation user = UserGroupInformation.getCurrentUser();
    user.checkTGTAndReloginFromKeytab();
    PrivilegedExceptionAction<HttpURLConnection> opening =
        () -> {
          try {
            return authenticated.openConnection(url, new AuthenticatedURL.Token());
          } catch (AuthenticationException e) {
            throw new IOException(url + ": " + e.getMessage(), e);
          }
        };
    try {
      return user.doAs(opening);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
  }

  private SSLSocketFactory sockets(KeyStoresFactory stores)
      throws IOException, GeneralSecurityException {
    // Hadoop's SSLFactory looks on the class path alone, and a command may name a directory.
    Configuration ssl = new Configuration(conf);
    if (ssl.get(TRUST_STORE) == null) {
      ssl.addResource("ssl-client.xml");
    }
    stores.setConf(ssl);
    stores.init(SSLFactory.Mode.CLIENT);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(stores.getKeyManagers(), stores.getTrustManagers(), new SecureRandom());
    return context.getSocketFactory();
  }

  private static HttpURLConnection prepared(
      HttpURLConnection connection, SSLSocketFactory sockets) {
    connection.setConnectTimeout(CONNECT_MILLIS);
    connection.setReadTimeout(READ_MILLIS);
    if (connection instanceof HttpsURLConnection encrypted) {
      encrypted.setSSLSocketFactory(sockets);
    }
    return connection;
  }

  private static String text(InputStream in, URL url, int mostBytes) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    byte[] part = new byte[1 << 13];
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(PAGE_MILLIS);
    for (int read = in.read(part); read >= 0; read = in.read(part)) {
      bytes.write(part, 0, read);
      if (bytes.size() > mostBytes) {
        throw new IOException(url + " shows more than " + mostBytes + " bytes");
      }
      if (System.nanoTime() > deadline) {
        throw new IOException(url + " takes longer than " + PAGE_MILLIS + " ms");
      }
    }
    return bytes.toString(StandardCharsets.UTF_8);
  }
}
