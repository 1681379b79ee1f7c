package io.ishbase.daemon.rpc;

import io.ishbase.protocol.generated.IssnProtos.Code;
import io.ishbase.protocol.rpc.AuditLog;
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

  private final AuditLog audit = new AuditLog("io.ishbase.daemon.Issn");
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
   * @param operation what he wants, in the audit log
   * @throws RequestException REFUSED
   */
  public void checkOperator(String operation) throws RequestException {
    if (!isSecure || !RpcServer.getRequestUser().map(Superusers::isSuperUser).orElse(false)) {
      check(operation, "");
    }
    audit.allowed(operation, "");
  }

  /**
   * Checks the caller of the request that this thread answers.
   *
   * @param operation what he wants, in the audit log
   * @param path the store or file that it is about; empty: none
   * @throws RequestException REFUSED
   */
  public void check(String operation, String path) throws RequestException {
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
      String why = "User '" + caller + "' is no region server";
      refused(operation, path, why);
      throw new RequestException(Code.REFUSED, why);
    }
  }

  /** Says in the audit log that the caller gets what he asks for of a table. */
  public void allowed(String operation, String table) {
    audit.allowed(operation, table);
  }

  /** Says in the audit log that the caller does not get what nobody gets. */
  public void refused(String operation, String path, String why) {
    audit.refused(operation, AuditLog.tableOf(path), why);
  }
}
