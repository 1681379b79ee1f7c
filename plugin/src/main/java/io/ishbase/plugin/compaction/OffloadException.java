package io.ishbase.plugin.compaction;

import io.ishbase.core.compaction.LocalReason;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** An attempt that brought no result. The region server carries the compaction out itself. */
final class OffloadException extends IOException {
  private static final long serialVersionUID = 1;

  private final LocalReason reason;

  OffloadException(LocalReason reason, String message) {
    super(message);
    this.reason = reason;
  }

  OffloadException(LocalReason reason, @Nullable Throwable cause) {
    super(String.valueOf(cause), cause);
    this.reason = reason;
  }

  LocalReason reason() {
    return reason;
  }
}
