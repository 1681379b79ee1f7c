package io.ishbase.daemon.rpc;

import io.ishbase.protocol.generated.IssnProtos.Code;
import java.io.IOException;
import java.net.InetAddress;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.ipc.RpcServer;
import org.apache.hadoop.hbase.security.Superusers;
import org.apache.hadoop.hbase.security.User;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Who may ask the daemon. With security on, HBase's RPC has authenticated the caller, and only
 * region servers may; with security off everybody may.
 */
public final class Callers {
  private static final Logger LOG = LoggerFactory.getLogger(Callers.class);
  private static final long SAY_EVERY_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final AtomicLong saidNanos = new AtomicLong(System.nanoTime() - SAY_EVERY_NANOS - 1);
  private final boolean isSecure;
  private final String owner;

  public Callers(Configuration conf, User owner) throws IOException {
    this.isSecure = User.isHBaseSecurityEnabled(conf);
    this.owner = owner.getShortName();
    if (isSecure) {
      Superusers.initialize(conf);
    }
  }

  /**
   * Checks the caller who wants to see, cancel or keep away work: a region server's user, or one of
   * HBase's superusers.
   *
   * @throws RequestException REFUSED
   */
  public void checkOperator() throws RequestException {
    if (!isSecure || !RpcServer.getRequestUser().map(Superusers::isSuperUser).orElse(false)) {
      check();
    }
  }

  /**
   * Checks the caller of the request that this thread answers.
   *
   * @throws RequestException REFUSED
   */
  public void check() throws RequestException {
    if (!isSecure) {
      return;
    }
    String caller = RpcServer.getRequestUser().map(User::getShortName).orElse("");
    if (!caller.equals(owner)) {
      long now = System.nanoTime();
      long said = saidNanos.get();
      if (now - said > SAY_EVERY_NANOS && saidNanos.compareAndSet(said, now)) {
        LOG.warn(
            "Refused '{}' from {}: only '{}', the region servers' user, may ask",
            caller,
            RpcServer.getRemoteAddress().map(InetAddress::getHostAddress).orElse("?"),
            owner);
      }
      throw new RequestException(Code.REFUSED, "User '" + caller + "' is no region server");
    }
  }
}
