package io.ishbase.plugin.node;

import io.ishbase.core.Reason;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * A request that a storage daemon did not answer with cells. The read goes on over HBase's path.
 */
public final class DaemonException extends IOException {
  private static final long serialVersionUID = 1;

  private final Reason reason;

  public DaemonException(Reason reason, String message) {
    super(message);
    this.reason = reason;
  }

  public DaemonException(Reason reason, @Nullable Throwable cause) {
    super(String.valueOf(cause), cause);
    this.reason = reason;
  }

  public Reason reason() {
    return reason;
  }
}
