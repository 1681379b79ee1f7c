package io.ishbase.dist.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.PrivilegedExceptionAction;
import java.util.List;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.authentication.util.KerberosName;

/**
 * The Kerberos realm of a secured cluster: who is in it, and where the keys lie. Keys live as long
 * as the KDC: each start makes new ones.
 *
 * <p>Services have names with {@code localhost}: a secured cluster is on loopback.
 */
public final class Realm {
  static final String NAME = "ISHBASE.LOCAL";

  /** HDFS's servers, and its superuser. */
  public static final String HDFS = "hdfs";

  /** HBase's servers and the daemons. */
  public static final String HBASE = "hbase";

  static final String ZOOKEEPER = "zookeeper";
  static final String HTTP = "HTTP";

  /** A superuser of HBase, whom the commands are. */
  public static final String ADMIN = "admin";

  /** A user who may do nothing until somebody lets her. */
  public static final String ALICE = "alice";

  private static final List<String> SERVICES = List.of(HDFS, HBASE, ZOOKEEPER, HTTP);
  private static final List<String> USERS = List.of(ADMIN, ALICE);
  private static final String HOST = "localhost";
  private static final String KRB5_CONF = "java.security.krb5.conf";

  private final Path dir;

  Realm(ClusterFiles files) {
    this.dir = files.secrets();
  }

  /** The name of a service or a user in the realm. */
  public static String principal(String name) {
    // Web pages are asked for by the servers' address.
    String host = name.equals(HTTP) ? "127.0.0.1" : HOST;
    return name + (SERVICES.contains(name) ? "/" + host : "") + "@" + NAME;
  }

  static List<String> names() {
    return Stream.concat(SERVICES.stream(), USERS.stream()).toList();
  }

  /** The file with the key of a service or a user. */
  public Path keytab(String name) {
    return dir.resolve(name + ".keytab");
  }

  /** What JVMs find the KDC by, as {@code -Djava.security.krb5.conf}. */
  public Path krb5Conf() {
    return dir.resolve("krb5.conf");
  }

  /** The login of the ZooKeeper server. */
  Path zooKeeperJaas() {
    return dir.resolve("zookeeper.jaas");
  }

  Path dir() {
    return dir;
  }

  /** Makes everything anew but the keys, which the KDC makes. */
  void write(int kdcPort) throws IOException {
    ClusterFiles.delete(dir);
    Files.createDirectories(dir.getParent());
    Files.createDirectory(
        dir, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    Files.writeString(
        krb5Conf(),
        """
        [libdefaults]
          default_realm = %1$s
          udp_preference_limit = 1
          dns_lookup_kdc = false
          dns_lookup_realm = false
          rdns = false
        [realms]
          %1$s = {
            kdc = 127.0.0.1:%2$d
          }
        """
            .formatted(NAME, kdcPort));
    Files.writeString(
        zooKeeperJaas(),
        """
        Server {
          com.sun.security.auth.module.Krb5LoginModule required
          useKeyTab=true storeKey=true useTicketCache=false isInitiator=false
          keyTab="%s" principal="%s";
        };
        """
            .formatted(keytab(ZOOKEEPER), principal(ZOOKEEPER)));
    new KeyStore(dir).make();
  }

  /**
   * Makes this process one of {@code user}. It cannot be one of another realm before or after.
   *
   * @param conf of a client
   */
  void enter(Configuration conf, String user) throws IOException {
    if (!krb5Conf().toString().equals(System.getProperty(KRB5_CONF))) {
      System.setProperty(KRB5_CONF, krb5Conf().toString());
      KerberosName.resetDefaultRealm();
    }
    UserGroupInformation.setConfiguration(conf);
    if (!principal(user).equals(UserGroupInformation.getLoginUser().getUserName())) {
      UserGroupInformation.loginUserFromKeytab(principal(user), keytab(user).toString());
    }
  }

  /** Does something as another user than the process is. */
  public <T> T as(String user, PrivilegedExceptionAction<T> action) throws IOException {
    try {
      return logIn(user).doAs(action);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
  }

  /** A user beside the one that the process is. */
  public UserGroupInformation logIn(String user) throws IOException {
    return UserGroupInformation.loginUserFromKeytabAndReturnUGI(
        principal(user), keytab(user).toString());
  }
}
