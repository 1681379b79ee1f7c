package io.ishbase.protocol.rpc;

import io.ishbase.protocol.ServicePolicy;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
import org.apache.hadoop.hbase.Server;
import org.apache.hadoop.hbase.ipc.NettyRpcServer;
import org.apache.hadoop.hbase.ipc.RpcScheduler;
import org.apache.hadoop.hbase.security.User;
import org.apache.hadoop.hbase.security.token.AuthenticationTokenSecretManager;
import org.apache.hadoop.hbase.shaded.protobuf.generated.RPCProtos.ConnectionHeader;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.authorize.AuthorizationException;
import org.apache.hbase.thirdparty.io.netty.channel.unix.Errors;
import org.jspecify.annotations.Nullable;

/**
 * HBase's RPC server with services of ours, which judges callers by their policy.
 *
 * <p>Relies on HBase 2.6: {@code NettyRpcServer.start}, which sets HBase's own policy, {@code
 * createSecretManager}, that {@code authorize} is called for each connection if {@code
 * needAuthorization} says so, and that {@code stop} waits, with the lock that {@code authorize}
 * takes, for connections that may be about to call it.
 */
public class PolicedRpcServer extends NettyRpcServer {
  /** Whoever holds it may take the server's own lock, not the other way round. */
  private final Lock authorizing = new ReentrantLock();

  private volatile boolean stopping;

  protected PolicedRpcServer(
      Server host,
      String name,
      List<BlockingServiceAndInterface> services,
      InetSocketAddress address,
      Configuration conf,
      RpcScheduler scheduler)
      throws IOException {
    super(host, name, services, address, strict(conf), scheduler, true);
  }

  /**
   * What is said where a server does not start: of one that cannot listen at {@code address} what
   * to do about it, else {@code failure} itself.
   *
   * @param setting decides the port
   */
  public static IOException cannotListen(
      InetSocketAddress address, IOException failure, String setting) {
    // Netty's own transport has another exception than Java's and Hadoop's.
    if (!(failure instanceof BindException || failure instanceof Errors.NativeIoException)) {
      return failure;
    }
    return new IOException(
        "Cannot listen on "
            + address
            + " ("
            + failure.getMessage()
            + "): stop what uses the port or set "
            + setting
            + ", if the address is this machine's",
        failure);
  }

  // With this HBase lets in whoever claims a name, for the time in which clients do not have
  // Kerberos yet. Who calls us is a server of HBase, and has.
  private static Configuration strict(Configuration conf) {
    Configuration strict = new Configuration(conf);
    strict.setBoolean(FALLBACK_TO_INSECURE_CLIENT_AUTH, false);
    return strict;
  }

  @Override
  public synchronized void start() {
    super.start();
    if (conf.getBoolean(CommonConfigurationKeysPublic.HADOOP_SECURITY_AUTHORIZATION, false)) {
      refreshAuthManager(conf, new ServicePolicy());
    }
  }

  // HBase's would wait for ever for a connection that waits for its lock.
  @Override
  @SuppressWarnings("UnsynchronizedOverridesSynchronized")
  public void stop() {
    authorizing.lock();
    try {
      stopping = true;
    } finally {
      authorizing.unlock();
    }
    super.stop();
  }

  /** Whether nobody is heard any more. */
  protected final boolean isStopping() {
    return stopping;
  }

  // Else HBase looks at neither of what follows, unless hadoop.security.authorization is set.
  @Override
  protected boolean needAuthorization() {
    return true;
  }

  /**
   * Refuses whoever calls in the name of another, whom HBase takes for that one, and whoever
   * compresses cells: they are unpacked, to any size, before anybody looks at a call, and no call
   * of ours has any.
   */
  @Override
  @SuppressWarnings("UnsynchronizedOverridesSynchronized")
  public void authorize(UserGroupInformation user, ConnectionHeader connection, InetAddress address)
      throws AuthorizationException {
    if (User.isHBaseSecurityEnabled(conf) && user != null && user.getRealUser() != null) {
      throw new AuthorizationException(
          "'"
              + user.getRealUser().getUserName()
              + "' calls as '"
              + user.getUserName()
              + "': only servers of HBase call, as themselves");
    }
    if (connection.hasCellBlockCompressorClass()) {
      throw new AuthorizationException(
          "Compressed cells are not taken: hbase.client.rpc.compressor");
    }
    authorizing.lock();
    try {
      if (stopping) {
        throw new AuthorizationException("The server stops");
      }
      super.authorize(user, connection, address);
    } finally {
      authorizing.unlock();
    }
  }

  // Region servers come with Kerberos; tokens are for users' jobs.
  @Override
  protected @Nullable AuthenticationTokenSecretManager createSecretManager() {
    return null;
  }
}
