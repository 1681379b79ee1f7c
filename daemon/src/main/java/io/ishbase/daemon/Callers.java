package io.ishbase.daemon;

import io.ishbase.protocol.generated.IssnProtos.Code;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.ipc.RpcServer;
import org.apache.hadoop.hbase.security.User;

/**
 * Who may ask the daemon. With security on, HBase's RPC has authenticated the caller, and only
 * region servers may; with security off everybody may.
 */
public final class Callers {
  private final boolean isSecure;
  private final String owner;

  Callers(Configuration conf, User owner) {
    this.isSecure = User.isHBaseSecurityEnabled(conf);
    this.owner = owner.getShortName();
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
      throw new RequestException(Code.REFUSED, "User '" + caller + "' is no region server");
    }
  }
}
