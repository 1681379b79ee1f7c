package io.ishbase.daemon;

import io.ishbase.core.Setting;
import java.net.InetAddress;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.security.User;
import org.jspecify.annotations.Nullable;

/**
 * Who may ask a daemon, and who may listen, as it says at its start.
 *
 * @param isOpen whether the network decides who may ask
 */
record Exposure(boolean isOpen, String text) {
  private static final String HADOOP = "hadoop.security.authentication";
  private static final String HBASE = "hbase.security.authentication";
  private static final String PROTECTION = "hbase.rpc.protection";
  private static final String KERBEROS = "kerberos";

  /**
   * That of a daemon.
   *
   * @param bound the address that it listens on
   * @param owner the short name of its user
   */
  static Exposure of(Configuration conf, InetAddress bound, String owner) {
    if (User.isHBaseSecurityEnabled(conf)) {
      return new Exposure(
          false,
          "Security is on: only '"
              + owner
              + "' may ask, "
              + (isEncrypted(conf)
                  ? "over encrypted connections"
                  : "and whoever taps the network sees rows: for that set "
                      + PROTECTION
                      + " = privacy"));
    }
    String off = "Security is off: whoever ";
    String may = " may read all tables and have stores compacted";
    return bound.isLoopbackAddress()
        ? new Exposure(false, off + "works on this machine" + may)
        : new Exposure(
            true,
            off
                + "reaches "
                + (bound.isAnyLocalAddress() ? "any address of this machine" : bound.getHostName())
                + may
                + ". Let only HBase's servers reach it ("
                + Setting.ISSN_BIND_ADDRESS.key()
                + ", a firewall), or set "
                + HBASE
                + " = "
                + KERBEROS);
  }

  private static boolean isEncrypted(Configuration conf) {
    return conf.getBoolean("hbase.server.netty.tls.enabled", false)
        || List.of(conf.getTrimmedStrings(PROTECTION, "authentication")).equals(List.of("privacy"));
  }

  /** What is wrong with the configuration of security, or null. */
  static @Nullable String fault(Configuration conf) {
    return User.isHBaseSecurityEnabled(conf) && !KERBEROS.equalsIgnoreCase(conf.getTrimmed(HADOOP))
        ? HBASE
            + " = 'kerberos' without "
            + HADOOP
            + " = 'kerberos' in core-site.xml: nobody could log in"
        : null;
  }
}
