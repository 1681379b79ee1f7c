package io.ishbase.daemon.rpc;

import io.ishbase.protocol.generated.IssnProtos.Code;
import java.io.FileNotFoundException;
import java.io.IOException;
import org.apache.hadoop.fs.ChecksumException;
import org.apache.hadoop.hbase.io.hfile.CorruptHFileException;
import org.jspecify.annotations.Nullable;

/** A request that the daemon does not answer with cells, and the code that says why. */
public final class RequestException extends IOException {
  private static final long serialVersionUID = 1;

  private final Code code;

  public RequestException(Code code, String message) {
    super(message);
    this.code = code;
  }

  public RequestException(Code code, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.code = code;
  }

  public Code code() {
    return code;
  }

  /** The failure to work on {@code path}, with the code that fits it. */
  public static RequestException classified(String path, @Nullable Throwable failure) {
    if (failure instanceof RequestException e) {
      return e;
    }
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof FileNotFoundException) {
        return new RequestException(Code.NO_FILE, "No such file: " + path, failure);
      }
      // The last is what native codecs throw.
      if (cause instanceof CorruptHFileException
          || cause instanceof ChecksumException
          || cause instanceof InternalError) {
        return new RequestException(Code.CORRUPT, "Corrupt: " + path + ": " + cause, failure);
      }
    }
    return new RequestException(Code.FAILED, "Cannot read " + path + ": " + failure, failure);
  }
}
