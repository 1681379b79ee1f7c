package io.ishbase.plugin.node;

import io.ishbase.core.Reason;
import io.ishbase.protocol.Busy;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A request that a storage daemon did not answer with cells. The read goes on over HBase's path.
 */
public final class DaemonException extends IOException {
  private static final long serialVersionUID = 1;

  private static final int NOT_KNOWN = -1;

  private final Reason reason;
  private final int file;

  /** Shared by the reads that this one failure concerns. */
  private final AtomicBoolean isTold;

  public DaemonException(Reason reason, String message) {
    this(reason, message, NOT_KNOWN);
  }

  /**
   * @param file index in the request of the file that is to blame; negative: not known
   */
  public DaemonException(Reason reason, String message, int file) {
    super(message);
    this.reason = reason;
    this.file = file;
    this.isTold = new AtomicBoolean();
  }

  public DaemonException(Reason reason, @Nullable Throwable cause) {
    super(String.valueOf(cause), cause);
    this.reason = reason;
    this.file = NOT_KNOWN;
    this.isTold = new AtomicBoolean();
  }

  /** The same failure, of another of the reads that it concerns. */
  public DaemonException(DaemonException cause) {
    super(cause.toString(), cause);
    this.reason = cause.reason;
    this.file = cause.file;
    this.isTold = cause.isTold;
  }

  /** Whether nobody has been told of the failure yet; then the caller tells. */
  public boolean tell() {
    return isTold.compareAndSet(false, true);
  }

  public Reason reason() {
    return reason;
  }

  /** For how long the daemon says that it is busy; 0: it does not say. */
  public long busyMillis() {
    return reason == Reason.BUSY ? Busy.millis(getMessage()) : 0;
  }

  /**
   * Of the request's files, given by their paths, those to leave alone if it is a file's fault: all
   * of them if the daemon did not say which.
   */
  public List<String> blamed(List<String> paths) {
    return file >= 0 && file < paths.size() ? List.of(paths.get(file)) : paths;
  }
}
