package io.ishbase.daemon;

import io.ishbase.protocol.generated.IssnProtos.Code;
import java.io.IOException;

/** A request that the daemon does not answer with cells, and the code that says why. */
final class RequestException extends IOException {
  private static final long serialVersionUID = 1;

  private final Code code;

  RequestException(Code code, String message) {
    super(message);
    this.code = code;
  }

  RequestException(Code code, String message, Throwable cause) {
    super(message, cause);
    this.code = code;
  }

  Code code() {
    return code;
  }
}
