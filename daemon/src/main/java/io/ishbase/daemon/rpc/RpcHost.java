package io.ishbase.daemon.rpc;

import io.ishbase.protocol.rpc.BareServer;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.ServerName;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The daemon as HBase's RPC server sees it: how the process ends. */
public final class RpcHost extends BareServer {
  private static final Logger LOG = LoggerFactory.getLogger(RpcHost.class);

  private final Runnable end;
  private final AtomicBoolean aborted = new AtomicBoolean();

  /** Calls {@code end} when something happens after which the process must not go on. */
  public RpcHost(Configuration conf, ServerName name, Runnable end) {
    super(conf, name);
    this.end = end;
  }

  @Override
  public void abort(String why, @Nullable Throwable failure) {
    if (aborted.compareAndSet(false, true)) {
      try {
        LOG.error("issn {} ends; start it again. {}", getServerName(), why, failure);
      } finally {
        end.run();
      }
    }
  }

  /** Ends the process if {@code failure} may have left any part of it in an impossible state. */
  public void endIfFatal(@Nullable Throwable failure) {
    // What recurses too deep, as a filter may, has harmed itself only; an InternalError is what
    // native codecs throw at bytes that they cannot read.
    if (failure instanceof OutOfMemoryError || failure instanceof UnknownError) {
      abort("Nothing can be relied on after " + failure, failure);
    }
  }

  @Override
  public boolean isAborted() {
    return aborted.get();
  }
}
